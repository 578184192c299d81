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
    const del = word ^ 0x7f7f7f7f;
    // A byte below 0x20, or one that is 0x7f, sets its high bit in one of the terms; line ends do so too.
    const low = ((word - 0x20202020) | 0) & ~word;
    if (((low | (((del - 0x01010101) | 0) & ~del)) & highBits) === 0) continue;
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
