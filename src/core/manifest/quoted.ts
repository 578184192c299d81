// Quoted scalars of the fast outliner: where they end. Lines after the first must be indented deeper than their parent.
import type { Bytes } from './bytes.ts';

const escapes = new Uint8Array(256);
for (const character of '0abtnvfre "/\\N_LP\t') escapes[character.charCodeAt(0)] = 1;

/** The offset after the closing quote of the single-quoted text that starts at `open`, or -1. */
export function skipSingle(text: Bytes, open: number, end: number, column: number): number {
  let from = open + 1;
  for (;;) {
    const quote = text.indexOf("'", from);
    if (quote === -1 || quote >= end) return -1;
    if (text.charCodeAt(quote + 1) !== 39) return linesAreDeep(text, open, quote, column) ? quote + 1 : -1;
    from = quote + 2;
  }
}

/** The offset after the closing quote of the double-quoted text that starts at `open`, or -1. */
export function skipDouble(text: Bytes, open: number, end: number, column: number): number {
  for (let at = open + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 34) return linesAreDeep(text, open, at, column) ? at + 1 : -1;
    if (code === 92) {
      if (escapes[text.charCodeAt(at + 1)] !== 1) return -1;
      at++;
    }
  }
  return -1;
}

function linesAreDeep(text: Bytes, open: number, close: number, column: number): boolean {
  for (let at = text.indexOf('\n', open); at !== -1 && at < close; at = text.indexOf('\n', at + 1)) {
    let first = at + 1;
    while (text.charCodeAt(first) === 32) first++;
    const code = text.charCodeAt(first);
    if (code !== 10 && code !== 13 && first - at - 1 <= column) return false;
    if (code === 9) return false;
  }
  return true;
}
