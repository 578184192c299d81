// Go's fmt: how a value prints (%v), and printf with its verbs, flags, widths, precisions, argument indexes and error texts.
import { compareCodePoints } from '../std/order.ts';
import { formatFloat } from './float.ts';
import { goQuote, goQuoteRune, isPrintable } from './quote.ts';
import { type Enum, type GoMap, GoStruct, kindOf, StringMap, typeName, utf8Bytes, type Value } from './value.ts';

/** A value as fmt.Sprint writes it alone. */
export function sprintOne(value: Value): string {
  return typeof value === 'string' ? value : formatValue(value, plain, 'v');
}

/** fmt.Sprint: a space between two operands when neither is a string. */
export function sprint(values: readonly Value[]): string {
  let text = '';
  for (const [i, value] of values.entries()) {
    const spaced = i > 0 && typeof value !== 'string' && typeof values[i - 1] !== 'string';
    text += (spaced ? ' ' : '') + sprintOne(value);
  }
  return text;
}

/** fmt.Sprintln: a space between all operands and a newline at the end. */
export function sprintln(values: readonly Value[]): string {
  return `${values.map(sprintOne).join(' ')}\n`;
}

interface Flags {
  readonly minus: boolean;
  readonly plus: boolean;
  readonly sharp: boolean;
  readonly space: boolean;
  readonly zero: boolean;
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

const plain: Flags = {
  minus: false,
  plus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
};
const widest = 1_000_000;

interface Scan {
  readonly format: string;
  readonly values: readonly Value[];
  at: number;
  argument: number;
  reordered: boolean;
  /** False after an argument index that is not one. */
  goodIndex: boolean;
}

/** fmt.Sprintf. */
export function sprintf(format: string, values: readonly Value[]): string {
  const scan: Scan = { format, values, at: 0, argument: 0, reordered: false, goodIndex: true };
  let text = '';
  while (scan.at < format.length) {
    const percent = format.indexOf('%', scan.at);
    const end = percent < 0 ? format.length : percent;
    text += format.slice(scan.at, end);
    scan.at = end + 1;
    if (percent >= 0) text += directive(scan);
  }
  return text + extra(scan);
}

function extra({ values, argument, reordered }: Scan): string {
  if (reordered || argument >= values.length) return '';
  const rest = values.slice(argument).map((value) => {
    return value === undefined || value === null ? '<nil>' : `${typeName(value)}=${formatValue(value, plain, 'v')}`;
  });
  return `%!(EXTRA ${rest.join(', ')})`;
}

function directive(scan: Scan): string {
  scan.goodIndex = true;
  let text = '';
  const { flags, problems } = readFlags(scan);
  text += problems;
  const verb = scan.at < scan.format.length ? String.fromCodePoint(scan.format.codePointAt(scan.at) ?? 0) : '';
  if (verb === '') return `${text}%!(NOVERB)`;
  scan.at += verb.length;
  if (verb === '%') return `${text}%`;
  if (!scan.goodIndex) return `${text}%!${verb}(BADINDEX)`;
  if (scan.argument >= scan.values.length) return `${text}%!${verb}(MISSING)`;
  // %+v asks for field names, not for a sign.
  const used = verb === 'v' && flags.plus ? { ...flags, plus: false } : flags;
  return text + formatValue(scan.values[scan.argument++], used, verb);
}

function readFlags(scan: Scan): { readonly flags: Flags; readonly problems: string } {
  const { format } = scan;
  const on = new Set<string>();
  while ('+-# 0'.includes(format[scan.at] ?? '?')) on.add(format[scan.at++] ?? '');
  const problems: string[] = [];
  let afterIndex = readIndex(scan);
  const width = readNumber(scan, problems, '%!(BADWIDTH)');
  if (afterIndex && width.digits) scan.goodIndex = false;
  if (width.star) afterIndex = false;
  let minus = on.has('-');
  const wide = width.value;
  if (width.star && wide !== undefined && wide < 0) minus = true;
  const precision = readPrecision(scan, problems, afterIndex);
  readIndex(scan);
  const flags = {
    minus,
    plus: on.has('+'),
    sharp: on.has('#'),
    space: on.has(' '),
    zero: on.has('0') && !minus,
    width: wide === undefined ? undefined : Math.abs(wide),
    precision,
  };
  return { flags, problems: problems.join('') };
}

function readPrecision(scan: Scan, problems: string[], afterIndex: boolean): number | undefined {
  if (scan.format[scan.at] !== '.') return undefined;
  scan.at++;
  if (afterIndex) scan.goodIndex = false;
  readIndex(scan);
  const { value, star } = readNumber(scan, problems, '%!(BADPREC)');
  if (!star) return value ?? 0;
  if (value !== undefined && value >= 0) return value;
  if (value !== undefined) problems.push('%!(BADPREC)');
  return undefined;
}

interface Count {
  readonly value: number | undefined;
  readonly star: boolean;
  readonly digits: boolean;
}

function readNumber(scan: Scan, problems: string[], problem: string): Count {
  if (scan.format[scan.at] === '*') {
    scan.at++;
    const value = scan.values[scan.argument];
    if (scan.argument < scan.values.length) scan.argument++;
    const fits = typeof value === 'bigint' && value <= widest && value >= -widest;
    if (!fits) problems.push(problem);
    return { value: fits ? Number(value) : undefined, star: true, digits: false };
  }
  const digits = /^\d+/.exec(scan.format.slice(scan.at, scan.at + 8))?.[0] ?? '';
  scan.at += digits.length;
  return { value: digits === '' ? undefined : Math.min(Number(digits), widest), star: false, digits: digits !== '' };
}

/** `[n]`: the next operand is number n. True where there was one. */
function readIndex(scan: Scan): boolean {
  if (scan.format[scan.at] !== '[') return false;
  scan.reordered = true;
  const end = scan.format.indexOf(']', scan.at);
  const digits = end < 0 ? '' : scan.format.slice(scan.at + 1, end);
  scan.at = end < 0 ? scan.at + 1 : end + 1;
  const index = /^\d+$/.test(digits) ? Number(digits) : 0;
  if (index < 1 || index > scan.values.length) {
    scan.goodIndex = false;
    return end >= 0;
  }
  scan.argument = index - 1;
  return true;
}

/** One operand under one verb. */
function formatValue(value: Value, flags: Flags, verb: string): string {
  if (verb === 'T') return pad(typeName(value), flags);
  if (value === undefined || value === null) return verb === 'v' ? pad('<nil>', flags) : `%!${verb}(<nil>)`;
  switch (kindOf(value)) {
    case 'bool':
      return verb === 't' || verb === 'v' ? pad(value === true ? 'true' : 'false', flags) : badVerb(value, flags, verb);
    case 'int':
      return formatInt(value as bigint, flags, verb);
    case 'float':
      return formatNumber(value as number, flags, verb);
    case 'string':
      return formatString(value as string, flags, verb);
    case 'enum':
      return formatEnum(value as Enum, flags, verb);
    default:
      return formatComposite(value, flags, verb);
  }
}

function badVerb(value: Value, flags: Flags, verb: string): string {
  return `%!${verb}(${typeName(value)}=${formatValue(value, { ...flags, sharp: false, plus: false }, 'v')})`;
}

function formatEnum(value: Enum, flags: Flags, verb: string): string {
  return 'vsqxX'.includes(verb)
    ? formatString(value.text, flags, verb === 'v' ? 's' : verb)
    : formatInt(BigInt(value.number), flags, verb);
}

function pad(text: string, { width, minus, zero }: Flags): string {
  if (width === undefined) return text;
  const missing = width - Array.from(text).length;
  if (missing <= 0) return text;
  if (minus) return text + ' '.repeat(missing);
  return (zero ? '0' : ' ').repeat(missing) + text;
}

const bases: Readonly<Record<string, number>> = { b: 2, o: 8, O: 8, d: 10, v: 10, x: 16, X: 16 };

function formatInt(value: bigint, flags: Flags, verb: string): string {
  if (verb === 'c') return pad(runeText(value), flags);
  if (verb === 'q') return pad(goQuoteRune(Number(value), flags.plus), flags);
  if (verb === 'U') return pad(unicodeText(value, flags), { ...flags, zero: false });
  const base = bases[verb];
  if (base === undefined) return badVerb(value, flags, verb);
  const negative = value < 0n;
  let digits = (negative ? -value : value).toString(base);
  if (verb === 'X') digits = digits.toUpperCase();
  const sign = negative ? '-' : flags.plus ? '+' : flags.space ? ' ' : '';
  const prefix = integerPrefix(verb, flags.sharp, digits);
  if (flags.precision !== undefined) {
    if (flags.precision === 0 && value === 0n) return pad('', { ...flags, zero: false });
    digits = digits.padStart(flags.precision, '0');
  } else if (flags.zero && flags.width !== undefined) digits = digits.padStart(flags.width - sign.length, '0');
  const lead = verb === 'o' && flags.sharp && digits.startsWith('0') ? '' : prefix;
  return pad(sign + lead + digits, { ...flags, zero: false });
}

function integerPrefix(verb: string, sharp: boolean, digits: string): string {
  if (verb === 'O') return '0o';
  if (!sharp) return '';
  if (verb === 'b') return '0b';
  if (verb === 'o') return digits.startsWith('0') ? '' : '0';
  return verb === 'x' || verb === 'X' ? `0${verb}` : '';
}

function runeText(value: bigint): string {
  const code = value >= 0n && value <= 0x10ffffn ? Number(value) : 0xfffd;
  return String.fromCodePoint(code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
}

function unicodeText(value: bigint, flags: Flags): string {
  const digits = BigInt.asUintN(64, value)
    .toString(16)
    .toUpperCase()
    .padStart(Math.max(flags.precision ?? 4, 4), '0');
  const point = value >= 0n && value <= 0x10ffffn ? String.fromCodePoint(Number(value)) : '';
  return `U+${digits}${flags.sharp && point !== '' && isPrintable(point) ? ` '${point}'` : ''}`;
}

function formatNumber(value: number, flags: Flags, verb: string): string {
  if (verb === 'x' || verb === 'X') return pad(hexFloat(value, flags, verb), flags);
  if (!'vgGeEfF'.includes(verb)) return badVerb(value, flags, verb);
  const format = verb === 'v' ? 'g' : verb === 'F' ? 'f' : (verb as 'g' | 'G' | 'e' | 'E' | 'f');
  const precision = flags.precision ?? (verb === 'v' || verb === 'g' || verb === 'G' ? -1 : 6);
  let text = formatFloat(value, format, precision);
  if (flags.sharp && verb !== 'v') text = sharpen(text, verb, flags.precision ?? 6);
  const signed = /^[+-]/.test(text);
  const digits = signed ? text.slice(1) : text;
  const sign = text.startsWith('-')
    ? '-'
    : flags.plus
      ? '+'
      : flags.space
        ? ' '
        : digits === 'Inf' && signed
          ? '+'
          : '';
  if (flags.zero && flags.width !== undefined && Number.isFinite(value)) {
    return sign + digits.padStart(flags.width - sign.length, '0');
  }
  return pad(sign + digits, { ...flags, zero: false });
}

/** 0x1.8p+00, in the fewest digits (a precision is not applied). */
function hexFloat(value: number, { plus, space }: Flags, verb: 'x' | 'X'): string {
  if (!Number.isFinite(value)) return formatFloat(value, 'g', -1);
  const sign = value < 0 || Object.is(value, -0) ? '-' : plus ? '+' : space ? ' ' : '';
  let [mantissa, power] = [Math.abs(value), 0];
  for (; mantissa >= 2; power++) mantissa /= 2;
  for (; mantissa > 0 && mantissa < 1; power--) mantissa *= 2;
  const [whole = '0', fraction] = mantissa.toString(16).split('.');
  const exponent = `${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  const text = `0x${whole}${fraction === undefined ? '' : `.${fraction}`}p${exponent}`;
  return sign + (verb === 'X' ? text.toUpperCase() : text);
}

/** %#g keeps trailing zeros and every verb keeps the point. */
function sharpen(text: string, verb: string, precision: number): string {
  const [, sign = '', whole = '', fraction = '', tail = ''] = /^([+-]?)(\d+)\.?(\d*)(.*)$/.exec(text) ?? [];
  if (whole === '') return text;
  if (verb !== 'g' && verb !== 'G') return `${sign}${whole}.${fraction}${tail}`;
  const significant = `${whole}${fraction}`.replace(/^0+/, '').length;
  const missing = Math.max(0, Math.max(precision, 1) - (significant === 0 ? 1 : significant));
  return `${sign}${whole}.${fraction}${'0'.repeat(missing)}${tail}`;
}

function formatString(value: string, flags: Flags, verb: string): string {
  const points = flags.precision === undefined ? undefined : Array.from(value);
  const text =
    points === undefined || points.length <= (flags.precision ?? 0) ? value : points.slice(0, flags.precision).join('');
  switch (verb) {
    case 'v':
      return pad(flags.sharp ? goQuote(text) : text, flags);
    case 's':
      return pad(text, flags);
    case 'q':
      return pad(flags.sharp && isRawable(text) ? `\`${text}\`` : goQuote(text, flags.plus), flags);
    case 'x':
    case 'X':
      return pad(hexText(value, flags, verb), flags);
    default:
      return badVerb(value, flags, verb);
  }
}

