// Edits made: as pieces for whoever writes, as text for whoever reads, as bytes for whoever proves. Nothing is copied that need not be.
import type { Whole } from './again.ts';
import type { Bytes, ByteText } from './bytes.ts';
import type { Edit } from './edit.ts';
import type { Chunk } from './split.ts';

const newline = 10;

/** What stays of a text, as a view of it, or what comes new. */
export type Piece = Uint8Array | Bytes;

/** The bytes with their edits made, as pieces: nothing is copied. */
export function applyEdits(bytes: Uint8Array, edits: readonly Edit[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { at, remove, insert } of edits) {
    if (at > from) pieces.push(bytes.subarray(from, at));
    if (insert !== '') pieces.push(insert);
    from = at + remove;
  }
  pieces.push(bytes.subarray(from));
  return pieces;
}

/** The text, or a part of it, with its edits made. */
export function editedText(source: ByteText, edits: readonly Edit[], part?: Chunk): Bytes {
  let text = '';
  let from = part?.start ?? 0;
  for (const { at, remove, insert } of edits) {
    text += source.slice(from, at) + insert;
    from = at + remove;
  }
  return text + source.slice(from, part?.end ?? source.bytes.length);
}

/** Room for one edited document after the other. */
export interface Scratch {
  bytes: Uint8Array;
}

export function newScratch(): Scratch {
  return { bytes: new Uint8Array(1 << 16) };
}

/**
 * One document with its edits made. The bytes are scratch, used again for the next document; a line end stands behind them, so that nothing
 * of the last document is read. The text is made when somebody asks for it.
 */
export function splice(source: ByteText, edits: readonly Edit[], part: Chunk, scratch: Scratch): Whole {
  const length = fill(source.bytes, edits, part, scratch);
  const { start } = part;
  let made: Bytes | undefined;
  const text = (): Bytes => (made ??= editedText(source, edits, part));
  return {
    bytes: scratch.bytes,
    length,
    get text() {
      return text();
    },
    slice: (first, last) => sliceEdited(source, edits, first + start, last + start) ?? text().slice(first, last),
    indexOf: (wanted, from) => text().indexOf(wanted, from),
  };
}

/** Copies the part with its edits made; how many bytes it has then. */
function fill(bytes: Uint8Array, edits: readonly Edit[], { start, end }: Chunk, scratch: Scratch): number {
  let length = end - start;
  for (const { insert, remove } of edits) length += insert.length - remove;
  if (scratch.bytes.length <= length) scratch.bytes = new Uint8Array(2 * length + 1);
  const into = scratch.bytes;
  let from = start;
  let to = 0;
  for (const { at, remove, insert } of edits) {
    into.set(bytes.subarray(from, at), to);
    to += at - from;
    for (let i = 0; i < insert.length; i++) into[to++] = insert.charCodeAt(i);
    from = at + remove;
  }
  into.set(bytes.subarray(from, end), to);
  into[length] = newline;
  return length;
}

/** Part of the edited text if it lies in what one edit inserts or between two; offsets count what was inserted before them. */
function sliceEdited(source: ByteText, edits: readonly Edit[], first: number, last: number): Bytes | undefined {
  let gained = 0;
  for (const { at, insert, remove } of edits) {
    const begin = at + gained;
    if (last <= begin) break;
    if (first < begin) return undefined;
    if (last <= begin + insert.length) return insert.slice(first - begin, last - begin);
    if (first < begin + insert.length) return undefined;
    gained += insert.length - remove;
  }
  return source.slice(first - gained, last - gained);
}
