// The functions that every Go template has: comparison, index, slice, len, print and the escapers. `and` and `or` are here only by
// name: the interpreter evaluates them, because they stop early.
import { compareCodePoints } from '../std/order.ts';
import { CallError, failCall } from './error.ts';
import { sprint, sprintf, sprintln } from './format.ts';
import { utf8Decode } from './unquote.ts';
import {
  Enum,
  entryOf,
  GoFunction,
  type GoMap,
  GoStruct,
  kindOf,
  lengthOf,
  type StringMap,
  truth,
  typeName,
  utf8Bytes,
  type Value,
} from './value.ts';

export const builtins: Readonly<Record<string, GoFunction>> = {
  and: new GoFunction(['value'], 'value', unreachable),
  or: new GoFunction(['value'], 'value', unreachable),
  not: new GoFunction(['value'], undefined, ([value]) => !truth(value)),
  call: new GoFunction(['value'], 'value', ([callee, ...args]) => callValue(callee, args)),
  html: printing((text) => text.replace(/[\0"'&<>]/g, (c) => htmlEscapes[c] ?? c)),
  js: printing(escapeJs),
  urlquery: printing(escapeQuery),
  index: new GoFunction(['value'], 'value', ([item, ...indexes]) => index(item, indexes)),
  slice: new GoFunction(['value'], 'value', ([item, ...indexes]) => slice(item, indexes)),
  len: new GoFunction(['value'], undefined, ([item]) => length(item)),
  print: new GoFunction([], 'any', sprint),
  println: new GoFunction([], 'any', sprintln),
  printf: new GoFunction(['string'], 'any', ([format, ...values]) => sprintf(format as string, values)),
  eq: new GoFunction(['value'], 'value', ([first, ...others]) => equalsAny(first, others)),
  ne: comparing((a, b) => !equalsAny(a, [b])),
  lt: comparing(less),
  le: comparing((a, b) => less(a, b) || equalsAny(a, [b])),
  gt: comparing((a, b) => !(less(a, b) || equalsAny(a, [b]))),
  ge: comparing((a, b) => !less(a, b)),
};

function unreachable(): never {
  throw new CallError('evaluated by the interpreter');
}

function comparing(work: (a: Value, b: Value) => boolean): GoFunction {
  return new GoFunction(['value', 'value'], undefined, ([a, b]) => work(a, b));
}

function printing(escape: (text: string) => string): GoFunction {
  return new GoFunction([], 'any', (values) => escape(sprint(values.map((value) => value ?? '<no value>'))));
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};
const jsEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
};

function escapeJs(text: string): string {
  let escaped = '';
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    const known = jsEscapes[point];
    if (known !== undefined) escaped += known;
    else if (code < 0x20) escaped += `\\u00${code.toString(16).toUpperCase().padStart(2, '0')}`;
    else if (code < 0x80 || isGraphic(point)) escaped += point;
    else escaped += `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }
  return escaped;
}

function isGraphic(point: string): boolean {
  return !/[\p{C}\p{Z}]/u.test(point);
}

/** url.QueryEscape. */
export function escapeQuery(text: string): string {
  let escaped = '';
  for (const byte of utf8Bytes(text)) {
    const char = String.fromCharCode(byte);
    if (/[A-Za-z0-9\-_.~]/.test(char)) escaped += char;
    else escaped += char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}

function callValue(callee: Value, args: readonly Value[]): Value {
  if (callee === undefined || callee === null) return failCall('call of nil');
  if (!(callee instanceof GoFunction)) return failCall(`non-function of type ${typeName(callee)}`);
  const fixed = callee.parameters.length;
  if (callee.variadic === undefined ? args.length !== fixed : args.length < fixed) {
    return failCall(
      `wrong number of args: got ${args.length} want ${callee.variadic === undefined ? '' : 'at least '}${fixed}`,
    );
  }
  return callee.call(args);
}

function length(item: Value): Value {
  if (item === null) return failCall('len of nil pointer');
  if (item === undefined) return failCall('reflect: call of reflect.Value.Type on zero Value');
  const count = lengthOf(item);
  return count === undefined ? failCall(`len of type ${typeName(item)}`) : BigInt(count);
}

function index(item: Value, indexes: readonly Value[]): Value {
  if (item === undefined || item === null) return failCall('index of untyped nil');
  let found: Value = item;
  for (const key of indexes) {
    if (found === undefined || found === null) return failCall('index of nil pointer');
    found = indexOne(found, key);
  }
  return found;
}

function indexOne(item: Value, key: Value): Value {
  switch (kindOf(item)) {
    case 'list':
      return (item as readonly Value[])[position(key, (item as readonly Value[]).length - 1)] ?? null;
    case 'string': {
      const bytes = utf8Bytes(item as string);
      return BigInt(bytes[position(key, bytes.length - 1)] ?? 0);
    }
    case 'map':
      return entryOf(item as GoMap, stringKey(key)) ?? null;
    case 'strmap': {
      const { entries } = item as StringMap;
      const name = stringKey(key);
      return Object.hasOwn(entries, name) ? entries[name] : '';
    }
    default:
      return item instanceof GoStruct && item.data === null
        ? failCall('index of nil pointer')
        : failCall(`can't index item of type ${typeName(item)}`);
  }
}

function stringKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === undefined || key === null) return failCall('value is nil; should be of type string');
  return failCall(`value has type ${typeName(key)}; should be string`);
}