function isRawable(text: string): boolean {
  return Array.from(text).every(
    (point) => point !== '`' && point !== '\ufeff' && (point === '\t' || (point >= ' ' && point !== '\x7f')),
  );
}

function hexText(text: string, { sharp, space, precision }: Flags, verb: 'x' | 'X'): string {
  const bytes = utf8Bytes(text).slice(0, precision);
  const pairs = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const digits = verb === 'X' ? pairs.map((pair) => pair.toUpperCase()) : pairs;
  if (bytes.length === 0) return '';
  const lead = sharp ? `0${verb}` : '';
  return space ? digits.map((pair) => lead + pair).join(' ') : lead + digits.join('');
}

function formatComposite(value: Value, flags: Flags, verb: string): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => formatItem(item, flags, verb));
    return verb === 'v' && flags.sharp ? `${typeName(value)}{${items.join(', ')}}` : `[${items.join(' ')}]`;
  }
  if (value instanceof GoStruct) return value.data === null ? pad('<nil>', flags) : `{${JSON.stringify(value.data)}}`;
  const map = value instanceof StringMap ? value.entries : (value as GoMap);
  const keys = Object.keys(map).sort(compareCodePoints);
  const parts = keys.map((key) => `${formatItem(key, flags, verb)}:${formatItem(map[key], flags, verb)}`);
  return verb === 'v' && flags.sharp ? `${typeName(value)}{${parts.join(', ')}}` : `map[${parts.join(' ')}]`;
}

/** An element of a collection; a nil one prints `<nil>` under every verb, unpadded. */
function formatItem(item: Value, flags: Flags, verb: string): string {
  if (item === undefined || item === null) {
    return verb === 'v' && flags.sharp ? 'interface {}(nil)' : '<nil>';
  }
  return formatValue(item, flags, verb);
}
