// The proof of an edit: the changed document, outlined again, is the original with its nodes moved by the inserted bytes,
// plus exactly the members that the change names. Knows nothing of how edits are made.
import type { Copied } from './again.ts';
import { type Change, plainOf, samePlain } from './change.ts';
import type { Edit } from './edit.ts';
import { items, keyEquals, pairs, readPlain } from './node.ts';
import { type Plain, scalarText } from './scalar.ts';
import { isMap, isSeq, kindOf, kinds, nextOf, sameNodes, startOf, type Tape } from './tape.ts';

/** Before and after, and the edits between them, sorted. `base` is where the document starts in the text of `before`. */
export interface Proof {
  readonly before: Tape;
  readonly after: Tape;
  readonly edits: readonly Edit[];
  readonly base: number;
  /** Nodes of `after` that are copies of those of `before`: to compare them would prove nothing. */
  readonly copied?: Copied | undefined;
}

/** Whether `after` below node b is `before` below node a with `change` made. */
export function provesChange(proof: Proof, a: number, b: number, change: ReadonlyMap<number, Change>): boolean {
  const here = change.get(a);
  if (here !== undefined) return matches(proof, a, b, here);
  return holdsChange(proof.before, a, change) ? descends(proof, a, b, change) : unchanged(proof, a, b);
}

function holdsChange(tape: Tape, a: number, change: ReadonlyMap<number, Change>): boolean {
  const end = nextOf(tape, a);
  for (const node of change.keys()) if (node > a && node < end) return true;
  return false;
}

/** A collection that is not changed itself but holds objects that are. */
function descends(proof: Proof, a: number, b: number, change: ReadonlyMap<number, Change>): boolean {
  if (kindOf(proof.before, a) !== kindOf(proof.after, b)) return false;
  const [olds, news] = [childrenOf(proof.before, a), childrenOf(proof.after, b)];
  return olds.length === news.length && olds.every((old, i) => provesChange(proof, old, news[i] ?? 0, change));
}

function childrenOf(tape: Tape, node: number): readonly number[] {
  return isMap(tape, node) ? pairs(tape, node).flat() : isSeq(tape, node) ? [...items(tape, node)] : [];
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
  const endA = nextOf(before, a);
  const endB = nextOf(after, b);
  const list = { members, names: [...members.keys()] };
  let old = pastRemoved(before, a + 1, endA, list);
  let seen = 0;
  for (let key = b + 1; key < endB; ) {
    const value = nextOf(after, key);
    const change = memberOf(after, key, list);
    const same = old < endA && unchanged(proof, old, key);
    if (change !== undefined) seen++;
    if (!valueMatches(proof, same ? nextOf(before, old) : undefined, value, change)) return false;
    if (same) old = pastRemoved(before, afterPair(before, old), endA, list);
    key = nextOf(after, value);
  }
  let wanted = 0;
  for (const change of members.values()) if (change.kind !== 'remove') wanted++;
  return old >= endA && seen === wanted;
}

/** The members of a change, and their names as a list: that is gone through at every key. */
interface Members {
  readonly members: ReadonlyMap<string, Change>;
  readonly names: readonly string[];
}

/** The first key from `key` on that is not to be removed. */
function pastRemoved(tape: Tape, key: number, end: number, members: Members): number {
  let at = key;
  while (at < end && memberOf(tape, at, members)?.kind === 'remove') at = afterPair(tape, at);
  return at;
}

/** The change of the member that a key names. The members are few; the keys are many, and most are no string yet. */
function memberOf(tape: Tape, key: number, { members, names }: Members): Change | undefined {
  for (let i = 0; i < names.length; i++) if (keyEquals(tape, key, names[i]!)) return members.get(names[i]!);
  return undefined;
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
  const [merge, ...added] = pairs(after, b);
  if (merge === undefined || nameOf(after, merge[0]) !== '<<' || !unchanged(proof, a, merge[1])) return false;
  const values = added.map(([key, value]) => [nameOf(after, key), readPlain(after, value)]);
  return samePlain(Object.fromEntries(values), plainOf(change)) && added.length === change.members.size;
}

/** All nodes below are the same, moved as far as the edits before them inserted: no edit is inside. */
function unchanged(proof: Proof, a: number, b: number): boolean {
  const { before, after } = proof;
  const to = nextOf(before, a);
  if (nextOf(after, b) - b !== to - a) return false;
  if (isCopy(proof, a, b, to)) return true;
  const shift = shiftAt(proof.edits, startOf(before, a), kindOf(before, a) !== kinds.empty) - proof.base;
  return sameNodes(before, { from: a, to, shift }, after, b);
}

function isCopy({ copied }: Proof, a: number, b: number, to: number): boolean {
  if (copied === undefined) return false;
  return (to <= copied.until && a === b) || (a >= copied.from && b - a === copied.lead);
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
