// sprig's functions on text.

import { base64, base64Alphabet } from '../../std/base64.ts';
import { compareCodePoints } from '../../std/order.ts';
import { sha256Hex } from '../../std/sha256.ts';
import { failCall } from '../error.ts';
import { sprintf } from '../format.ts';
import { goQuote } from '../quote.ts';
import { utf8Decode } from '../unquote.ts';
import { byteLength, type GoFunction, newMap, utf8Bytes, type Value } from '../value.ts';
import { count, define, text, texts } from './convert.ts';

export const stringFunctions: Readonly<Record<string, GoFunction>> = {
  hello: define([], () => 'Hello!'),
  lower: define(['string'], (s: string) => s.toLowerCase()),
  upper: define(['string'], (s: string) => s.toUpperCase()),
  title: define(['string'], title),
  untitle: define(['string'], untitle),
  trim: define(['string'], (s: string) => trimSpace(s)),
  trimAll: define(['string', 'string'], trimAll),
  trimall: define(['string', 'string'], trimAll),
  trimPrefix: define(['string', 'string'], (p: string, s: string) =>
    p !== '' && s.startsWith(p) ? s.slice(p.length) : s,
  ),
  trimSuffix: define(['string', 'string'], (p: string, s: string) =>
    p !== '' && s.endsWith(p) ? s.slice(0, -p.length) : s,
  ),
  nospace: define(['string'], (s: string) => s.replace(/\s/gu, '')),
  trunc: define(['int', 'string'], trunc),
  abbrev: define(['int', 'string'], abbrev),
  initials: define(['string'], (s: string) => (s.match(/(?<=^|\s)\S/gu) ?? []).join('')),
  substr: define(['int', 'int', 'string'], substr),
  repeat: define(['int', 'string'], repeat),
  contains: define(['string', 'string'], (part: string, s: string) => s.includes(part)),
  hasPrefix: define(['string', 'string'], (part: string, s: string) => s.startsWith(part)),
  hasSuffix: define(['string', 'string'], (part: string, s: string) => s.endsWith(part)),
  replace: define(['string', 'string', 'string'], (from: string, to: string, s: string) => replaceAll(s, from, to)),
  quote: define(['...any'], (...values: Value[]) =>
    present(values)
      .map((v) => goQuote(text(v)))
      .join(' '),
  ),
  squote: define(['...any'], (...values: Value[]) =>
    present(values)
      .map((v) => `'${text(v)}'`)
      .join(' '),
  ),
  cat: define(['...any'], (...values: Value[]) =>
    trimSpace(
      present(values)
        .map((v) => sprintf('%v ', [v]))
        .join(''),
    ),
  ),
  indent: define(['int', 'string'], indent),
  nindent: define(['int', 'string'], (spaces: bigint, s: string) => `\n${indent(spaces, s)}`),
  plural: define(['string', 'string', 'int'], (one: string, many: string, n: bigint) => (n === 1n ? one : many)),
  toString: define(['any'], text),
  toStrings: define(['any'], texts),
  join: define(['string', 'any'], (separator: string, list: Value) => texts(list).join(separator)),
  sortAlpha: define(['any'], (list: Value) =>
    Array.isArray(list) ? texts(list).sort(compareCodePoints) : [text(list)],
  ),
  splitList: define(['string', 'string'], splitText),
  split: define(['string', 'string'], (separator: string, s: string) => numbered(splitText(separator, s))),
  splitn: define(['string', 'int', 'string'], splitn),
  b64enc: define(['string'], (s: string) => base64(utf8Bytes(s))),
  b64dec: define(['string'], unbase64),
  sha256sum: define(['string'], (s: string) => sha256Hex(Uint8Array.from(utf8Bytes(s)))),
  adler32sum: define(['string'], adler32),
  swapcase: define(['string'], swapCase),
};

function present(values: readonly Value[]): readonly Value[] {
  return values.filter((value) => value !== null && value !== undefined);
}

/** strings.TrimSpace: Go's white space, which has no U+FEFF and has U+0085. */
export function trimSpace(s: string): string {
  const [from, to] = [
    /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/,
    /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/,
  ];
  return s.replace(from, '').replace(to, '');
}

function title(s: string): string {
  let previous = ' ';
  let titled = '';
  for (const point of s) {
    titled += isSeparator(previous) ? titleCase(point) : point;
    previous = point;
  }
  return titled;
}

function isSeparator(point: string): boolean {
  const code = point.codePointAt(0) ?? 0;
  return code < 0x80 ? !/[A-Za-z0-9_]/.test(point) : !/[\p{L}\p{Nd}]/u.test(point) && /\s/.test(point);
}

