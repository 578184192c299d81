// Which pairs of patterns could match one name, without looking at every pair: the text that every match of one begins (or ends)
// with must begin (or end) as the other's does. Owns that filter alone; whether a name exists, others find out.
import type { Pattern } from '../pattern/index.ts';

interface WithPattern {
  readonly pattern: Pattern;
}

/** Pairs whose required beginnings and ends fit each other, each once, in no special order. */
export function* candidatePairs<T extends WithPattern>(items: readonly T[]): Generator<readonly [T, T]> {
  const begins = indexOf(items, ({ prefix }) => prefix);
  const ends = indexOf(items, ({ suffix }) => reversed(suffix));
  const index = begins.pairs <= ends.pairs ? begins : ends;
  for (const [at, item] of items.entries())
    for (const { at: otherAt, item: other, same } of fitting(index, item))
      if ((!same || otherAt < at) && !cannotShare(item.pattern, other.pattern))
        yield otherAt < at ? [other, item] : [item, other];
}

interface Index<T> {
  readonly keyOf: (pattern: Pattern) => string;
  readonly byKey: ReadonlyMap<string, readonly (readonly [at: number, item: T])[]>;
  /** How many pairs it would look at. */
  readonly pairs: number;
}

function indexOf<T extends WithPattern>(items: readonly T[], keyOf: (pattern: Pattern) => string): Index<T> {
  const byKey = Map.groupBy(items.entries(), ([, { pattern }]) => keyOf(pattern));
  let pairs = 0;
  for (const { pattern } of items) for (const key of startsOf(keyOf(pattern))) pairs += byKey.get(key)?.length ?? 0;
  return { keyOf, byKey, pairs };
}

interface Fitting<T> {
  readonly at: number;
  readonly item: T;
  /** Both have the same key: the pair is met from both sides. */
  readonly same: boolean;
}

/** The items whose key is a start of this item's key. */
function* fitting<T extends WithPattern>({ keyOf, byKey }: Index<T>, { pattern }: T): Generator<Fitting<T>> {
  const key = keyOf(pattern);
  for (const start of startsOf(key))
    for (const [at, item] of byKey.get(start) ?? []) yield { at, item, same: start === key };
}

function startsOf(text: string): readonly string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length));
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}

/** Quickly seen: the ends that each requires exclude each other, or a plain name that the other does not match. */
function cannotShare(a: Pattern, b: Pattern): boolean {
  if (a.literal) return !b.matches(a.text);
  if (b.literal) return !a.matches(b.text);
  const begins = a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix);
  const ends = a.suffix.endsWith(b.suffix) || b.suffix.endsWith(a.suffix);
  return !begins || !ends;
}
