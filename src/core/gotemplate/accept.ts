// Which values a function takes: how many, of which types, and what nil becomes.
import { CallError } from './error.ts';
import type { Place } from './run.ts';
import { type GoFunction, type GoMap, kindOf, type ParameterKind, StringMap, typeName, type Value } from './value.ts';

export const goName: Readonly<Record<ParameterKind, string>> = {
  value: 'reflect.Value',
  any: 'interface {}',
  string: 'string',
  int: 'int',
  float: 'float64',
  bool: 'bool',
  map: 'map[string]interface {}',
  strmap: 'map[string]string',
  list: '[]interface {}',
  strlist: '[]string',
  struct: 'struct',
};

/** What nil becomes for a parameter that can be nil. */
export function nilOf(kind: ParameterKind): { readonly value: Value } | undefined {
  switch (kind) {
    case 'value':
    case 'any':
      return { value: null };
    case 'map':
      return { value: emptyMap };
    case 'strmap':
      return { value: new StringMap({}) };
    case 'list':
    case 'strlist':
      return { value: [] };
    default:
      return undefined;
  }
}

const emptyMap: GoMap = {};

/** A value for a parameter, or the error that Go gives when its type does not fit. */
export function accept(value: Value, kind: ParameterKind, place: Place): Value {
  if (kind === 'value') return value;
  if (kind === 'any') return value ?? null;
  if (value === undefined || value === null) {
    const nil = value === undefined || kind !== 'string' ? nilOf(kind) : undefined;
    if (nil !== undefined && value === undefined) return nil.value;
    throw place(
      value === undefined
        ? `invalid value; expected ${goName[kind]}`
        : `wrong type for value; expected ${goName[kind]}; got interface {}`,
    );
  }
  const actual = kindOf(value);
  if (actual === kind || (kind === 'strlist' && actual === 'list')) return value;
  throw place(`wrong type for value; expected ${goName[kind]}; got ${typeName(value)}`);
}

interface Given {
  readonly args: number;
  readonly final: boolean;
}

export function checkCount({ parameters, variadic }: GoFunction, name: string, given: Given, place: Place): void {
  const count = given.args + (given.final ? 1 : 0);
  const fixed = parameters.length;
  if (variadic !== undefined && count < fixed) {
    throw place(`wrong number of args for ${name}: want at least ${fixed} got ${given.args}`);
  }
  if (variadic === undefined && count !== fixed)
    throw place(`wrong number of args for ${name}: want ${fixed} got ${count}`);
}

export function guarded(method: GoFunction, name: string, values: readonly Value[], place: Place): Value {
  try {
    return method.call(values);
  } catch (error) {
    if (error instanceof CallError) throw place(`error calling ${name}: ${error.message}`);
    throw error;
  }
}
