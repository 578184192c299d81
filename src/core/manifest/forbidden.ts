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
    const word = words[i]!;
    const seven = word & 0x7f7f7f7f;
    // The high bit of a byte is set where it is below 0x20, and where it is 0x7f. Exact: nothing carries from one byte into the next.
    const low = ~((seven + 0x60606060) | 0 | word) & highBits;
    const del = ((seven + 0x01010101) | 0) & ~word & highBits;
    if ((low | del) === 0) continue;
    const line = word ^ 0x0a0a0a0a;
    const newlines = ~(((line & 0x7f7f7f7f) + 0x7f7f7f7f) | 0 | line) & highBits;
    if (((low & ~newlines) | del) === 0) continue;
    const at = findIn(bytes, lead + 4 * i, lead + 4 * i + 4);
    if (at !== -1) return at;
  }
  return findIn(bytes, lead + 4 * words.length, bytes.length);
}

function findIn(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = bytes[at]!;
    if (code === 0x7f || (code < 0x20 && code !== 9 && code !== 10 && code !== 13)) return at;
  }
  return -1;
}
