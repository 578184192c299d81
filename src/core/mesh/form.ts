// Data as a message of Istio's mesh configuration: the JSON that protobuf writes of it (names of fields and enumerations, durations in
// seconds, nothing that is zero). A value of a wrong kind is told to `refuse` with its path and left out; an unknown field is left out.
import type { Field, Kind, Type } from '../gotypes/index.ts';
import { parseDurationMs } from '../std/duration.ts';
import { isObject, type JsonObject, type JsonValue, put } from '../std/json.ts';

/** Told for each value of a wrong kind. */
export type Refuse = (path: string, wanted: string, value: JsonValue) => void;

interface At {
  readonly path: string;
  readonly refuse: Refuse;
}

/** Sets the fields of a message that the data gives; null ones are as if absent. Changes and gives back `target`. */
export function applyMessage(type: Type, target: JsonObject, given: JsonObject, at: At): JsonObject {
  for (const [key, value] of Object.entries(given)) {
    const field = type.fields.get(key) ?? type.fields.get(camel(key));
    if (field === undefined || value === null) continue;
    const path = at.path === '' ? field.name : `${at.path}.${field.name}`;
    const formed = form(field.kind, value, { ...at, path });
    if (formed === undefined) continue;
    if (isZero(field, formed)) delete target[field.name];
    else target[field.name] = formed;
  }
  return target;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function isZero({ kind }: Field, value: JsonValue): boolean {
  if (kind.of === 'enum') return typeof value === 'string' && kind.numbers.get(value) === 0;
  if (kind.of === 'list') return Array.isArray(value) && value.length === 0;
  if (kind.of === 'map') return isObject(value) && Object.keys(value).length === 0;
  if (kind.of === 'struct') return false;
  return !kind.pointer && (value === '' || value === 0 || value === false);
}

/** Undefined: refused. */
function form(kind: Kind, value: JsonValue, at: At): JsonValue | undefined {
  switch (kind.of) {
    case 'struct':
      return isObject(value) ? formMessage(kind.type, value, at) : bad(at, 'a map', value);
    case 'list':
      return Array.isArray(value) ? value.flatMap((item) => form(kind.item, item, at) ?? []) : bad(at, 'a list', value);
    case 'map':
      return isObject(value) ? formMap(kind.item, value, at) : bad(at, 'a map', value);
    case 'enum':
      return formEnum(kind.numbers, value, at);
    default:
      return formScalar(kind.of, value, at);
  }
}

function formMessage(type: Type, value: JsonObject, at: At): JsonValue {
  const ordered: JsonObject = {};
  const formed = applyMessage(type, {}, value, at);
  for (const name of type.fields.keys()) if (formed[name] !== undefined) ordered[name] = formed[name];
  return ordered;
}

function formMap(item: Kind, value: JsonObject, at: At): JsonValue {
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const formed = form(item, value[key] ?? null, { ...at, path: `${at.path}.${key}` });
    if (formed !== undefined) put(result, key, formed);
  }
  return result;
}

function formEnum(numbers: ReadonlyMap<string, number>, value: JsonValue, at: At): JsonValue | undefined {
  if (typeof value === 'string' && numbers.has(value)) return value;
  const name = [...numbers].find(([, number]) => number === value)?.[0];
  return name ?? bad(at, `one of ${[...numbers.keys()].join(', ')}`, value);
}

function formScalar(scalar: string, value: JsonValue, at: At): JsonValue | undefined {
  switch (scalar) {
    case 'string':
      return typeof value === 'string' ? value : bad(at, 'a text', value);
    case 'bool':
      return typeof value === 'boolean' ? value : bad(at, 'true or false', value);
    case 'int':
      return formInt(value) ?? bad(at, 'a whole number', value);
    case 'int64':
      return formInt(value)?.toFixed(0) ?? bad(at, 'a whole number', value);
    case 'float':
      return typeof value === 'number' ? value : bad(at, 'a number', value);
    case 'duration':
      return formDuration(value) ?? bad(at, 'a duration such as 5s', value);
    default:
      return value;
  }
}

function formInt(value: JsonValue): number | undefined {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}

/** A Go duration, as seconds: the form of protobuf's JSON. */
function formDuration(value: JsonValue): string | undefined {
  const ms = typeof value === 'string' ? parseDurationMs(value) : undefined;
  if (ms === undefined) return undefined;
  const seconds = ms / 1000;
  return Number.isInteger(seconds) ? `${seconds}s` : `${seconds.toFixed(Number.isInteger(ms) ? 3 : 9)}s`;
}

function bad({ path, refuse }: At, wanted: string, value: JsonValue): undefined {
  refuse(path, wanted, value);
}
