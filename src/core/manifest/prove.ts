// The proof of an edit: the changed document, outlined again, is the original with its nodes moved by the inserted bytes,
// plus exactly the members that the change names. Knows nothing of how edits are made.
import { type Change, plainOf, samePlain } from './change.ts';
import type { Edit } from './edit.ts';
import { items, pairs, readPlain } from './node.ts';
import { type Plain, scalarText } from './scalar.ts';
import { anchorOf, endOf, isMap, isSeq, kindOf, kinds, nextOf, startOf, type Tape, tagOf } from './tape.ts';

/** Before and after, and the edits between them, sorted. `base` is where the document starts in the text of `before`. */
export interface Proof {
  readonly before: Tape;
  readonly after: Tape;
  readonly edits: readonly Edit[];
  readonly base: number;
}

/** Whether `after` below node b is `before` below node a with `change` made. */
export function provesChange(proof: Proof, a: number, b: number, change: ReadonlyMap<number, Change>): boolean {
  const here = change.get(a);
  if (here !== undefined) return matches(proof, a, b, here);
  const holds = [...change.keys()].some((node) => node > a && node < nextOf(proof.before, a));
  return holds ? descends(proof, a, b, change) : unchanged(proof, a, b);
}

/** A collection that is not changed itself but holds objects that are. */
function descends(proof: Proof, a: number, b: number, change: ReadonlyMap<number, Change>): boolean {
  if (kindOf(proof.before, a) !== kindOf(proof.after, b)) return false;
  const [olds, news] = [childrenOf(proof.before, a), childrenOf(proof.after, b)];
  return olds.length === news.length && olds.every((old, i) => provesChange(proof, old, news[i] ?? 0, change));
}

function childrenOf(tape: Tape, node: number): readonly number[] {
  return isMap(tape, node) ? [...pairs(tape, node)].flat() : isSeq(tape, node) ? [...items(tape, node)] : [];
}

function matches(proof: Proof, a: number, b: number, change: Change): boolean {
  const { before, after } = proof;
  if (change.kind === 'append') return matchesAppend(proof, a, b, change.items);
  if (change.kind !== 'within') return change.kind === 'set' && samePlain(readPlain(after, b), change.value);
  if (isMap(before, a)) return matchesMap(proof, a, b, change.members);
  if (isSeq(before, a)) return matchesSeq(proof, a, b, change.members);
  if (kindOf(before, a) === kinds.alias) return matchesOverlay(proof, a, b, change);
  return isMap(after, b) && samePlain(readPlain(after, b), plainOf(change));
}

function matchesMap(proof: Proof, a: number, b: number, members: ReadonlyMap<string, Change>): boolean {
  const { before, after } = proof;
  if (!isMap(after, b)) return false;
  const [endA, endB] = [nextOf(before, a), nextOf(after, b)];
  let old = a + 1;
  let seen = 0;
  for (let key = b + 1; key < endB; ) {
    while (old < endA && members.get(nameOf(before, old))?.kind === 'remove') old = afterPair(before, old);
    const value = nextOf(after, key);
    const change = members.get(nameOf(after, key));
    const same = old < endA && unchanged(proof, old, key);
    if (change !== undefined) seen++;
    if (!valueMatches(proof, same ? nextOf(before, old) : undefined, value, change)) return false;
    if (same) old = afterPair(before, old);
    key = nextOf(after, value);
  }
  while (old < endA && members.get(nameOf(before, old))?.kind === 'remove') old = afterPair(before, old);
  let wanted = 0;
  for (const change of members.values()) if (change.kind !== 'remove') wanted++;
  return old >= endA && seen === wanted;
}

function valueMatches(proof: Proof, old: number | undefined, value: number, change: Change | undefined): boolean {
  if (old === undefined) return change !== undefined && samePlain(readPlain(proof.after, value), plainOf(change));
  return change === undefined ? unchanged(proof, old, value) : matches(proof, old, value, change);
}

/** The key after a key and its value. */
function afterPair(tape: Tape, key: number): number {
  return nextOf(tape, nextOf(tape, key));
}

function matchesSeq(proof: Proof, a: number, b: number, members: ReadonlyMap<string, Change>): boolean {
  if (!isSeq(proof.after, b)) return false;
  const [olds, news] = [[...items(proof.before, a)], [...items(proof.after, b)]];
  return (
    olds.length === news.length &&
    olds.every((old, i) => valueMatches(proof, old, news[i] ?? 0, members.get(String(i))))
  );
}

function matchesAppend(proof: Proof, a: number, b: number, added: readonly Plain[]): boolean {
  const { before, after } = proof;
  if (!isSeq(after, b)) return false;
  const olds = isSeq(before, a) ? [...items(before, a)] : [];
  const news = [...items(after, b)];
  const gained = news.slice(olds.length).map((item) => readPlain(after, item));
  return olds.every((old, i) => unchanged(proof, old, news[i] ?? 0)) && samePlain(gained, added);
}

/** `*base` has become `{<<: *base, …}`. */
function matchesOverlay(proof: Proof, a: number, b: number, change: Extract<Change, { kind: 'within' }>): boolean {
  const { after } = proof;
  if (!isMap(after, b)) return false;
  const [merge, ...added] = [...pairs(after, b)];
  if (merge === undefined || nameOf(after, merge[0]) !== '<<' || !unchanged(proof, a, merge[1])) return false;
  const values = added.map(([key, value]) => [nameOf(after, key), readPlain(after, value)]);
  return samePlain(Object.fromEntries(values), plainOf(change)) && added.length === change.members.size;
}

/** All nodes below are the same, moved as far as the edits before them inserted: no edit is inside. */
function unchanged(proof: Proof, a: number, b: number): boolean {
  const { before, after } = proof;
  const size = nextOf(before, a) - a;
  if (nextOf(after, b) - b !== size) return false;
  const start = startOf(before, a);
  const shift = shiftAt(proof.edits, start, kindOf(before, a) !== kinds.empty) - proof.base;
  for (let i = 0; i < size; i++) if (!sameNode(proof, a + i, b + i, shift)) return false;
  return true;
}

function sameNode({ before, after }: Proof, a: number, b: number, shift: number): boolean {
  return (
    kindOf(before, a) === kindOf(after, b) &&
    startOf(before, a) + shift === startOf(after, b) &&
    endOf(before, a) + shift === endOf(after, b) &&
    nextOf(before, a) - a === nextOf(after, b) - b &&
    moved(anchorOf(before, a), shift) === anchorOf(after, b) &&
    moved(tagOf(before, a), shift) === tagOf(after, b)
  );
}

function moved(offset: number, shift: number): number {
  return offset === -1 ? -1 : offset + shift;
}

/** How far the text at an offset has moved; text that starts where an insertion stands comes after it. */
function shiftAt(edits: readonly Edit[], offset: number, inclusive: boolean): number {
  let shift = 0;
  for (const edit of edits) {
    if (edit.at > offset || (edit.at === offset && !inclusive)) break;
    shift += edit.insert.length - edit.remove;
  }
  return shift;
}

function nameOf(tape: Tape, key: number): string {
  return isMap(tape, key) || isSeq(tape, key) ? '' : scalarText(tape, key);
}
