// What is wrong with the patterns of a rollouts.yml taken together (docs/reference/rollouts.md): a pattern that can never win, a pinned
// name that a longer pattern takes, two patterns of equal length that match one name. Looked for before it happens.
import { createMatcher, type Pattern, type Spend, shortestName } from '../pattern/index.ts';
import { problemAt, type Trouble } from '../spec-file/index.ts';
import type { Problem } from '../std/errors.ts';
import { candidatePairs } from './candidate-pairs.ts';
import type { Bucket, Rollouts } from './rollouts.ts';

/** A bucket that has a pattern. */
type Patterned = Bucket & { readonly pattern: Pattern };

interface Field {
  readonly buckets: readonly Patterned[];
  /** Every bucket that matches a name, longest first. */
  readonly all: (name: string) => readonly Patterned[];
  /** The same, at the cost of trying what begins and ends with no plain text; undefined where the work is used up. */
  readonly matching: (name: string) => readonly Patterned[] | undefined;
  readonly file: string | undefined;
  /** Patterns are text of strangers: all searches of one call share this much work, and what is left over is said. */
  readonly spend: Spend;
}

const mostWork = 20_000_000;
const mostTies = 100;
/** Of so many patterns that tie on one name, the pairs are told. */
const mostTiedAtOnce = 10;

/**
 * Conflicts between the patterns. With `names` ties are looked for among these; without, among all legal namespace names,
 * and each is shown by the shortest name that has it. Bounded: where the bound is reached, a warning says so.
 */
export function findConflicts(rollouts: Rollouts, names?: readonly string[]): readonly Problem[] {
  const buckets = rollouts.buckets.filter((bucket): bucket is Patterned => bucket.pattern !== undefined);
  let left = mostWork;
  const spend = (work: number): boolean => (left -= work) > 0;
  const { all } = createMatcher(buckets);
  const tried = buckets.filter(({ pattern }) => pattern.prefix === '' && pattern.suffix === '').length;
  const matching = (name: string): readonly Patterned[] | undefined => (spend(8 * tried) ? all(name) : undefined);
  const field: Field = { buckets, matching, all, file: rollouts.file, spend };
  // Ties first: where the work does not suffice for both, they are the worse surprise.
  const ties = names === undefined ? possibleTies(field) : actualTies(field, names);
  const lost = buckets.flatMap((bucket) => neverWins(field, bucket) ?? []);
  const [first] = buckets;
  const ended = first === undefined ? [] : unchecked(field, first, { ties: ties.length, spent: left <= 0 });
  return [...lost, ...ties.slice(0, mostTies), ...ended];
}

/** What was not looked at, where a bound ended the search. */
function unchecked(field: Field, first: Patterned, reached: { ties: number; spent: boolean }): readonly Problem[] {
  const told = `only ${mostTies} ties are listed`;
  const cut = `${field.buckets.length} patterns are too many, or too large, to compare all of them`;
  if (reached.ties <= mostTies && !reached.spent) return [];
  const hint = '`fairway validate --namespaces FILE` looks for ties among the names that exist';
  const message = reached.ties > mostTies ? told : cut;
  return [at(field, first, { code: 'patterns-unchecked', severity: 'warning', message, hint })];
}

function neverWins(field: Field, bucket: Patterned): Problem | undefined {
  if (winsItself(field, bucket)) return undefined;
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

/** A plain name that no longer pattern matches needs no search. */
function winsItself({ matching }: Field, { pattern }: Patterned): boolean {
  const legal = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(pattern.text);
  return (
    pattern.literal && legal && (matching(pattern.text) ?? []).every((other) => other.pattern.length <= pattern.length)
  );
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
    const example = shortestName(inside as [], outside as [], field.spend);
    if (example.kind !== 'name') return example.kind === 'none' ? { kind: 'none', beatenBy } : example;
    const longer = field.matching(example.name)?.filter((other) => other.pattern.length > pattern.length);
    if (longer === undefined) return { kind: 'unknown' };
    if (longer.length === 0) return example;
    beatenBy.push(...longer.slice(0, 1));
  }
  return { kind: 'unknown' };
}

function possibleTies(field: Field): readonly Problem[] {
  const found: Problem[] = [];
  for (const equals of Map.groupBy(field.buckets, ({ pattern }) => pattern.length).values()) {
    for (const [a, b] of candidatePairs(equals)) {
      if (!field.spend(1) || found.length > mostTies) return found;
      const problem = possibleTie(field, a, b);
      if (problem !== undefined) found.push(problem);
    }
  }
  return found;
}

function possibleTie(field: Field, a: Patterned, b: Patterned): Problem | undefined {
  const found = unbeaten(field, [a, b]);
  return found.kind === 'name' ? tie(field, a, b, JSON.stringify(found.name)) : undefined;
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.flatMap((a, index) => items.slice(index + 1).map((b): [T, T] => [a, b]));
}

/** One problem for each pair of patterns, with the first name and how many more there are. */
function actualTies(field: Field, names: readonly string[]): Problem[] {
  const tied = new Map<string, { readonly pair: [Patterned, Patterned]; readonly names: string[] }>();
  for (const name of names) {
    const matching = field.all(name);
    const equals = matching.filter(({ pattern }) => pattern.length === matching[0]?.pattern.length);
    for (const pair of pairs(equals.slice(0, mostTiedAtOnce))) {
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
