// Characters that no YAML may hold (1.2 §5.1, the part that is one byte): controls but tab and line ends, and DEL. Looked for four bytes at a
// time, because every byte of a stream comes by here.

const highBits = 0x80808080 | 0;

/** Offset of the first forbidden byte, or -1. */
export function findForbidden(bytes: Uint8Array): number {
  const lead = Math.min(bytes.length, (4 - (bytes.byteOffset & 3)) & 3);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + lead, (bytes.length - lead) >> 2);
  const found = findIn(bytes, 0, lead);
  if (found !== -1) return found;
  for (let i = 0; i < words.length; i++) {
    if (suspects(words[i]!) === 0) continue;
    const at = findIn(bytes, lead + 4 * i, lead + 4 * i + 4);
    if (at !== -1) return at;
  }
  return findIn(bytes, lead + 4 * words.length, bytes.length);
}

/**
 * The high bits of the bytes of a word that are below 0x20 but no newline, or 0x7f. Exact: nothing carries from one byte into the next. Without a
 * branch, because every few words hold a newline, and no processor guesses which.
 */
function suspects(word: number): number {
  const low = ~(((word & 0x7f7f7f7f) + 0x60606060) | word);
  const del = (((word & 0x7f7f7f7f) + 0x01010101) | 0) & ~word;
  const line = word ^ 0x0a0a0a0a;
  const newline = ~(((line & 0x7f7f7f7f) + 0x7f7f7f7f) | line);
  return ((low & ~newline) | del) & highBits;
}

function findIn(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = bytes[at]!;
    if (code === 0x7f || (code < 0x20 && code !== 9 && code !== 10 && code !== 13)) return at;
  }
  return -1;
}
