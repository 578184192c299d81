// The outline of one document as a tape: the nodes in the order of the text, six integers each, no objects. Both outliners
// write the same tape, so that they can be compared number by number, and a proof is a walk over two arrays of integers.
// Owns the layout and the reading of it; knows nothing of YAML's grammar.
import type { Bytes, ByteText } from './bytes.ts';

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
 * that is below it. Offsets are into `text`; `end` is exclusive; anchor and tag are the offset of `&` or `!`, or -1.
 */
export interface Tape {
  text: Bytes;
  bytes: Uint8Array;
  words: Int32Array;
  count: number;
  /** Nodes by the name of their anchor, in the order of the text; made when the first alias is followed. */
  anchors: ReadonlyMap<Bytes, readonly number[]> | undefined;
}

/** An empty tape; it grows as needed and is meant to be used again for the next document. */
export function newTape(): Tape {
  return { text: '', bytes: new Uint8Array(0), words: new Int32Array(stride * 1024), count: 0, anchors: undefined };
}

/** Makes the tape ready for a document of `source`. */
export function resetTape(tape: Tape, source: ByteText): void {
  tape.text = source.text;
  tape.bytes = source.bytes;
  tape.count = 0;
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

/** Ends a collection: all nodes since are its own, and its text ends at `end`. */
export function closeNode(tape: Tape, node: number, end: number): void {
  tape.words[node * stride + 2] = end;
  tape.words[node * stride + 3] = tape.count;
}

/** Gives a node its anchor and tag: offsets, or -1. */
export function setProperties(tape: Tape, node: number, anchor: number, tag: number): void {
  tape.words[node * stride + 4] = anchor;
  tape.words[node * stride + 5] = tag;
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

function grow(tape: Tape): void {
  const words = new Int32Array(tape.words.length * 2);
  words.set(tape.words);
  tape.words = words;
}
