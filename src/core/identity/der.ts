// Just enough of ASN.1's distinguished encoding to write a certificate request. Writes only; the platform reads certificates.
import { utf8 } from '../std/utf8.ts';

/** Tags of X.690, as one byte. */
const tags = {
  true: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** One value: tag, length, content. */
function der(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const size = contents.reduce((sum, { length }) => sum + length, 0);
  const head = [tag, ...lengthOf(size)];
  const whole = new Uint8Array(head.length + size);
  whole.set(head);
  let at = head.length;
  for (const content of contents) {
    whole.set(content, at);
    at += content.length;
  }
  return whole;
}

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => der(tags.sequence, ...parts);
export const set = (...parts: readonly Uint8Array[]): Uint8Array => der(tags.set, ...parts);
export const octets = (content: Uint8Array): Uint8Array => der(tags.octetString, content);
/** All bits of whole bytes. */
export const bits = (content: Uint8Array): Uint8Array => der(tags.bitString, Uint8Array.of(0), content);
export const smallInteger = (value: number): Uint8Array => der(tags.integer, Uint8Array.of(value));
export const nothing: Uint8Array = der(tags.null);
export const yes: Uint8Array = der(tags.true, Uint8Array.of(0xff));
/** A context-specific value that holds others. */
export const tagged = (number: number, ...parts: readonly Uint8Array[]): Uint8Array => der(0xa0 | number, ...parts);
/** A context-specific text. */
export const taggedText = (number: number, text: string): Uint8Array => der(0x80 | number, utf8(text));

/** An object identifier from its dotted form. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(tags.oid, Uint8Array.from([first * 40 + second, ...rest.flatMap(sevenBits)]));
}

function sevenBits(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

function lengthOf(size: number): number[] {
  if (size < 0x80) return [size];
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}
