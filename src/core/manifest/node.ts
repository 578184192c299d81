// Finding and reading nodes of a tape: members, aliases, merge keys, JSON pointers, plain values. Reading follows aliases, but
// only as far as a budget: a bomb of aliases ends in an answer, not in memory.
import { type Bytes, type ByteText, standsAt } from './bytes.ts';
import { type Plain, scalarText, scalarValue } from './scalar.ts';
import { anchorOf, endOf, isMap, isSeq, kindOf, kinds, nextOf, startOf, type Tape } from './tape.ts';

/** No such node. */
export const none = -1;
const budgetOfNodes = 1_000_000;
/** What ends the name of an anchor or alias: blanks, line ends, flow indicators. */
const endsName = new Uint8Array(256);
for (const character of ' \t\n\v\f\r,[]{}') endsName[character.charCodeAt(0)] = 1;
const deepestMerge = 100;

/** The value of a key that the mapping itself holds (no merge), or none. */
export function ownMember(tape: Tape, map: number, key: string): number {
  const found = ownKey(tape, map, map + 1, key);
  return found === none ? none : nextOf(tape, found);
}

/** The first node that says a key, of the mapping's own keys from node `from` on, or none. More than one is an error for whoever needs it. */
export function ownKey(tape: Tape, map: number, from: number, key: string): number {
  const last = nextOf(tape, map);
  for (let node = from; node < last; node = nextOf(tape, nextOf(tape, node)))
    if (keyEquals(tape, node, key)) return node;
  return none;
}

/** Key and value nodes of a mapping, in the order of the text. */
export function pairs(tape: Tape, map: number): readonly (readonly [key: number, value: number])[] {
  const found: (readonly [number, number])[] = [];
  const last = nextOf(tape, map);
  for (let key = map + 1; key < last; ) {
    const value = nextOf(tape, key);
    found.push([key, value]);
    key = nextOf(tape, value);
  }
  return found;
}

/** Items of a sequence. */
export function* items(tape: Tape, seq: number): Generator<number> {
  const last = nextOf(tape, seq);
  for (let node = seq + 1; node < last; node = nextOf(tape, node)) yield node;
}

/** The node itself, or what its alias names; none for an alias without anchor. */
export function follow(tape: Tape, node: number): number {
  let found = node;
  for (let hops = 0; found !== none && kindOf(tape, found) === kinds.alias; hops++) {
    if (hops > 100) return none;
    found = anchored(tape, found);
  }
  return found;
}

/** The value of a key as a reader sees it: own, or merged in by `<<`; aliases followed. */
export function member(tape: Tape, map: number, key: string): number {
  return memberWithin(tape, { map, key, depth: 0, searched: undefined });
}

/** A node by JSON pointer segments from `root`, as a reader sees it; none where the way ends. */
export function locate(tape: Tape, root: number, segments: readonly string[]): number {
  let node = follow(tape, root);
  for (let i = 0; i < segments.length; i++) {
    if (node === none) return none;
    const segment = segments[i]!;
    if (isMap(tape, node)) node = member(tape, node, segment);
    else if (isSeq(tape, node)) node = follow(tape, itemAt(tape, node, segment));
    else return none;
  }
  return node;
}

const knownPointers = new Map<string, readonly string[]>();

/** The segments of a JSON pointer (RFC 6901). Kept, because a run asks for the same few over and over. */
export function pointerSegments(pointer: string): readonly string[] {
  const known = knownPointers.get(pointer);
  if (known !== undefined) return known;
  const segments = pointer === '' ? [] : pointer.slice(1).split('/').map(unescapeSegment);
  if (knownPointers.size < 256) knownPointers.set(pointer, segments);
  return segments;
}

function unescapeSegment(segment: string): string {
  return segment.includes('~') ? segment.replaceAll('~1', '/').replaceAll('~0', '~') : segment;
}

/** Whether a mapping has a merge key of its own. */
export function hasMerge(tape: Tape, map: number): boolean {
  return ownMember(tape, map, '<<') !== none;
}

/** The plain value of a node, aliases and merges resolved; undefined where that would take more than a million nodes. */
export function readPlain(tape: Tape, node: number): Plain | undefined {
  const state = { left: budgetOfNodes, depth: 0 };
  const value = readNode(tape, node, state);
  return state.left < 0 ? undefined : value;
}

/** Whether the anchor of this node is used by an alias of the document. */
export function isAliased(tape: Tape, node: number): boolean {
  if (anchorOf(tape, node) === -1) return false;
  const name = anchorName(tape.source, anchorOf(tape, node));
  for (let i = node + 1; i < tape.count; i++) {
    if (anchorOf(tape, i) !== -1 && anchorName(tape.source, anchorOf(tape, i)) === name) return false;
    if (kindOf(tape, i) === kinds.alias && anchorName(tape.source, startOf(tape, i)) === name) return true;
  }
  return false;
}

export function itemAt(tape: Tape, seq: number, segment: string): number {
  if (!/^(?:0|[1-9]\d*)$/.test(segment)) return none;
  let index = Number(segment);
  for (const item of items(tape, seq)) if (index-- === 0) return item;
  return none;
}

