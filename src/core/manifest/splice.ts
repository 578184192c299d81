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

/** Room for one edited document of a stream after the other. */
export interface Splicer extends Whole {
  bytes: Uint8Array;
  length: number;
  part: Chunk;
  edits: readonly Edit[];
  /** The text, once somebody has asked for it. */
  made: Bytes | undefined;
}

/** Made once for a stream: an object with a getter is dear to make. */
export function newSplicer(source: ByteText): Splicer {
  const splicer: Splicer = {
    bytes: new Uint8Array(1 << 16),
    length: 0,
    part: { start: 0, end: 0 },
    edits: [],
    made: undefined,
    get text() {
      return (splicer.made ??= editedText(source, splicer.edits, splicer.part));
    },
    slice(first, last) {
      const { edits, part } = splicer;
      return sliceEdited(source, edits, first + part.start, last + part.start) ?? splicer.text.slice(first, last);
    },
    indexOf: (wanted, from) => splicer.text.indexOf(wanted, from),
  };
  return splicer;
}

/**
 * One document with its edits made, until the next one is. A line end stands behind its bytes, so that nothing of the document before is
 * read. The text is made when somebody asks for it.
 */
export function splice(source: ByteText, edits: readonly Edit[], part: Chunk, into: Splicer): Whole {
  into.length = fill(source.bytes, edits, part, into);
  into.part = part;
  into.edits = edits;
  into.made = undefined;
  return into;
}

/** Copies the part with its edits made; how many bytes it has then. */
function fill(bytes: Uint8Array, edits: readonly Edit[], { start, end }: Chunk, splicer: Splicer): number {
  let length = end - start;
  for (const { insert, remove } of edits) length += insert.length - remove;
  if (splicer.bytes.length <= length) splicer.bytes = new Uint8Array(2 * length + 1);
  const into = splicer.bytes;
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
