// JSON data in the form that a typed client gives it (Go's decode and encode): unknown fields and empty values are gone, quantities
// are canonical, and a value of another kind is an error. Two pods that mean the same become equal.

import type { Field, Kind, Scalar, Type } from '../../gotypes/index.ts';
import { isObject, type JsonObject, type JsonValue, put } from '../../std/json.ts';
import { InjectError } from '../error.ts';
import { canonicalQuantity } from './quantity.ts';

/** Where a value stands: spelled only for an error, since most pods have none. */
type Place = string | { readonly parent: Place; readonly key: string | number };

/** A fresh object of the type; types are wide and values narrow. @throws InjectError that names the place of a value that does not fit */
export function conform(type: Type, value: JsonValue | undefined, path: Place): JsonObject {
  if (value === null || value === undefined) return defaults(type);
  if (!isObject(value)) throw mismatch(path, 'an object', value);
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field = type.fields.get(key);
    const given = value[key] ?? null;
    const formed = field === undefined || given === null ? undefined : conformField(field, given, path);
    if (formed !== undefined) result[key] = formed;
  }
  for (const field of type.required) if (result[field.name] === undefined) addZero(result, field);
  return result;
}

function defaults(type: Type): JsonObject {
  const result: JsonObject = {};
  for (const field of type.required) addZero(result, field);
  return result;
}

/** Scalars that are always encoded are there even when empty; lists, maps and structs are not. */
function addZero(result: JsonObject, { name, kind }: Field): void {
  if ('pointer' in kind && kind.pointer) return;
  if (kind.of === 'string') result[name] = '';
  else if (kind.of === 'int') result[name] = 0;
  else if (kind.of === 'bool') result[name] = false;
}

function conformField({ name, kind, always }: Field, value: JsonValue, path: Place): JsonValue | undefined {
  const isText = kind.of === 'string' && typeof value === 'string';
  const formed = isText ? value : conformKind(kind, value, { parent: path, key: name });
  // What is always encoded stays when it is empty, so a pod's containers when a native proxy was all it had.
  if (always && kind.of !== 'struct') return formed;
  return isEmpty(kind, formed) ? undefined : formed;
}

/** What `omitempty` leaves out: zero values, save behind a pointer. */
function isEmpty(kind: Kind, value: JsonValue): boolean {
  switch (kind.of) {
    case 'list':
      return Array.isArray(value) && value.length === 0;
    case 'map':
      return isObject(value) && isEmptyObject(value);
    case 'struct':
      return !kind.pointer && isObject(value) && isEmptyObject(value);
    case 'enum':
      return false;
    default:
      return !kind.pointer && (value === '' || value === 0 || value === false);
  }
}

function isEmptyObject(value: JsonObject): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

function conformKind(kind: Kind, value: JsonValue, path: Place): JsonValue {
  switch (kind.of) {
    case 'struct':
      return conform(kind.type, value, path);
    case 'list':
      return conformList(kind.item, value, path);
    case 'map':
      return conformMap(kind.item, value, path);
    case 'enum':
      return value;
    default:
      return conformScalar(kind.of, value, path);
  }
}

function conformList(item: Kind, value: JsonValue, path: Place): JsonValue {
  if (!Array.isArray(value)) throw mismatch(path, 'a list', value);
  const items: JsonValue[] = [];
  for (let i = 0; i < value.length; i++) items.push(conformKind(item, value[i] ?? null, { parent: path, key: i }));
  return items;
}

function conformMap(item: Kind, value: JsonValue, path: Place): JsonValue {
  if (!isObject(value)) throw mismatch(path, 'a map', value);
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const given = value[key] ?? null;
    const isText = item.of === 'string' && typeof given === 'string';
    put(result, key, isText ? given : conformKind(item, given, { parent: path, key }));
  }
  return result;
}

function conformScalar(scalar: Scalar, value: JsonValue, path: Place): JsonValue {
  switch (scalar) {
    case 'string':
    case 'time':
    case 'duration':
      if (value === null) return '';
      if (typeof value === 'string') return value;
      throw mismatch(path, 'a text', value);
    case 'bool':
      if (value === null) return false;
      if (typeof value === 'boolean') return value;
      throw mismatch(path, 'true or false', value);
    case 'int':
      if (value === null) return 0;
      if (typeof value === 'number' && Number.isInteger(value)) return value;
      throw mismatch(path, 'a whole number', value);
    case 'float':
      if (typeof value === 'number') return value;
      throw mismatch(path, 'a number', value);
    case 'intOrString':
      if (value === null) return 0;
      if (typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value))) return value;
      throw mismatch(path, 'a number or a text', value);
    case 'quantity':
      return quantity(value, path);
    case 'int64':
    case 'any':
      return value;
  }
}

function quantity(value: JsonValue, path: Place): string {
  if (value === null) return '0';
  const canonical =
    typeof value === 'string' || typeof value === 'number' ? canonicalQuantity(String(value)) : undefined;
  if (canonical === undefined) throw mismatch(path, 'a quantity', value);
  return canonical;
}

function mismatch(path: Place, wanted: string, value: JsonValue): InjectError {
  const text = JSON.stringify(value);
  return new InjectError(
    `${spelled(path) || 'the pod'}: want ${wanted}, found ${text.length > 80 ? `${text.slice(0, 80)}…` : text}`,
  );
}

function spelled(place: Place): string {
  if (typeof place === 'string') return place;
  const { parent, key } = place;
  const outer = spelled(parent);
  if (typeof key === 'number') return `${outer}[${key}]`;
  return outer === '' ? key : `${outer}.${key}`;
}
