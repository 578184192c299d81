// One look at every byte of a stream, four at a time: whether there are characters that no YAML may hold (1.2, c-printable, the part that is one
// byte: controls but tab and line ends, and DEL), and whether all is ASCII.

const highBits = 0x80808080 | 0;
/** Words that are looked at without a branch in between. */
const blockOfWords = 1 << 12;

export interface ByteFacts {
  /** Offset of the first forbidden byte, or -1. */
  readonly forbidden: number;
  readonly ascii: boolean;
}

export function inspectBytes(bytes: Uint8Array): ByteFacts {
  const lead = Math.min(bytes.length, (4 - (bytes.byteOffset & 3)) & 3);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + lead, (bytes.length - lead) >> 2);
  const tail = lead + 4 * words.length;
  let forbidden = findIn(bytes, 0, lead);
  let ascii = isAsciiIn(bytes, 0, lead) && isAsciiIn(bytes, tail, bytes.length);
  for (let from = 0; from < words.length && forbidden === -1; from += blockOfWords) {
    const to = Math.min(from + blockOfWords, words.length);
    const found = suspectsIn(words, from, to);
    ascii &&= (found & highSeen) === 0;
    if ((found & highBits) !== 0) forbidden = findIn(bytes, lead + 4 * from, lead + 4 * to);
  }
  return { forbidden: forbidden === -1 ? findIn(bytes, tail, bytes.length) : forbidden, ascii };
}

const highSeen = 1;

/** High bits where a byte is suspect, and `highSeen` where one is no ASCII. */
function suspectsIn(words: Int32Array, from: number, to: number): number {
  let found = 0;
  let seen = 0;
  for (let i = from; i < to; i++) {
    const word = words[i]!;
    found |= suspects(word);
    seen |= word;
  }
  return found | ((seen & highBits) === 0 ? 0 : highSeen);
}

/**
 * The high bits of the bytes of a word that are below 0x20 but no newline, or 0x7f. Exact: nothing carries from one byte into the next.
 */
function suspects(word: number): number {
  const seven = word & 0x7f7f7f7f;
  const printable = (seven + 0x60606060) | 0;
  const del = (seven + 0x01010101) | 0;
  const notNewline = ((seven ^ 0x0a0a0a0a) + 0x7f7f7f7f) | 0;
  return ((~printable & notNewline) | del) & ~word & highBits;
}

function findIn(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const code = bytes[at]!;
    if (code === 0x7f || (code < 0x20 && code !== 9 && code !== 10 && code !== 13)) return at;
  }
  return -1;
}

function isAsciiIn(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! > 0x7f) return false;
  return true;
}
