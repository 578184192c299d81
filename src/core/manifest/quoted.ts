// Quoted scalars of the fast outliner: where they end. Lines after the first must be indented deeper than their parent.
import type { ByteText } from './bytes.ts';

const escapes = new Uint8Array(256);
for (const character of '0abtnvfre "/\\N_LP\t') escapes[character.charCodeAt(0)] = 1;

/** The offset after the closing quote of the single-quoted text that starts at `open`, or -1. */
export function skipSingle({ bytes }: ByteText, open: number, end: number, column: number): number {
  for (let at = open + 1; at < end; at++) {
    if (bytes[at] !== 39) continue;
    if (bytes[at + 1] !== 39) return linesAreDeep(bytes, { open, close: at, column }) ? at + 1 : -1;
    at++;
  }
  return -1;
}

/** The offset after the closing quote of the double-quoted text that starts at `open`, or -1. */
export function skipDouble({ bytes }: ByteText, open: number, end: number, column: number): number {
  for (let at = open + 1; at < end; at++) {
    const code = bytes[at]!;
    if (code === 34) return linesAreDeep(bytes, { open, close: at, column }) ? at + 1 : -1;
    if (code === 92) {
      if (escapes[bytes[at + 1]!] !== 1) return -1;
      at++;
    }
  }
  return -1;
}

interface Quoted {
  readonly open: number;
  readonly close: number;
  readonly column: number;
}

function linesAreDeep(bytes: Uint8Array, { open, close, column }: Quoted): boolean {
  for (let at = open; at < close; at++) {
    if (bytes[at] !== 10) continue;
    let first = at + 1;
    while (bytes[first] === 32) first++;
    const code = bytes[first]!;
    if (code === 9 || (code !== 10 && code !== 13 && first - at - 1 <= column)) return false;
  }
  return true;
}