function titleCase(point: string): string {
  const upper = point.toUpperCase();
  return Array.from(upper).length === 1 ? upper : point;
}

function untitle(s: string): string {
  let previous = ' ';
  let lowered = '';
  for (const point of s) {
    lowered += /\s/.test(previous) ? point.toLowerCase() : point;
    previous = point;
  }
  return lowered;
}

function swapCase(s: string): string {
  let swapped = '';
  let previous = ' ';
  for (const point of s) {
    if (/\p{Lu}|\p{Lt}/u.test(point)) swapped += point.toLowerCase();
    else if (/\p{Ll}/u.test(point)) swapped += /\s/.test(previous) ? titleCase(point) : point.toUpperCase();
    else swapped += point;
    previous = point;
  }
  return swapped;
}

function trimAll(set: string, s: string): string {
  const points = Array.from(s);
  const cut = new Set(Array.from(set));
  let [from, to] = [0, points.length];
  while (from < to && cut.has(points[from] ?? '')) from++;
  while (to > from && cut.has(points[to - 1] ?? '')) to--;
  return points.slice(from, to).join('');
}

/** At most so many bytes, with three dots at the end where something was left out. */
function abbrev(width: bigint, s: string): string {
  const bytes = utf8Bytes(s);
  if (width < 4n || BigInt(bytes.length) <= width) return s;
  return `${utf8Decode(bytes.slice(0, Number(width) - 3))}...`;
}

function trunc(limit: bigint, s: string): string {
  const length = byteLength(s);
  const n = count(limit);
  if (n < 0 && length + n > 0) return utf8Decode(utf8Bytes(s).slice(length + n));
  return n >= 0 && length > n ? utf8Decode(utf8Bytes(s).slice(0, n)) : s;
}

function substr(from: bigint, to: bigint, s: string): string {
  const bytes = utf8Bytes(s);
  const [start, end] = [count(from), count(to)];
  if (start < 0) return slice(bytes, 0, end);
  if (end < 0 || end > bytes.length) return slice(bytes, start, bytes.length);
  return slice(bytes, start, end);
}

function slice(bytes: readonly number[], from: number, to: number): string {
  if (to < 0 || to > bytes.length)
    return failCall(
      `runtime error: slice bounds out of range [:${to}]${to > bytes.length ? ` with length ${bytes.length}` : ''}`,
    );
  if (from > to) return failCall(`runtime error: slice bounds out of range [${from}:${to}]`);
  return utf8Decode(bytes.slice(from, to));
}

const longest = 4_000_000;

function repeat(times: bigint, s: string): string {
  if (times < 0n) return failCall('strings: negative Repeat count');
  if (BigInt(s.length) * times > BigInt(longest)) return failCall(`repeat makes more than ${longest} characters`);
  return s.repeat(count(times));
}

function replaceAll(s: string, from: string, to: string): string {
  if (from !== '') return s.replaceAll(from, () => to);
  return (
    to +
    Array.from(s)
      .map((point) => point + to)
      .join('')
  );
}

function indent(spaces: bigint, s: string): string {
  const pad = repeat(spaces, ' ');
  return pad + s.replaceAll('\n', `\n${pad}`);
}

function splitText(separator: string, s: string): string[] {
  return separator === '' ? Array.from(s) : s.split(separator);
}

function splitn(separator: string, limit: bigint, s: string): Value {
  const n = count(limit);
  if (n === 0) return newMap();
  const parts = splitText(separator, s);
  if (n < 0 || parts.length <= n) return numbered(parts);
  return numbered([...parts.slice(0, n - 1), parts.slice(n - 1).join(separator)]);
}

function numbered(parts: readonly string[]): Value {
  return newMap(parts.map((part, i) => [`_${i}`, part]));
}

/** Decoded text, or Go's error as the text: that is what sprig gives. */
function unbase64(encoded: string): string {
  const clean = encoded.replace(/[\r\n]/g, '');
  const body = clean.replace(/={1,2}$/, '');
  const bad = Array.from(body).findIndex((char) => !base64Alphabet.includes(char));
  if (bad >= 0 || clean.length % 4 !== 0)
    return `illegal base64 data at input byte ${bad >= 0 ? bad : Math.floor(clean.length / 4) * 4 + (clean.length % 4 === 0 ? 0 : 0)}`;
  const bytes: number[] = [];
  let [group, bits] = [0, 0];
  for (const char of body) {
    group = ((group << 6) | base64Alphabet.indexOf(char)) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((group >> bits) & 0xff);
    }
  }
  return utf8Decode(bytes);
}

function adler32(s: string): string {
  let [a, b] = [1, 0];
  for (const byte of utf8Bytes(s)) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return String(b * 65536 + a);
}
