// Many patterns at once: which of them match a name, longest first, without trying them all. A plain name is looked up; an
// expression is tried only where the name begins (or ends) as every match of it does. Says the same as trying them all.
import type { Pattern } from './pattern.ts';

export interface Matcher<T> {
  /** Every item whose pattern matches, the longest pattern first, then in the order given. */
  readonly all: (name: string) => T[];
  /** Those of the greatest length only: one, none, or a tie. */
  readonly longest: (name: string) => T[];
}

export interface WithPattern {
  readonly pattern: Pattern;
}

/** Items by rank: 0 is the longest pattern. */
type Rank = number;

interface Branch {
  readonly ranks: Rank[];
  readonly next: Map<number, Branch>;
}

export function createMatcher<T extends WithPattern>(items: readonly T[]): Matcher<T> {
  const ranked = [...items].sort((a, b) => b.pattern.length - a.pattern.length);
  const literals = new Map<string, Rank[]>();
  const prefixes: Branch = { ranks: [], next: new Map() };
  const suffixes: Branch = { ranks: [], next: new Map() };
  const always: Rank[] = [];
  for (const [rank, { pattern }] of ranked.entries()) {
    if (pattern.literal) literals.set(pattern.text, [...(literals.get(pattern.text) ?? []), rank]);
    else if (pattern.prefix !== '') plant(prefixes, codes(pattern.prefix), rank);
    else if (pattern.suffix !== '') plant(suffixes, codes(pattern.suffix).toReversed(), rank);
    else always.push(rank);
  }
  const alive = remembered((name, begin) =>
    always.filter((rank) => {
      const pattern = ranked[rank]?.pattern;
      return pattern !== undefined && pattern.mayEndLike(name) && pattern.automaton?.after(begin) !== 0;
    }),
  );
  const candidates = (name: string): Rank[] => {
    const found = [...(literals.get(name) ?? [])];
    gather(prefixes, name, 1, found);
    gather(suffixes, name, -1, found);
    return merge(
      found.sort((a, b) => a - b),
      alive(name),
    );
  };
  const all = (name: string): T[] => {
    const found: T[] = [];
    for (const rank of candidates(name)) {
      const item = ranked[rank];
      if (item?.pattern.matches(name)) found.push(item);
    }
    return found;
  };
  const longest = (name: string): T[] => {
    const found: T[] = [];
    for (const rank of candidates(name)) {
      const item = ranked[rank];
      const best = found[0];
      if (item === undefined || (best !== undefined && item.pattern.length < best.pattern.length)) break;
      if (item.pattern.matches(name)) found.push(item);
    }
    return found;
  };
  return { all, longest };
}

/** How much of a name decides which expressions are worth trying; namespaces of one team share it. */
const beginLength = 4;
const maximumEnds = 4096;

/** Remembers by the name's begin and last sign; forgets all when there are too many, so that odd names cannot fill the memory. */
function remembered(aliveFor: (name: string, begin: string) => readonly Rank[]): (name: string) => readonly Rank[] {
  const known = new Map<string, readonly Rank[]>();
  return (name) => {
    const begin = name.slice(0, beginLength);
    const key = `${begin}\n${name.slice(-1)}`;
    const found = known.get(key) ?? aliveFor(name, begin);
    if (known.size > maximumEnds) known.clear();
    known.set(key, found);
    return found;
  };
}

function codes(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

function plant(root: Branch, path: readonly number[], rank: Rank): void {
  let branch = root;
  for (const code of path) {
    const next = branch.next.get(code) ?? { ranks: [], next: new Map() };
    branch.next.set(code, next);
    branch = next;
  }
  branch.ranks.push(rank);
}

/** Adds the ranks along the name's signs, from its begin (direction 1) or its end (-1). */
function gather(root: Branch, name: string, direction: 1 | -1, found: Rank[]): void {
  let branch: Branch | undefined = root;
  for (let i = direction === 1 ? 0 : name.length - 1; i >= 0 && i < name.length; i += direction) {
    branch = branch.next.get(name.charCodeAt(i));
    if (branch === undefined) return;
    found.push(...branch.ranks);
  }
}

/** Two sorted lists as one. */
function merge(a: readonly Rank[], b: readonly Rank[]): Rank[] {
  const merged: Rank[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) merged.push((a[i] ?? Infinity) < (b[j] ?? Infinity) ? a[i++]! : b[j++]!);
  return merged;
}
