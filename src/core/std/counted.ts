// A number of things in a sentence.

/** `1 pod`, `2 pods`; of nouns that only get an s. */
export function counted(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
