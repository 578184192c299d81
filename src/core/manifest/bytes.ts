// Texts as bytes, and byte strings: strings in which each character is one byte of the file (what Buffer's latin1 gives). Manifests are
// scanned and spliced in these forms, because offsets are then file offsets, whatever the text holds. Only values that
// somebody reads are decoded. Refuses nothing: whether a file is UTF-8 is asked once, at the edge.

import { utf8 } from '../std/utf8.ts';

/** A string of bytes: every character code is below 256. */
export type Bytes = string;

/** A text as bytes, and what of it is asked for as a string of bytes. */
export interface ByteText {
  readonly bytes: Uint8Array;
  /** True where it is known that no byte is above 0x7f. */
  readonly ascii?: boolean;
  /** All of it. A large text is as large again, and is made when somebody asks for it: what every run needs is asked of the others. */
  readonly text: Bytes;
  readonly slice: (start: number, end: number) => Bytes;
  readonly indexOf: (wanted: Bytes, from: number) => number;
}

const longestKept = 32;
const kept: Bytes[] = Array.from({ length: 512 }, () => '');

/**
 * `source.slice(start, end)`. Short ones are kept: kinds, keys and versions come again and again, and to make a text of bytes takes ten
 * times as long as to find it.
 */
export function sliceKept({ bytes, slice }: ByteText, start: number, end: number): Bytes {
  if (end - start > longestKept) return slice(start, end);
  let hash = end - start;
  for (let at = start; at < end; at++) hash = (hash * 31 + bytes[at]!) | 0;
  const slot = hash & (kept.length - 1);
  const known = kept[slot]!;
  if (known.length === end - start && standsAt(bytes, start, known)) return known;
  const text = slice(start, end);
  kept[slot] = text;
  return text;
}

/** The text that valid UTF-8 bytes stand for. */
export function decodeUtf8(bytes: Bytes): string {
  if (isAscii(bytes)) return bytes;
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes.charCodeAt(at));
    text += String.fromCodePoint(codePoint(bytes, at, length));
    at += length;
  }
  return text;
}

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD, as everywhere else. */
export function encodeUtf8(text: string): Bytes {
  if (isAscii(text)) return text;
  return Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Both forms of a string of bytes. */
export function byteText(text: Bytes): ByteText {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return {
    text,
    bytes,
    slice: (start, end) => text.slice(start, end),
    indexOf: (wanted, from) => text.indexOf(wanted, from),
  };
}

/** Whether a text, of ASCII or of bytes, stands at an offset. */
export function standsAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** Offset of the first byte that is not UTF-8 (Unicode 15, table 3-7), or -1. */
export function findInvalidUtf8(bytes: Bytes): number {
  for (let at = 0; at < bytes.length; ) {
    const first = bytes.charCodeAt(at);
    const length = sequenceLength(first);
    if (length > 1 && !isSequence(bytes, at, length)) return at;
    if (length === 0) return at;
    at += length;
  }
  return -1;
}

/** 1-based line of an offset. */
export function lineAt(bytes: Bytes, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf('\n'); at !== -1 && at < offset; at = bytes.indexOf('\n', at + 1)) line++;
  return line;
}

/** Column of an offset, from 0: the bytes between the start of its line and it. */
export function columnAt(bytes: Uint8Array, offset: number): number {
  return offset - lineStart(bytes, offset);
}

/** Offset of the first byte of the line that holds `offset`. */
export function lineStart(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at > 0 && bytes[at - 1] !== 10) at--;
  return at;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

function isSequence(bytes: Bytes, at: number, length: number): boolean {
  if (at + length > bytes.length) return false;
  for (let i = 1; i < length; i++) if ((bytes.charCodeAt(at + i) & 0xc0) !== 0x80) return false;
  const code = codePoint(bytes, at, length);
  if (length === 3) return code >= 0x800 && (code < 0xd800 || code > 0xdfff);
  return length === 2 || (code >= 0x10000 && code <= 0x10ffff);
}

function codePoint(bytes: Bytes, at: number, length: number): number {
  const first = bytes.charCodeAt(at);
  if (length <= 1) return first;
  let code = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) code = (code << 6) | (bytes.charCodeAt(at + i) & 0x3f);
  return code;
}
