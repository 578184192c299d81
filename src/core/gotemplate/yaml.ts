// YAML as sigs.k8s.io/yaml writes it (through JSON, so numbers lose their Go type): sorted keys, lists not indented, plain scalars
// where YAML 1.1 reads them back as the same string, long text not folded.
import { compareCodePoints } from '../std/order.ts';
import { formatFloat } from './float.ts';
import { Enum, encodedData, GoFunction, type GoMap, GoStruct, StringMap, type Value } from './value.ts';
import { resolvesToString } from './yaml-scalar.ts';

/** The YAML text of a value with a newline at its end; undefined where it cannot be encoded. */
export function goYaml(value: Value): string | undefined {
  const text = block(value, '', 'top');
  return text === undefined ? undefined : `${text.replace(/^\n/, '').replace(/^ /, '')}\n`;
}

type Where = 'top' | 'value' | 'item';

/** What follows `key:` or `-` (with the space or the newline before it). */
function block(value: Value, indent: string, where: Where): string | undefined {
  if (value === null || value === undefined) return ' null';
  switch (typeof value) {
    case 'boolean':
    case 'bigint':
      return ` ${value}`;
    case 'number':
      return Number.isFinite(value) ? ` ${number(value)}` : undefined;
    case 'string':
      return ` ${scalar(value, where === 'item' ? indent : `${indent}  `)}`;
    default:
      return collection(value, indent, where);
  }
}

function collection(value: Value & object, indent: string, where: Where): string | undefined {
  if (value instanceof GoFunction) return undefined;
  if (value instanceof Enum) return ` ${value.number}`;
  if (Array.isArray(value)) return list(value, indent, where);
  const map =
    value instanceof StringMap ? value.entries : value instanceof GoStruct ? encodedData(value) : (value as GoMap);
  return map === null ? ' null' : mapping(map, indent, where);
}

function list(items: readonly Value[], indent: string, where: Where): string | undefined {
  if (items.length === 0) return ' []';
  const lines: string[] = [];
  for (const item of items) {
    const text = block(item, `${indent}  `, 'item');
    if (text === undefined) return undefined;
    lines.push(`-${text}`);
  }
  const joined = lines.join(`\n${indent}`);
  return where === 'item' ? ` ${joined}` : `\n${indent}${joined}`;
}

function mapping(map: GoMap, indent: string, where: Where): string | undefined {
  const keys = Object.keys(map).sort(naturally);
  if (keys.length === 0) return ' {}';
  const lines: string[] = [];
  for (const key of keys) {
    const value = map[key];
    const nested = typeof value === 'object' && !Array.isArray(value) ? `${indent}  ` : indent;
    const text = block(value, nested, 'value');
    if (text === undefined) return undefined;
    lines.push(`${keyScalar(key)}:${text}`);
  }
  const joined = lines.join(`\n${indent}`);
  return where === 'item' ? ` ${joined}` : `\n${indent}${joined}`;
}

function number(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 64 ? String(BigInt(value)) : formatFloat(value, 'g', -1);
}

/** A key on one line; `<<` would merge. */
function keyScalar(key: string): string {
  return key.includes('\n') || key === '<<' ? doubleQuoted(key) : scalar(key, '');
}

function scalar(text: string, indent: string): string {
  if (text.includes('\n') && isBlockable(text)) return literal(text, indent);
  if (!isPrintableText(text) || text.includes('\n')) return doubleQuoted(text);
  if (!resolvesToString(text)) return doubleQuoted(text);
  return isPlain(text) ? text : singleQuoted(text);
}

/** Text that can stand as a block: no trailing space before a line end, nothing that needs an escape. */
function isBlockable(text: string): boolean {
  return isPrintableText(text) && !/[ \t]\n/.test(text) && !text.endsWith(' ');
}

function literal(text: string, indent: string): string {
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const chomp = text.endsWith('\n') ? (text.endsWith('\n\n') || text === '\n' ? '+' : '') : '-';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : indent + line));
  return `|${hint}${chomp}\n${lines.join('\n')}`;
}

/** What goyaml writes without an escape: no control character, nothing beyond the Basic Multilingual Plane. */
function isPrintableText(text: string): boolean {
  return /^[\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]*$/.test(text) && !/[\u2028\u2029]/.test(text);
}

function isPlain(text: string): boolean {
  if (/^\s|\s$/.test(text) || text.startsWith('---') || text.startsWith('...')) return false;
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[-?:](?:\s|$)/.test(text)) return false;
  return !/:(?:\s|$)|\s#/.test(text);
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function doubleQuoted(text: string): string {
  let quoted = '';
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    const known = escapes[point];
    if (known !== undefined) quoted += known;
    else if (isPrintableText(point)) quoted += point;
    else if (code < 0x100) quoted += `\\x${hex(code, 2)}`;
    else quoted += code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  }
  return `"${quoted}"`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}

/** Keys in the order of goyaml: at the first difference letters come last, and runs of digits compare as numbers. */
export function naturally(a: string, b: string): number {
  const [x, y] = [Array.from(a), Array.from(b)];
  for (let i = 0; i < x.length && i < y.length; i++) {
    if (x[i] === y[i]) continue;
    const [letterX, letterY] = [isLetter(x[i]), isLetter(y[i])];
    if (letterX && letterY) return compareCodePoints(x[i] ?? '', y[i] ?? '');
    if (letterX || letterY) return letterY ? -1 : 1;
    return compareDigits(x, y, i);
  }
  return x.length - y.length;
}

function compareDigits(x: readonly string[], y: readonly string[], at: number): number {
  const seed = (x[at] === '0' || y[at] === '0') && followsNumber(x, at) ? '1' : '';
  const [a, b] = [digitsAt(x, at), digitsAt(y, at)];
  const [m, n] = [BigInt(seed + a || '0'), BigInt(seed + b || '0')];
  if (m !== n) return m < n ? -1 : 1;
  return a.length === b.length ? compareCodePoints(x[at] ?? '', y[at] ?? '') : a.length - b.length;
}

/** True if the digits before a place are not all zero. */
function followsNumber(text: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && /[0-9]/.test(text[i] ?? ''); i--) if (text[i] !== '0') return true;
  return false;
}

function digitsAt(text: readonly string[], from: number): string {
  let digits = '';
  for (let i = from; /[0-9]/.test(text[i] ?? ''); i++) digits += text[i];
  return digits;
}

function isLetter(point: string | undefined): boolean {
  return point !== undefined && /\p{L}/u.test(point);
}