export function keyEquals(tape: Tape, node: number, key: string): boolean {
  const start = startOf(tape, node);
  const end = endOf(tape, node);
  switch (kindOf(tape, node)) {
    case kinds.plain:
      return end - start === key.length && standsAt(tape.bytes, start, key);
    case kinds.single:
    case kinds.double:
      return end - start >= key.length + 2 && scalarText(tape, node) === key;
    default:
      return false;
  }
}

interface Budget {
  left: number;
  depth: number;
}

function readNode(tape: Tape, at: number, budget: Budget): Plain {
  const node = follow(tape, at);
  if (node === none || --budget.left < 0 || budget.depth > 500) return null;
  if (!isMap(tape, node) && !isSeq(tape, node)) return scalarValue(tape, node);
  budget.depth++;
  const value = isMap(tape, node) ? readMap(tape, node, budget) : readSeq(tape, node, budget);
  budget.depth--;
  return value;
}

function readSeq(tape: Tape, node: number, budget: Budget): Plain {
  const values: Plain[] = [];
  for (const item of items(tape, node)) {
    if (budget.left < 0) break;
    values.push(readNode(tape, item, budget));
  }
  return values;
}

function readMap(tape: Tape, node: number, budget: Budget): Plain {
  const values: Record<string, Plain> = {};
  for (const source of mergeSources(tape, node)) {
    if (budget.left < 0) break;
    const merged = readNode(tape, source, budget);
    if (merged === null || typeof merged !== 'object' || Array.isArray(merged)) continue;
    for (const [key, value] of Object.entries(merged)) if (!Object.hasOwn(values, key)) setOwn(values, key, value);
  }
  const last = nextOf(tape, node);
  for (let key = node + 1; key < last && budget.left >= 0; ) {
    const value = nextOf(tape, key);
    if (!isMergeKey(tape, key)) setOwn(values, keyText(tape, key), readNode(tape, value, budget));
    key = nextOf(tape, value);
  }
  return values;
}

/** Sets a member whatever its name is: an assignment to `__proto__` would not. */
function setOwn(values: Record<string, Plain>, key: string, value: Plain): void {
  if (key === '__proto__')
    Object.defineProperty(values, key, { value, writable: true, enumerable: true, configurable: true });
  else values[key] = value;
}

function keyText(tape: Tape, key: number): string {
  const node = follow(tape, key);
  return node === none || isMap(tape, node) || isSeq(tape, node) ? '' : scalarText(tape, node);
}

/** Whether a key is an unquoted `<<`. */
export function isMergeKey(tape: Tape, key: number): boolean {
  return endOf(tape, key) - startOf(tape, key) === 2 && kindOf(tape, key) === kinds.plain && keyEquals(tape, key, '<<');
}

/** The mappings that `<<` names, the first being the strongest. */
function mergeSources(tape: Tape, map: number): readonly number[] {
  const merge = ownMember(tape, map, '<<');
  if (merge === none) return [];
  const target = follow(tape, merge);
  if (target === none) return [];
  return isSeq(tape, target) ? [...items(tape, target)] : [target];
}

interface Search {
  readonly map: number;
  readonly key: string;
  readonly depth: number;
  /** Merged mappings that were searched in vain: each is looked into once, however many merges name it. */
  readonly searched: Set<number> | undefined;
}

/** One pass over the keys: most mappings have no `<<`, and most questions are about keys that are not there. */
function memberWithin(tape: Tape, { map, key, depth, searched }: Search): number {
  const last = nextOf(tape, map);
  let merges = false;
  for (let node = map + 1; node < last; ) {
    const value = nextOf(tape, node);
    if (keyEquals(tape, node, key)) return follow(tape, value);
    merges ||= isMergeKey(tape, node);
    node = nextOf(tape, value);
  }
  if (!merges || depth > deepestMerge) return none;
  const known = searched ?? new Set<number>();
  for (const source of mergeSources(tape, map)) {
    const target = follow(tape, source);
    if (target === none || !isMap(tape, target) || known.has(target)) continue;
    known.add(target);
    const found = memberWithin(tape, { map: target, key, depth: depth + 1, searched: known });
    if (found !== none) return found;
  }
  return none;
}

/** The last node before the alias that has its anchor. */
function anchored(tape: Tape, alias: number): number {
  tape.anchors ??= anchorsOf(tape);
  const nodes = tape.anchors.get(anchorName(tape.source, startOf(tape, alias))) ?? [];
  let [from, to] = [0, nodes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((nodes[middle] ?? alias) < alias) from = middle + 1;
    else to = middle;
  }
  return nodes[from - 1] ?? none;
}

function anchorsOf(tape: Tape): ReadonlyMap<Bytes, readonly number[]> {
  const anchors = new Map<Bytes, number[]>();
  for (let node = 0; node < tape.count; node++) {
    const anchor = anchorOf(tape, node);
    if (anchor === -1) continue;
    const name = anchorName(tape.source, anchor);
    const nodes = anchors.get(name);
    if (nodes === undefined) anchors.set(name, [node]);
    else nodes.push(node);
  }
  return anchors;
}

/** The name after `&` or `*`. */
function anchorName({ bytes, slice }: ByteText, at: number): Bytes {
  let end = at + 1;
  while (end < bytes.length && endsName[bytes[end]!] === 0) end++;
  return slice(at + 1, end);
}
