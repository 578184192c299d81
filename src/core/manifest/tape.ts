// The outline of one document as a tape: the nodes in the order of the text, six integers each, no objects. Both outliners
// write the same tape, so that they can be compared number by number, and a proof is a walk over two arrays of integers.
// Owns the layout and the reading of it; knows nothing of YAML's grammar.
import { type Bytes, type ByteText, byteText, sliceKept } from './bytes.ts';

/** What a node is. Block and flow are kept apart because an edit is written in the style that it finds. */
export const kinds = {
  blockMap: 1,
  flowMap: 2,
  blockSeq: 3,
  flowSeq: 4,
  plain: 5,
  single: 6,
  double: 7,
  literal: 8,
  folded: 9,
  alias: 10,
  /** A value that is not there: `key:` and nothing after it. */
  empty: 11,
} as const;

const stride = 6;

/**
 * Nodes are numbered from 0. A mapping is followed by its keys and values in turn, a sequence by its items, each with all
 * that is below it. Offsets are into the source; `end` is exclusive; anchor and tag are the offset of `&` or `!`, or -1.
 */
export interface Tape {
  source: ByteText;
  bytes: Uint8Array;
  words: Int32Array;
  count: number;
  /** Whether a node has an anchor or a tag. */
  decorated: boolean;
  /** Nodes by the name of their anchor, in the order of the text; made when the first alias is followed. */
  anchors: ReadonlyMap<Bytes, readonly number[]> | undefined;
}

/** An empty tape; it grows as needed and is meant to be used again for the next document. */
export function newTape(): Tape {
  return {
    source: byteText(''),
    bytes: new Uint8Array(0),
    words: new Int32Array(stride * 1024),
    count: 0,
    decorated: false,
    anchors: undefined,
  };
}

/** Makes the tape ready for a document of `source`. */
export function resetTape(tape: Tape, source: ByteText): void {
  tape.source = source;
  tape.bytes = source.bytes;
  tape.count = 0;
  tape.decorated = false;
  tape.anchors = undefined;
}

/** Appends a node without properties and without children; answers its number. */
export function pushNode(tape: Tape, kind: number, start: number, end: number): number {
  const node = tape.count++;
  const at = node * stride;
  if (at + stride > tape.words.length) grow(tape);
  const words = tape.words;
  words[at] = kind;
  words[at + 1] = start;
  words[at + 2] = end;
  words[at + 3] = node + 1;
  words[at + 4] = -1;
  words[at + 5] = -1;
  return node;
}

/** Ends a collection: all nodes since (or those before `next`) are its own, and its text ends at `end`. */
export function closeNode(tape: Tape, node: number, end: number, next = tape.count): void {
  tape.words[node * stride + 2] = end;
  tape.words[node * stride + 3] = next;
}

/** Gives a node its anchor and tag: offsets, or -1. */
export function setProperties(tape: Tape, node: number, anchor: number, tag: number): void {
  tape.words[node * stride + 4] = anchor;
  tape.words[node * stride + 5] = tag;
  if (anchor !== -1 || tag !== -1) tape.decorated = true;
}

/** A part of the text. */
export function sliceOf({ source }: Tape, start: number, end: number): Bytes {
  return sliceKept(source, start, end);
}

export function kindOf(tape: Tape, node: number): number {
  return tape.words[node * stride]!;
}

export function startOf(tape: Tape, node: number): number {
  return tape.words[node * stride + 1]!;
}

export function endOf(tape: Tape, node: number): number {
  return tape.words[node * stride + 2]!;
}

/** Number of the node after this one and all that is below it. */
export function nextOf(tape: Tape, node: number): number {
  return tape.words[node * stride + 3]!;
}

export function anchorOf(tape: Tape, node: number): number {
  return tape.words[node * stride + 4]!;
}

export function tagOf(tape: Tape, node: number): number {
  return tape.words[node * stride + 5]!;
}

export function isMap(tape: Tape, node: number): boolean {
  return kindOf(tape, node) <= kinds.flowMap;
}

export function isSeq(tape: Tape, node: number): boolean {
  const kind = kindOf(tape, node);
  return kind === kinds.blockSeq || kind === kinds.flowSeq;
}

/** Whether two tapes tell the same outline of the same text. */
export function sameTape(a: Tape, b: Tape): boolean {
  if (a.count !== b.count) return false;
  const length = a.count * stride;
  for (let i = 0; i < length; i++) if (a.words[i] !== b.words[i]) return false;
  return true;
}

/** Appends the nodes [from, to) of another tape, their offsets moved by `shift`. Only of tapes without anchors and tags. */
export function copyNodes(tape: Tape, source: Tape, { from, to, shift }: Stretch): void {
  const lead = tape.count - from;
  tape.count += to - from;
  while (tape.count * stride > tape.words.length) grow(tape);
  const { words } = tape;
  words.set(source.words.subarray(from * stride, to * stride), (from + lead) * stride);
  const end = tape.count * stride;
  for (let at = (from + lead) * stride; at < end; at += stride) {
    words[at + 1]! += shift;
    words[at + 2]! += shift;
    words[at + 3]! += lead;
  }
}

/** Nodes [from, to), and how far their offsets are moved. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly shift: number;
}

/** Whether the nodes [from, to) of `a` are those of `b` from `at` on, moved by `shift`. */
export function sameNodes(a: Tape, { from, to, shift }: Stretch, b: Tape, at: number): boolean {
  const old = a.words;
  const now = b.words;
  const end = to * stride;
  const lead = at - from;
  for (let i = from * stride, k = at * stride; i < end; i += stride, k += stride) {
    if (
      old[i] !== now[k] ||
      old[i + 1]! + shift !== now[k + 1] ||
      old[i + 2]! + shift !== now[k + 2] ||
      old[i + 3]! + lead !== now[k + 3] ||
      moved(old[i + 4]!, shift) !== now[k + 4] ||
      moved(old[i + 5]!, shift) !== now[k + 5]
    )
      return false;
  }
  return true;
}

function moved(offset: number, shift: number): number {
  return offset === -1 ? -1 : offset + shift;
}

function grow(tape: Tape): void {
  const words = new Int32Array(tape.words.length * 2);
  words.set(tape.words);
  tape.words = words;
}
