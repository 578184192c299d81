// Where the documents of a stream are: by the markers `---` and `...` at the start of a line, which end every scalar
// (YAML 1.2.2, c-forbidden). Owns the markers, byte order marks and the refusal of a marker that is glued to text, which YAML would read as
// a key `---apiVersion` and kubectl refuses. Does not look into a document.
import type { Problem } from '../std/errors.ts';
import { type ByteText, lineAt, standsAt } from './bytes.ts';

/** A stretch of the stream between two markers; it may hold nothing but blanks and comments. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
}

const bom = '\u00ef\u00bb\u00bf';
const [newline, space, hash, dash] = [10, 32, 35, 45];

/** Finds where documents end, from front to back: each search goes on where the last one stopped. */
export interface Splitter {
  /** The offset of the marker that ends the document which starts at `start`, or the text's end; markers before `from` are its own. */
  readonly endOf: (start: number, from: number) => number;
  /** One for each glued marker that was passed. */
  readonly problems: readonly Problem[];
}

export function newSplitter(source: ByteText): Splitter {
  const { bytes } = source;
  const problems: Problem[] = [];
  const markers = markersOf(source);
  return {
    problems,
    endOf(start, from) {
      for (let at = markers.next(from); at !== -1; at = markers.next(at + 3)) {
        if (!endsMarker(bytes[at + 3])) {
          if (bytes[at] === dash) problems.push(glued(source, at));
        } else if (!opensWithDirective(source, start, at)) return at;
      }
      return bytes.length;
    },
  };
}

/** Where the content of a stream begins. */
export function firstContent({ bytes }: ByteText): number {
  return skipBom(bytes, 0);
}

/** Where the content after a marker begins: behind its line, or at the marker itself when it shares the line with content. */
export function contentAfter({ bytes }: ByteText, marker: number): number {
  let at = marker + 3;
  while (at < bytes.length && bytes[at] !== newline && bytes[at]! <= space) at++;
  const shares = at < bytes.length && bytes[at] !== newline && bytes[at] !== hash;
  if (shares && bytes[marker] === dash) return marker;
  while (at < bytes.length && bytes[at] !== newline) at++;
  return skipBom(bytes, Math.min(at + 1, bytes.length));
}

/** The chunks of a stream, in order, and a problem for each glued marker. */
export function splitStream(source: ByteText): {
  readonly chunks: readonly Chunk[];
  readonly problems: readonly Problem[];
} {
  const { length } = source.bytes;
  const { endOf, problems } = newSplitter(source);
  const chunks: Chunk[] = [];
  let start = firstContent(source);
  for (let from = start; start < length; ) {
    const end = endOf(start, from);
    if (end > start) chunks.push({ start, end });
    start = end === length ? end : contentAfter(source, end);
    from = start === end ? end + 3 : start;
  }
  return { chunks, problems };
}

/** Finds the lines that start with `---` or `...`, one after the other. Dots are searched without the line end: they are rarer. */
function markersOf({ bytes, indexOf }: ByteText): { readonly next: (from: number) => number } {
  let dashes = -2;
  let dots = -2;
  const nextDots = (from: number): number => {
    let at = indexOf('...', from);
    while (at > 0 && bytes[at - 1] !== newline) at = indexOf('...', at + 1);
    return at;
  };
  return {
    next(from) {
      if ((from === 0 || isBomBefore(bytes, from)) && isMarker(bytes, from)) return from;
      if (dashes !== -1 && dashes < from) dashes = after(indexOf('\n---', Math.max(from - 1, 0)));
      if (dots !== -1 && dots < from) dots = nextDots(from);
      if (dashes === -1) return dots;
      return dots === -1 ? dashes : Math.min(dashes, dots);
    },
  };
}

function after(lineEnd: number): number {
  return lineEnd === -1 ? -1 : lineEnd + 1;
}

function isMarker(bytes: Uint8Array, at: number): boolean {
  return standsAt(bytes, at, '---') || standsAt(bytes, at, '...');
}

function isBomBefore(bytes: Uint8Array, at: number): boolean {
  return at >= 3 && standsAt(bytes, at - 3, bom);
}

function endsMarker(code: number | undefined): boolean {
  return code === undefined || code === newline || code === 13 || code === space || code === 9;
}

/** `%YAML` and `%TAG` lines belong to the document after the next `---`. */
function opensWithDirective({ bytes, indexOf }: ByteText, start: number, marker: number): boolean {
  if (bytes[marker] !== dash) return false;
  for (let at = start; at < marker; at = indexOf('\n', at) + 1) {
    const code = bytes[at];
    if (code === 37) return true;
    if (code !== hash && code !== newline && code !== 13) return false;
  }
  return false;
}

function skipBom(bytes: Uint8Array, at: number): number {
  return standsAt(bytes, at, bom) ? at + 3 : at;
}

function glued({ text }: ByteText, at: number): Problem {
  const lineEnd = text.indexOf('\n', at);
  const line = text.slice(at, lineEnd === -1 ? text.length : lineEnd);
  return {
    code: 'glued-separator',
    severity: 'error',
    line: lineAt(text, at),
    column: 1,
    message: `the document separator is glued to text: "${line.length > 40 ? `${line.slice(0, 40)}…` : line.trimEnd()}"`,
    hint: 'put "---" on a line of its own',
  };
}
