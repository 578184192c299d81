// Edits made: as pieces of text for whoever writes, as bytes for whoever proves. Nothing is copied that need not be.
import type { Whole } from './again.ts';
import type { Bytes, ByteText } from './bytes.ts';
import type { Edit } from './edit.ts';
import type { Chunk } from './split.ts';

const newline = 10;

/** The text, or a part of it, with its edits made, as pieces: nothing is copied that need not be. */
export function applyEdits(text: Bytes, edits: readonly Edit[], part?: Chunk): readonly Bytes[] {
  const pieces: Bytes[] = [];
  let from = part?.start ?? 0;
  for (const edit of edits) {
    if (edit.at > from) pieces.push(text.slice(from, edit.at));
    if (edit.insert !== '') pieces.push(edit.insert);
    from = edit.at + edit.remove;
  }
  pieces.push(text.slice(from, part?.end));
  return pieces;
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
  let text: Bytes | undefined;
  return {
    bytes: scratch.bytes,
    length,
    get text() {
      text ??= applyEdits(source.text, edits, part).join('');
      return text;
    },
    slice(first, last) {
      return sliceEdited(source.text, edits, first + start, last + start) ?? this.text.slice(first, last);
    },
  };
}

/** Copies the part with its edits made; how many bytes it has then. */
function fill(bytes: Uint8Array, edits: readonly Edit[], { start, end }: Chunk, scratch: Scratch): number {
  let length = end - start;
  for (const { insert, remove } of edits) length += insert.length - remove;
  if (scratch.bytes.length <= length) scratch.bytes = new Uint8Array(2 * length + 1);
  const into = scratch.bytes;
  let [from, to] = [start, 0];
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
function sliceEdited(text: Bytes, edits: readonly Edit[], first: number, last: number): Bytes | undefined {
  let gained = 0;
  for (const { at, insert, remove } of edits) {
    const begin = at + gained;
    if (last <= begin) break;
    if (first < begin) return undefined;
    if (last <= begin + insert.length) return insert.slice(first - begin, last - begin);
    if (first < begin + insert.length) return undefined;
    gained += insert.length - remove;
  }
  return text.slice(first - gained, last - gained);
}
