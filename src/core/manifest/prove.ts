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
  const olds = [...pairs(before, a)].filter(([key]) => members.get(nameOf(before, key))?.kind !== 'remove');
  const wanted = new Set([...members.keys()].filter((key) => members.get(key)?.kind !== 'remove'));
  let old = 0;
  for (const [key, value] of pairs(after, b)) {
    const name = nameOf(after, key);
    const change = members.get(name);
    const pair = olds[old];
    const same = pair !== undefined && unchanged(proof, pair[0], key);
    if (same) old++;
    if (!same && (change === undefined || !wanted.has(name))) return false;
    if (!valueMatches(proof, same ? pair[1] : undefined, value, change)) return false;
    wanted.delete(name);
  }
  return old === olds.length && wanted.size === 0;
}

function valueMatches(proof: Proof, old: number | undefined, value: number, change: Change | undefined): boolean {
  if (old === undefined) return change !== undefined && samePlain(readPlain(proof.after, value), plainOf(change));
  return change === undefined ? unchanged(proof, old, value) : matches(proof, old, value, change);
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

/** All nodes below are the same, moved as far as the edits before them inserted. */
function unchanged(proof: Proof, a: number, b: number): boolean {
  const { before, after } = proof;
  const size = nextOf(before, a) - a;
  if (nextOf(after, b) - b !== size) return false;
  for (let i = 0; i < size; i++) if (!sameNode(proof, a + i, b + i)) return false;
  return true;
}

function sameNode({ before, after, edits, base }: Proof, a: number, b: number): boolean {
  const kind = kindOf(before, a);
  if (kind !== kindOf(after, b)) return false;
  const [start, end] = [startOf(before, a), endOf(before, a)];
  const shift = shiftAt(edits, start, kind !== kinds.empty) - base;
  if (startOf(after, b) !== start + shift || endOf(after, b) !== end + shift) return false;
  const properties = anchorOf(before, a) === -1 && tagOf(before, a) === -1;
  return properties === (anchorOf(after, b) === -1 && tagOf(after, b) === -1);
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
