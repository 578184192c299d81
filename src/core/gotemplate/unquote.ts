// Go's string, rune and number literals as values. Undefined means: Go refuses the literal.

/** The value of a quoted or raw string literal. */
export function unquote(literal: string): string | undefined {
  const quote = literal[0];
  const body = literal.slice(1, -1);
  if (quote === '`') return body.replaceAll('\r', '');
  if (quote === '"' && body.includes('\n')) return undefined;
  const points: number[] = [];
  for (let at = 0; at < body.length; ) {
    const part = unquoteOne(body, at, quote ?? '');
    if (part === undefined) return undefined;
    points.push(...part.units);
    at = part.next;
  }
  return decode(points);
}

/** The code point of a rune literal such as 'a' or '\n'. */
export function unquoteRune(literal: string): number | undefined {
  const body = literal.slice(1, -1);
  const part = unquoteOne(body, 0, "'");
  if (part === undefined || part.next !== body.length || part.units.length !== 1) return undefined;
  const unit = part.units[0] ?? 0;
  return unit < 0 ? -unit - 1 : unit;
}

interface Part {
  /** Code points; a byte that \x or an octal escape gave is -1 - byte. */
  readonly units: readonly number[];
  readonly next: number;
}

const simple: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };

function unquoteOne(body: string, at: number, quote: string): Part | undefined {
  const first = body.codePointAt(at);
  if (first === undefined || (body[at] === quote && quote !== '')) return undefined;
  if (body[at] !== '\\') return { units: [first], next: at + (first > 0xffff ? 2 : 1) };
  const letter = body[at + 1] ?? '';
  if (letter === quote) return { units: [letter.charCodeAt(0)], next: at + 2 };
  const plain = simple[letter];
  if (plain !== undefined) return { units: [plain], next: at + 2 };
  if (/[0-7]/.test(letter)) return escapeOf(body, at + 1, { digits: 3, base: 8, bytes: true });
  if (letter === 'x') return escapeOf(body, at + 2, { digits: 2, base: 16, bytes: true });
  if (letter === 'u') return escapeOf(body, at + 2, { digits: 4, base: 16, bytes: false });
  if (letter === 'U') return escapeOf(body, at + 2, { digits: 8, base: 16, bytes: false });
  return undefined;
}

interface Escape {
  readonly digits: number;
  readonly base: number;
  readonly bytes: boolean;
}

function escapeOf(body: string, at: number, { digits, base, bytes }: Escape): Part | undefined {
  const text = body.slice(at, at + digits);
  const legal = base === 8 ? /^[0-7]+$/ : /^[0-9a-fA-F]+$/;
  if (text.length !== digits || !legal.test(text)) return undefined;
  const value = Number.parseInt(text, base);
  if (bytes) return value > 255 ? undefined : { units: [-1 - value], next: at + digits };
  if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return undefined;
  return { units: [value], next: at + digits };
}

/** Joins code points and raw bytes; runs of bytes are read as UTF-8. */
function decode(units: readonly number[]): string {
  let text = '';
  for (let i = 0; i < units.length; ) {
    const unit = units[i] ?? 0;
    if (unit >= 0) {
      text += String.fromCodePoint(unit);
      i++;
      continue;
    }
    const bytes: number[] = [];
    for (; (units[i] ?? 0) < 0; i++) bytes.push(-1 - (units[i] ?? 0));
    text += utf8Decode(bytes);
  }
  return text;
}

/** UTF-8 bytes as text; what is not UTF-8 becomes U+FFFD, a byte each. */
export function utf8Decode(bytes: readonly number[]): string {
  let text = '';
  for (let i = 0; i < bytes.length; ) {
    const length = sequenceLength(bytes, i);
    if (length === 0) {
      text += '\ufffd';
      i++;
      continue;
    }
    let code = length === 1 ? (bytes[i] ?? 0) : (bytes[i] ?? 0) & (0xff >> (length + 1));
    for (let k = 1; k < length; k++) code = (code << 6) | ((bytes[i + k] ?? 0) & 0x3f);
    text += String.fromCodePoint(code);
    i += length;
  }
  return text;
}

function sequenceLength(bytes: readonly number[], at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (let k = 1; k < length; k++) if (((bytes[at + k] ?? 0) & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1] ?? 0;
  if ((first === 0xe0 && second < 0xa0) || (first === 0xed && second > 0x9f)) return 0;
  if ((first === 0xf0 && second < 0x90) || (first === 0xf4 && second > 0x8f)) return 0;
  return length;
}

const minInt = -(2n ** 63n);
const maxInt = 2n ** 63n - 1n;

/** A Go integer literal (0x, 0o, 0b, leading 0, underscores) within 64 bits. */
export function parseInteger(text: string): bigint | undefined {
  const value = integerOf(text);
  return value === undefined || value < minInt || value > maxInt ? undefined : value;
}

function integerOf(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  const digits = /^[+-]/.test(text) ? text.slice(1) : text;
  if (!/^(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?[0-9])*)$/.test(digits))
    return undefined;
  const plain = digits.replaceAll('_', '').toLowerCase();
  const octal = /^0[0-7]/.test(plain) ? `0o${plain.slice(1)}` : plain;
  const value = BigInt(octal);
  return negative ? -value : value;
}

/** A Go float literal, hexadecimal too; infinite and malformed ones are refused. */
export function parseFloat64(text: string): number | undefined {
  const plain = text.replaceAll('_', '');
  if (
    text.includes('_') &&
    !/^[+-]?0[xX]/.test(text) &&
    !/^[+-]?\d+(?:_\d+)*(?:\.\d*(?:_\d+)*)?(?:[eE][+-]?\d+)?$/.test(text)
  ) {
    return undefined;
  }
  const hex = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)$/.exec(plain);
  if (hex !== null) return hexFloat(hex);
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

function hexFloat([, sign, whole = '', fraction = '', power = '0']: RegExpExecArray): number | undefined {
  if (whole === '' && fraction === '') return undefined;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - 4 * fraction.length);
  if (!Number.isFinite(value)) return undefined;
  return sign === '-' ? -value : value;
}
