// What was made of a text, for when the text comes again. Bounded in number; what comes once is not held. A text is hashed once, however
// often it is asked for and given in a row: texts are long, and most of them are asked for in vain.
import { hashOf, sightings } from './sightings.ts';

export interface TextMemory<T> {
  readonly recall: (text: string) => T | undefined;
  /** Holds it if the text was given before; the least used of too many goes. */
  readonly remember: (text: string, value: T) => void;
}

/** @param most how many are held, and how many are known to have come; a power of two */
export function textMemory<T>(most: number): TextMemory<T> {
  const entries = new Map<number, { readonly text: string; readonly value: T }>();
  const seenBefore = sightings(most);
  const last = { text: '', hash: hashOf('') };
  const hashed = (text: string): number => {
    if (text !== last.text) [last.text, last.hash] = [text, hashOf(text)];
    return last.hash;
  };
  return {
    recall: (text) => {
      const hash = hashed(text);
      const entry = entries.get(hash);
      if (entry === undefined || entry.text !== text) return undefined;
      entries.delete(hash);
      entries.set(hash, entry);
      return entry.value;
    },
    remember: (text, value) => {
      const hash = hashed(text);
      if (!seenBefore(hash)) return;
      const oldest = entries.size >= most ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      entries.set(hash, { text, value });
    },
  };
}
