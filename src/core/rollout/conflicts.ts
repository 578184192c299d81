// What is wrong with the patterns of a rollouts.yml taken together (upgrades.md §2): a pattern that can never win, a pinned
// name that a longer pattern takes, two patterns of equal length that match one name. Looked for before it happens.
import { createMatcher, type Pattern, shortestName } from '../pattern/index.ts';
import { problemAt, type Trouble } from '../spec-file/index.ts';
import type { Problem } from '../std/errors.ts';
import type { Bucket, Rollouts } from './rollouts.ts';

/** A bucket that has a pattern. */
type Patterned = Bucket & { readonly pattern: Pattern };

interface Field {
  readonly buckets: readonly Patterned[];
  /** Every bucket that matches a name, longest first. */
  readonly matching: (name: string) => readonly Patterned[];
  readonly file: string | undefined;
}

/**
 * Conflicts between the patterns. With `names` ties are looked for among these; without, among all legal namespace names,
 * and each is shown by the shortest name that has it.
 */
export function findConflicts(rollouts: Rollouts, names?: readonly string[]): readonly Problem[] {
  const buckets = rollouts.buckets.filter((bucket): bucket is Patterned => bucket.pattern !== undefined);
  const field: Field = { buckets, matching: createMatcher(buckets).all, file: rollouts.file };
  const lost = buckets.flatMap((bucket) => neverWins(field, bucket) ?? []);
  return [...lost, ...(names === undefined ? possibleTies(field) : actualTies(field, names))];
}

function neverWins(field: Field, bucket: Patterned): Problem | undefined {
  const found = unbeaten(field, [bucket]);
  if (found.kind !== 'none') return undefined;
  const text = JSON.stringify(bucket.name);
  if (found.beatenBy.length === 0) {
    const hint = 'a namespace has lower-case letters, digits and dashes, at most 63, and no dash at either end';
    return at(field, bucket, { code: 'pattern-matches-nothing', message: `no namespace name matches ${text}`, hint });
  }
  const winners = found.beatenBy.map(({ name, line }) => `${JSON.stringify(name)} (line ${line})`).join(' and ');
  const many = found.beatenBy.length > 1;
  if (!bucket.pattern.literal)
    return at(field, bucket, {
      code: 'pattern-never-wins',
      message: `${text} can never win: ${winners} ${many ? 'are longer and match' : 'is longer and matches'} every name that it matches`,
      hint: 'remove it, or make it longer than the other',
    });
  const message = `${text} does not pin that namespace: ${winners} ${many ? 'are longer and win' : 'is longer and wins'}`;
  const hint = 'make the longer pattern not match it';
  return at(field, bucket, { code: 'pin-beaten', severity: 'warning', message, hint });
}

function at({ file }: Field, { line, column }: Bucket, trouble: Trouble): Problem {
  return problemAt({ at: { line, column } }, trouble, { file });
}

type Unbeaten =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'none'; readonly beatenBy: readonly Patterned[] }
  | { readonly kind: 'unknown' };

const rounds = 12;

/**
 * The shortest name that all of these match and no longer pattern does. A name that a longer pattern takes adds that pattern
 * to those that must not match, and the search begins anew: so only patterns that matter are multiplied.
 */
function unbeaten(field: Field, buckets: readonly [Patterned, ...Patterned[]]): Unbeaten {
  const [{ pattern }] = buckets;
  const beatenBy: Patterned[] = [];
  for (let round = 0; round < rounds; round++) {
    const inside = buckets.map((bucket) => bucket.pattern.automaton);
    const outside = beatenBy.map((bucket) => bucket.pattern.automaton);
    if (![...inside, ...outside].every((automaton) => automaton !== undefined)) return { kind: 'unknown' };
    const example = shortestName(inside as [], outside as []);
    if (example.kind !== 'name') return example.kind === 'none' ? { kind: 'none', beatenBy } : example;
    const longer = field.matching(example.name).filter((other) => other.pattern.length > pattern.length);
    if (longer.length === 0) return example;
    beatenBy.push(...longer.slice(0, 1));
  }
  return { kind: 'unknown' };
}

function possibleTies(field: Field): Problem[] {
  const byLength = Map.groupBy(field.buckets, ({ pattern }) => pattern.length);
  return Array.from(byLength.values(), (equals) =>
    pairs(equals).flatMap(([a, b]) => possibleTie(field, a, b) ?? []),
  ).flat();
}

function possibleTie(field: Field, a: Patterned, b: Patterned): Problem | undefined {
  if (cannotShare(a.pattern, b.pattern)) return undefined;
  const found = unbeaten(field, [a, b]);
  return found.kind === 'name' ? tie(field, a, b, JSON.stringify(found.name)) : undefined;
}

/** Quickly seen: the ends that each requires exclude each other. */
function cannotShare(a: Pattern, b: Pattern): boolean {
  if (a.literal && b.literal) return a.text !== b.text;
  const begins = a.prefix.startsWith(b.prefix) || b.prefix.startsWith(a.prefix);
  const ends = a.suffix.endsWith(b.suffix) || b.suffix.endsWith(a.suffix);
  return !begins || !ends;
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((a, index) => items.slice(index + 1).map((b): [T, T] => [a, b]));
}

/** One problem for each pair of patterns, with the first name and how many more there are. */
function actualTies(field: Field, names: readonly string[]): Problem[] {
  const tied = new Map<string, { readonly pair: [Patterned, Patterned]; readonly names: string[] }>();
  for (const name of names) {
    const matching = field.matching(name);
    const equals = matching.filter(({ pattern }) => pattern.length === matching[0]?.pattern.length);
    for (const pair of pairs(equals)) {
      const key = JSON.stringify(pair.map((bucket) => bucket.name));
      const known = tied.get(key) ?? { pair, names: [] };
      known.names.push(name);
      tied.set(key, known);
    }
  }
  return Array.from(tied.values(), ({ pair: [a, b], names: [first = '', ...rest] }) =>
    tie(field, a, b, `${JSON.stringify(first)}${rest.length === 0 ? '' : ` and ${rest.length} more`}`),
  );
}

function tie(field: Field, a: Patterned, b: Patterned, shown: string): Problem {
  const [first, second] = [a, b].sort((x, y) => x.line - y.line || x.column - y.column) as [Patterned, Patterned];
  const message = `${JSON.stringify(second.name)} and ${JSON.stringify(first.name)} (line ${first.line}) are equally long, and both match ${shown}`;
  return at(field, second, { code: 'pattern-tie', message, hint: 'make one of them longer, or narrower' });
}
