// Conversions that sprig's functions share: anything to text, to int64, to float64, to a list of texts.
import { failCall } from '../error.ts';
import { sprintOne } from '../format.ts';
import { parseFloat64, parseInteger } from '../unquote.ts';
import {
  type Enum,
  GoFunction,
  type GoStruct,
  isMap,
  kindOf,
  lengthOf,
  type ParameterKind,
  type Value,
} from '../value.ts';

/** Text of a value as sprig's strval gives it. */
export function text(value: Value): string {
  return sprintOne(value);
}

/** Texts of a list's elements, nil ones left out; a value that is no list is a list of one. */
export function texts(value: Value): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [text(value)];
  return (value as readonly Value[]).filter((item) => item !== null && item !== undefined).map(text);
}

/** An int64, 0 where the value is no number. */
export function toInt(value: Value): bigint {
  switch (kindOf(value)) {
    case 'int':
      return value as bigint;
    case 'float':
      return Number.isFinite(value) ? BigInt.asIntN(64, BigInt(Math.trunc(value as number))) : -(2n ** 63n);
    case 'bool':
      return value === true ? 1n : 0n;
    case 'string':
      return textToInt(value as string);
    case 'enum':
      return BigInt((value as Enum).number);
    default:
      return 0n;
  }
}

function textToInt(value: string): bigint {
  const decimal = /^([+-]?)0*(\d+)(?:\.0*)?$/.exec(value);
  return (decimal === null ? undefined : parseInteger(`${decimal[1]}${decimal[2]}`)) ?? 0n;
}

/** A float64, 0 where the value is no number. */
export function toFloat(value: Value): number {
  switch (kindOf(value)) {
    case 'int':
      return Number(value);
    case 'float':
      return value as number;
    case 'bool':
      return value === true ? 1 : 0;
    case 'string':
      return parseFloat64(value as string) ?? 0;
    default:
      return 0;
  }
}

/** An int that a Go int fits into an index of JavaScript. */
export function count(value: Value): number {
  return Number(value);
}

/** Zero values, empty collections and nil are empty; a struct is not. */
export function isEmpty(value: Value): boolean {
  switch (kindOf(value)) {
    case 'invalid':
    case 'nil':
      return true;
    case 'bool':
      return value === false;
    case 'int':
      return value === 0n;
    case 'float':
      return value === 0;
    case 'enum':
      return (value as Enum).number === 0;
    case 'struct':
      return (value as GoStruct).data === null;
    case 'func':
      return false;
    default:
      return lengthOf(value) === 0;
  }
}

/** The same data with copies of its maps and lists. */
export function copy(value: Value): Value {
  if (Array.isArray(value)) return (value as readonly Value[]).map(copy);
  if (!isMap(value)) return value;
  const result = Object.create(null) as Record<string, Value>;
  for (const key of Object.keys(value)) result[key] = copy(value[key]);
  return result;
}

/** A map that a function may change; a frozen one belongs to the caller of the template. */
export function mutable(map: Value): Record<string, Value> {
  if (Object.isFrozen(map)) return failCall('this map is shared and cannot be changed; copy it with deepCopy first');
  return map as Record<string, Value>;
}

type Implementation = (...args: never[]) => Value;

/** A function with its parameters' kinds; a kind that begins with `...` takes the rest. */
export function define(kinds: readonly (ParameterKind | `...${ParameterKind}`)[], work: Implementation): GoFunction {
  const last = kinds.at(-1);
  const variadic = last?.startsWith('...') ? (last.slice(3) as ParameterKind) : undefined;
  const fixed = (variadic === undefined ? kinds : kinds.slice(0, -1)) as readonly ParameterKind[];
  const call = work as (...args: readonly Value[]) => Value;
  return new GoFunction(fixed, variadic, (args) => call(...args));
}
