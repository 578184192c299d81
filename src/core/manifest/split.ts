// Where the documents of a stream are: by the markers `---` and `...` at the start of a line, which end every scalar
// (YAML 1.2.2, c-forbidden). Owns the markers, byte order marks and the refusal of a marker that is glued to text, which YAML would read as
// a key `---apiVersion` and kubectl refuses. Does not look into a document.
import type { Problem } from '../std/errors.ts';
import { type Bytes, lineAt } from './bytes.ts';

/** A stretch of the stream between two markers; it may hold nothing but blanks and comments. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
}

const bom = '\u00ef\u00bb\u00bf';
const newline = 10;
const dash = 45;

/** Finds where documents end, from front to back: each search goes on where the last one stopped. */
export interface Splitter {
  /** The offset of the marker that ends the document which starts at `start`, or the text's end; markers before `from` are its own. */
  readonly endOf: (start: number, from: number) => number;
  /** One for each glued marker that was passed. */
  readonly problems: readonly Problem[];
}

export function newSplitter(text: Bytes): Splitter {
  const problems: Problem[] = [];
  const markers = markersOf(text);
  return {
    problems,
    endOf(start, from) {
      for (let at = markers.next(from); at !== -1; at = markers.next(at + 3)) {
        if (!endsMarker(text.charCodeAt(at + 3))) {
          if (text.charCodeAt(at) === dash) problems.push(glued(text, at));
        } else if (!opensWithDirective(text, start, at)) return at;
      }
      return text.length;
    },
  };
}

/** Where the content of a stream begins. */
export function firstContent(text: Bytes): number {
  return skipBom(text, 0);
}

/** Where the content after a marker begins: behind its line, or at the marker itself when it shares the line with content. */
export function contentAfter(text: Bytes, marker: number): number {
  const lineEnd = text.indexOf('\n', marker);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const rest = text.slice(marker + 3, end).trim();
  if (rest !== '' && !rest.startsWith('#') && text.charCodeAt(marker) === dash) return marker;
  return skipBom(text, lineEnd === -1 ? text.length : lineEnd + 1);
}

/** The chunks of a stream, in order, and a problem for each glued marker. */
export function splitStream(text: Bytes): { readonly chunks: readonly Chunk[]; readonly problems: readonly Problem[] } {
  const { endOf, problems } = newSplitter(text);
  const chunks: Chunk[] = [];
  let start = firstContent(text);
  for (let from = start; start < text.length; ) {
    const end = endOf(start, from);
    if (end > start) chunks.push({ start, end });
    start = end === text.length ? end : contentAfter(text, end);
    from = start === end ? end + 3 : start;
  }
  return { chunks, problems };
}

/** Finds the lines that start with `---` or `...`, one after the other. Dots are searched without the line end: they are rarer. */
function markersOf(text: Bytes): { readonly next: (from: number) => number } {
  let dashes = -2;
  let dots = -2;
  const nextDots = (from: number): number => {
    let at = text.indexOf('...', from);
    while (at > 0 && text.charCodeAt(at - 1) !== newline) at = text.indexOf('...', at + 1);
    return at;
  };
  return {
    next(from) {
      if ((from === 0 || isBomBefore(text, from)) && isMarker(text, from)) return from;
      if (dashes !== -1 && dashes < from) dashes = after(text.indexOf('\n---', Math.max(from - 1, 0)));
      if (dots !== -1 && dots < from) dots = nextDots(from);
      if (dashes === -1) return dots;
      return dots === -1 ? dashes : Math.min(dashes, dots);
    },
  };
}

function after(lineEnd: number): number {
  return lineEnd === -1 ? -1 : lineEnd + 1;
}

function isMarker(text: Bytes, at: number): boolean {
  return text.startsWith('---', at) || text.startsWith('...', at);
}

function isBomBefore(text: Bytes, at: number): boolean {
  return at >= 3 && text.startsWith(bom, at - 3);
}

function endsMarker(code: number): boolean {
  return Number.isNaN(code) || code === newline || code === 13 || code === 32 || code === 9;
}

/** `%YAML` and `%TAG` lines belong to the document after the next `---`. */
function opensWithDirective(text: Bytes, start: number, marker: number): boolean {
  if (text.charCodeAt(marker) !== dash) return false;
  for (let at = start; at < marker; at = text.indexOf('\n', at) + 1) {
    const code = text.charCodeAt(at);
    if (code === 37) return true;
    if (code !== 35 && code !== newline && code !== 13) return false;
  }
  return false;
}

function skipBom(text: Bytes, at: number): number {
  return text.startsWith(bom, at) ? at + 3 : at;
}

function glued(text: Bytes, at: number): Problem {
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
