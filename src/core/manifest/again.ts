// The outline of a document whose edits are known: only the lines around them are read again. What stands before is copied, because the
// fast outliner reads from front to back and looks no further than the first word of the next entry; what follows is copied too, if
// the outliner comes to a key with the same collections open as before, because that and the bytes ahead are all that it goes by.
// Law (tested): the tape is the one that the fast outliner writes for the whole text. Answers false where it cannot tell.
import { type ByteText, columnAt, lineStart } from './bytes.ts';
import type { Edit } from './edit.ts';
import { type KeyLine, type Opened, outlineBetween } from './fast.ts';
import { closeNode, copyNodes, endOf, kindOf, kinds, nextOf, resetTape, startOf, type Tape } from './tape.ts';

/** A document that the fast path outlined, as it was. */
export interface Outlined {
  readonly tape: Tape;
  readonly start: number;
  readonly end: number;
}

/** The document with the edits made; its bytes may stand in a longer buffer. */
export interface Whole extends ByteText {
  readonly length: number;
}

/** What was not read again: the nodes before `until`, and those from `from` on, which are `lead` nodes further back than they were. */
export interface Copied {
  readonly until: number;
  readonly from: number;
  readonly lead: number;
}

/** A key with what is open around it. */
interface KeyPlace {
  readonly key: number;
  readonly open: readonly Opened[];
}

/** Outlines `text`, which is the document with the edits (sorted, at least one) made, on the tape; undefined where it cannot. */
export function outlineAgain(tape: Tape, text: Whole, before: Outlined, edits: readonly Edit[]): Copied | undefined {
  const { start, end } = before;
  const bytes = before.tape.bytes;
  if (before.tape.decorated || kindOf(before.tape, 0) !== kinds.blockMap || (start > 0 && bytes[start - 1] !== 10))
    return undefined;
  const [first, last] = [edits[0], edits[edits.length - 1]];
  if (first === undefined || last === undefined) return undefined;
  const path = keysAround(before.tape, first.at);
  const from = path.findLast(({ key, open }) => key > (open[open.length - 1]?.node ?? key) + 1);
  if (from === undefined) return undefined;
  const to = keyAfter(before.tape, path.slice(0, path.indexOf(from) + 1), last.at + last.remove);
  resetTape(tape, text);
  copyNodes(tape, before.tape, { from: 0, to: from.key, shift: -start });
  const shift = text.length - end;
  const goal = to === undefined ? undefined : lineOf(before.tape, to, shift);
  if (!outlineBetween(tape, lineOf(before.tape, from, -start), goal, text.length)) return undefined;
  if (to === undefined) return { until: from.key, from: before.tape.count, lead: 0 };
  const lead = tape.count - to.key;
  copyRest(tape, before.tape, to, shift);
  return { until: from.key, from: to.key, lead };
}

/** The keys of block mappings, outermost first, whose entries hold the offset; the offset is behind each of them. */
function keysAround(tape: Tape, offset: number): readonly KeyPlace[] {
  const path: KeyPlace[] = [];
  const open: Opened[] = [];
  for (let node = 0; ; ) {
    open.push({ node, column: columnAt(tape.bytes, startOf(tape, node)) });
    const map = kindOf(tape, node) === kinds.blockMap;
    const child = lastChildBefore(tape, node, offset);
    if (child === node) return path;
    if (map) path.push({ key: child, open: [...open] });
    node = map ? nextOf(tape, child) : child;
    const kind = kindOf(tape, node);
    if ((kind !== kinds.blockMap && kind !== kinds.blockSeq) || startOf(tape, node) >= offset) return path;
  }
}

/** The last key of a mapping, or item of a sequence, that ends (an item: starts) before the offset; the collection itself if none does. */
function lastChildBefore(tape: Tape, node: number, offset: number): number {
  const map = kindOf(tape, node) === kinds.blockMap;
  let found = node;
  for (let child = node + 1; child < nextOf(tape, node); ) {
    if ((map ? endOf(tape, child) : startOf(tape, child)) >= offset) break;
    found = child;
    child = nextOf(tape, map ? nextOf(tape, child) : child);
  }
  return found;
}

/** The first key behind the offset, the innermost mapping of the path first, that stands alone on a line which starts behind it. */
function keyAfter(tape: Tape, path: readonly KeyPlace[], offset: number): KeyPlace | undefined {
  for (const { key, open } of path.toReversed()) {
    const map = open[open.length - 1]?.node ?? 0;
    let next = nextOf(tape, nextOf(tape, key));
    while (next < nextOf(tape, map) && lineStart(tape.bytes, startOf(tape, next)) < offset)
      next = nextOf(tape, nextOf(tape, next));
    if (next < nextOf(tape, map)) return { key: next, open };
  }
  return undefined;
}

/** The line of a key, with the offset moved. A key that is not its mapping's first stands first on its line. */
function lineOf(tape: Tape, { key, open }: KeyPlace, shift: number): KeyLine {
  return { line: lineStart(tape.bytes, startOf(tape, key)) + shift, open };
}

function copyRest(tape: Tape, before: Tape, { key, open }: KeyPlace, shift: number): void {
  const moved = tape.count - key;
  copyNodes(tape, before, { from: key, to: before.count, shift });
  for (const { node } of open) closeNode(tape, node, endOf(before, node) + shift, nextOf(before, node) + moved);
}
