// Quoted scalars of the fast outliner: where they end. Lines after the first must be indented deeper than their parent; the first that is
// not ends the search, so that an open quote never costs more than its own document.

import { isForbidden } from './forbidden.ts';

const escapes = new Uint8Array(256);
for (const character of '0abtnvfre "/\\N_LP\t') escapes[character.charCodeAt(0)] = 1;

/** What text between quotes is looked at more closely for. */
const notable = new Uint8Array(256);
for (const code of [34, 39, 92, 10, 13]) notable[code] = 1;
for (let code = 0; code < 128; code++) if (isForbidden(code)) notable[code] = 1;

/** The offset after the closing quote of the single-quoted text that starts at `open`, or -1. */
export function skipSingle(bytes: Uint8Array, open: number, end: number, column: number): number {
  for (let at = open + 1; at < end; at++) {
    const code = bytes[at]!;
    if (notable[code] === 0) continue;
    if (code === 39) {
      if (bytes[at + 1] !== 39) return at + 1;
      at++;
    } else if (code === 10) {
      at = beforeText(bytes, at, column);
      if (at === -1) return -1;
    } else if (code !== 34 && code !== 92 && !isLineEnd(bytes, at)) return -1;
  }
  return -1;
}

/** The offset after the closing quote of the double-quoted text that starts at `open`, or -1. */
export function skipDouble(bytes: Uint8Array, open: number, end: number, column: number): number {
  for (let at = open + 1; at < end; at++) {
    const code = bytes[at]!;
    if (notable[code] === 0) continue;
    if (code === 34) return at + 1;
    if (code === 92) {
      if (escapes[bytes[at + 1]!] !== 1) return -1;
      at++;
    } else if (code === 10) {
      at = beforeText(bytes, at, column);
      if (at === -1) return -1;
    } else if (code !== 39 && !isLineEnd(bytes, at)) return -1;
  }
  return -1;
}

/** A carriage return alone would end a line too. */
function isLineEnd(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 13 && bytes[at + 1] === 10;
}

/** The offset before the first character of the next line, or -1 where that does not stand deep enough. */
function beforeText(bytes: Uint8Array, lineEnd: number, column: number): number {
  let first = lineEnd + 1;
  while (bytes[first] === 32) first++;
  const code = bytes[first];
  if (code === 9 || (code !== 10 && code !== 13 && first - lineEnd - 1 <= column)) return -1;
  return first - 1;
}