/** An index within 0…last. */
function position(key: Value, last: number): number {
  if (key === undefined || key === null) return failCall('cannot index slice/array with nil');
  if (typeof key !== 'bigint') return failCall(`cannot index slice/array with type ${typeName(key)}`);
  if (key < 0n || key > BigInt(last)) return failCall(`index out of range: ${key}`);
  return Number(key);
}

function slice(item: Value, indexes: readonly Value[]): Value {
  if (item === undefined || item === null) return failCall('slice of untyped nil');
  if (indexes.length > 3) return failCall(`too many slice indexes: ${indexes.length}`);
  const text = typeof item === 'string';
  if (text && indexes.length === 3) return failCall('cannot 3-index slice a string');
  if (!text && !Array.isArray(item)) return failCall(`can't slice item of type ${typeName(item)}`);
  const whole: readonly Value[] | readonly number[] = text ? utf8Bytes(item) : item;
  const bounds = indexes.map((key) => position(key, whole.length));
  const [from = 0, to = whole.length, limit = whole.length] = bounds;
  if (from > to) return failCall(`invalid slice index: ${from} > ${to}`);
  if (to > limit) return failCall(`invalid slice index: ${to} > ${limit}`);
  return text ? utf8Decode(whole.slice(from, to) as number[]) : whole.slice(from, to);
}

type Basic = 'bool' | 'int' | 'float' | 'string' | undefined;

function basicKind(value: Value): Basic {
  const kind = kindOf(value);
  if (kind === 'enum') return 'int';
  return kind === 'bool' || kind === 'int' || kind === 'float' || kind === 'string' ? kind : undefined;
}

function plainOf(value: Value): Value {
  return value instanceof Enum ? BigInt(value.number) : value;
}

function equalsAny(first: Value, others: readonly Value[]): boolean {
  if (others.length === 0) return failCall('missing argument for comparison');
  return others.some((other) => equals(first, other));
}

function equals(a: Value, b: Value): boolean {
  const [kindA, kindB] = [basicKind(a), basicKind(b)];
  const [nilA, nilB] = [isNil(a), isNil(b)];
  if (kindA !== kindB) {
    if (a === undefined || a === null || b === undefined || b === null) return false;
    return failCall(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
  }
  if (kindA !== undefined) return plainOf(a) === plainOf(b);
  if (nilA || nilB) return nilA === nilB;
  if (kindOf(a) !== kindOf(b)) {
    return failCall(`non-comparable types ${sprint([a])}: ${typeName(a)}, ${typeName(b)}: ${sprint([b])}`);
  }
  if (a instanceof GoStruct && b instanceof GoStruct) return a === b || a.data === b.data;
  return failCall(`non-comparable type ${sprint([b])}: ${typeName(b)}`);
}

function isNil(value: Value): boolean {
  return value === undefined || value === null || (value instanceof GoStruct && value.data === null);
}

function less(a: Value, b: Value): boolean {
  const [kindA, kindB] = [basicKind(a), basicKind(b)];
  if (kindA === undefined || kindB === undefined) return failCall('invalid type for comparison');
  if (kindA !== kindB) return failCall(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
  if (kindA === 'bool') return failCall('invalid type for comparison');
  if (kindA === 'string') return compareCodePoints(a as string, b as string) < 0;
  return (plainOf(a) as number) < (plainOf(b) as number);
}
