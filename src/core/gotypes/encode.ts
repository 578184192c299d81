// Conformed data as Go's JSON encoder writes it: fields that are always encoded are there, empty, in the order of the type. For
// what ends up as text inside of the pod (annotations, environment) and must be Istio's text.
import { isObject, type JsonObject, type JsonValue, put } from '../std/json.ts';
import type { Kind, Type } from './table.ts';

/** A copy with every field that Go would write. */
export function encode(type: Type, data: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const { name, kind, always } of type.fields.values()) {
    const value = Object.hasOwn(data, name) ? data[name] : undefined;
    if (value !== undefined) result[name] = encodeKind(kind, value);
    else if (always) result[name] = emptyOf(kind);
  }
  return result;
}

function encodeKind(kind: Kind, value: JsonValue): JsonValue {
  if (kind.of === 'struct' && isObject(value)) return encode(kind.type, value);
  if (kind.of === 'list' && Array.isArray(value)) return value.map((item) => encodeKind(kind.item, item));
  if (kind.of !== 'map' || !isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) put(result, key, encodeKind(kind.item, value[key] ?? null));
  return result;
}

function emptyOf(kind: Kind): JsonValue {
  switch (kind.of) {
    case 'struct':
      return kind.pointer ? null : encode(kind.type, {});
    case 'string':
      return kind.pointer ? null : '';
    case 'int':
    case 'float':
    case 'intOrString':
      return kind.pointer ? null : 0;
    case 'bool':
      return false;
    default:
      return null;
  }
}
