// Go values as the templates see them, in JavaScript: what a kind is, what is true, what is empty, what a type is called.
// An `int` is a bigint and a `float64` is a number, because Go templates tell the two apart (a number that came from JSON or
// YAML is a float64, a constant without a point is an int); all integer sizes are one. Text is a JavaScript string.
import { utf8 } from '../std/utf8.ts';

/** `undefined` is Go's invalid value (a key that is not there), `null` is the nil interface (a key that is there and null). */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly Value[]
  | GoMap
  | StringMap
  | GoStruct
  | Enum
  | GoFunction;

/** map[string]interface{}: a plain object; only own keys count. */
export interface GoMap {
  readonly [key: string]: Value;
}

/** map[string]string: a missing key that is indexed gives "", not nil. */
export class StringMap {
  readonly entries: Readonly<Record<string, string>>;
  constructor(entries: Readonly<Record<string, string>>) {
    this.entries = entries;
  }
}

/** A struct or a pointer to one: fields by their Go names, methods, and the form that JSON and YAML encoders see. */
export interface StructType {
  readonly name: string;
  /** Undefined where the type has no such field. Called only for values that are there. */
  readonly field: (data: Readonly<Record<string, unknown>>, name: string) => { readonly value: Value } | undefined;
  /** The data as an encoder writes it; without it, as it is. */
  readonly json?: (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Undefined where the type has no such method; a method must take a nil pointer. */
  readonly method?: (data: Readonly<Record<string, unknown>> | null, name: string) => GoFunction | undefined;
}

export class GoStruct {
  readonly type: StructType;
  /** The value in its JSON form; null for a nil pointer. */
  readonly data: Readonly<Record<string, unknown>> | null;
  constructor(type: StructType, data: Readonly<Record<string, unknown>> | null) {
    this.type = type;
    this.data = data;
  }
}

/** A named integer with a String method: printed as its text, empty when its number is 0. */
export class Enum {
  readonly typeName: string;
  readonly text: string;
  readonly number: number;
  constructor(name: string, text: string, number: number) {
    this.typeName = name;
    this.text = text;
    this.number = number;
  }
}

/** What a parameter accepts. `value` takes even the invalid value, as Go's reflect.Value parameters do. */
export type ParameterKind =
  | 'value'
  | 'any'
  | 'string'
  | 'int'
  | 'float'
  | 'bool'
  | 'map'
  | 'strmap'
  | 'list'
  | 'strlist'
  | 'struct';

export class GoFunction {
  readonly parameters: readonly ParameterKind[];
  readonly variadic: ParameterKind | undefined;
  readonly call: (args: readonly Value[]) => Value;
  constructor(
    parameters: readonly ParameterKind[],
    variadic: ParameterKind | undefined,
    call: (args: readonly Value[]) => Value,
  ) {
    this.parameters = parameters;
    this.variadic = variadic;
    this.call = call;
  }
}

export type Kind =
  | 'invalid'
  | 'nil'
  | 'bool'
  | 'int'
  | 'float'
  | 'string'
  | 'list'
  | 'map'
  | 'strmap'
  | 'struct'
  | 'enum'
  | 'func';

export function kindOf(value: Value): Kind {
  switch (typeof value) {
    case 'undefined':
      return 'invalid';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float';
    case 'string':
      return 'string';
    default:
      return objectKind(value);
  }
}

function objectKind(value: object | null): Kind {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'list';
  if (value instanceof StringMap) return 'strmap';
  if (value instanceof GoStruct) return 'struct';
  if (value instanceof Enum) return 'enum';
  if (value instanceof GoFunction) return 'func';
  return 'map';
}

export function isMap(value: Value): value is GoMap {
  return kindOf(value) === 'map';
}

/** An own entry of a map, or undefined. */
export function entryOf(map: GoMap, key: string): Value {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A map that may get any key, `__proto__` too. */
export function newMap(entries: Iterable<readonly [string, Value]> = []): Record<string, Value> {
  const map = Object.create(null) as Record<string, Value>;
  for (const [key, value] of entries) map[key] = value;
  return map;
}

/** The truth of if, with, and, or, not: false for zero values, empty collections and nil. */
export function truth(value: Value): boolean {
  switch (kindOf(value)) {
    case 'invalid':
    case 'nil':
      return false;
    case 'bool':
      return value as boolean;
    case 'int':
      return value !== 0n;
    case 'float':
      return value !== 0;
    case 'enum':
      return (value as Enum).number !== 0;
    case 'struct':
      return (value as GoStruct).data !== null;
    case 'func':
      return true;
    default:
      return lengthOf(value) !== 0;
  }
}

/** Length as `len` counts it: bytes of a string, entries of a collection; undefined for anything else. */
export function lengthOf(value: Value): number | undefined {
  switch (kindOf(value)) {
    case 'string':
      return byteLength(value as string);
    case 'list':
      return (value as readonly Value[]).length;
    case 'map':
      return Object.keys(value as GoMap).length;
    case 'strmap':
      return Object.keys((value as StringMap).entries).length;
    default:
      return undefined;
  }
}

/** How many UTF-8 bytes a string has. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}

/** The name that Go prints for the type of a value. */
export function typeName(value: Value): string {
  switch (kindOf(value)) {
    case 'invalid':
    case 'nil':
      return '<nil>';
    case 'int':
      return 'int';
    case 'float':
      return 'float64';
    case 'list':
      return '[]interface {}';
    case 'map':
      return 'map[string]interface {}';
    case 'strmap':
      return 'map[string]string';
    case 'struct':
      return (value as GoStruct).type.name;
    case 'enum':
      return (value as Enum).typeName;
    case 'func':
      return 'func()';
    case 'bool':
      return 'bool';
    case 'string':
      return 'string';
  }
}

/** The UTF-8 bytes of a string, for what counts and cuts in bytes. */
export function utf8Bytes(text: string): number[] {
  return Array.from(utf8(text));
}

/** A struct's data as an encoder writes it: in the order of its fields. */
export function encodedData(struct: GoStruct): GoMap | null {
  return struct.data === null ? null : ((struct.type.json?.(struct.data) ?? struct.data) as GoMap);
}
