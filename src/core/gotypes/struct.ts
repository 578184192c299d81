// Conformed data as Go structs for templates: `.Spec.Containers`, `.ProxyConfig.HoldApplicationUntilProxyStarts.GetValue`.
import { Enum, GoFunction, GoStruct, StringMap, type StructType, type Value } from '../gotemplate/index.ts';
import { isObject, type JsonObject, type JsonValue } from '../std/json.ts';
import { encode } from './encode.ts';
import type { Field, Kind, Type } from './table.ts';

/** A Kubernetes struct. */
export function podStruct(type: Type, data: JsonObject | null): GoStruct {
  return new GoStruct(podStructType(type), data);
}

/** A protobuf message; a nil one answers its getters with zero values. */
export function messageStruct(type: Type, data: JsonObject | null): GoStruct {
  return new GoStruct(messageStructType(type), data);
}

const podStructs = new Map<Type, StructType>();
const messageStructs = new Map<Type, StructType>();

function podStructType(type: Type): StructType {
  const made = podStructs.get(type) ?? {
    name: `v1.${type.name}`,
    field: (data, name) => fieldOf(type, data as JsonObject, name),
    json: (data) => encode(type, data as JsonObject),
  };
  podStructs.set(type, made);
  return made;
}

function fieldOf(type: Type, data: JsonObject, name: string): { readonly value: Value } | undefined {
  const field = type.byGoName.get(name);
  return field === undefined ? undefined : { value: valueOf(field.kind, data[field.name], podStruct) };
}

function messageStructType(type: Type): StructType {
  const made = messageStructs.get(type) ?? {
    name: `*v1alpha1.${type.name}`,
    field: (data, name) => {
      const field = type.byGoName.get(name);
      return field === undefined ? undefined : { value: messageValue(field, data as JsonObject) };
    },
    method: (data, name) => {
      const field = name.startsWith('Get') ? type.byGoName.get(name.slice(3)) : undefined;
      return field === undefined
        ? undefined
        : new GoFunction([], undefined, () => messageValue(field, (data ?? {}) as JsonObject));
    },
  };
  messageStructs.set(type, made);
  return made;
}

function messageValue({ kind, name }: Field, data: JsonObject): Value {
  const value = data[name];
  if (kind.of === 'enum') return enumValue(kind.numbers, value);
  if (kind.of !== 'list' && kind.of !== 'map' && kind.of !== 'struct' && kind.pointer) {
    return new GoStruct(wrapperType, value === undefined ? null : { value });
  }
  return valueOf(kind, value, messageStruct);
}

function enumValue(numbers: ReadonlyMap<string, number>, value: JsonValue | undefined): Enum {
  for (const [text, number] of numbers) {
    if (text === value || number === value || (value === undefined && number === 0))
      return new Enum('int32', text, number);
  }
  return new Enum('int32', JSON.stringify(value), Number(value));
}

/** BoolValue, Int32Value, Duration and their like. */
const wrapperType: StructType = {
  name: '*wrapperspb.Value',
  field: (data, name) => (name === 'Value' ? { value: scalarValue(data['value'] as JsonValue) } : undefined),
  method: (data, name) => {
    return name === 'GetValue'
      ? new GoFunction([], undefined, () => scalarValue((data?.['value'] ?? false) as JsonValue))
      : undefined;
  },
};

type MakeStruct = (type: Type, data: JsonObject | null) => GoStruct;

function valueOf(kind: Kind, value: JsonValue | undefined, make: MakeStruct): Value {
  switch (kind.of) {
    case 'struct':
      return make(kind.type, isObject(value) ? value : kind.pointer ? null : {});
    case 'list':
      return Array.isArray(value) ? value.map((item) => valueOf(kind.item, item, make)) : [];
    case 'map':
      return mapValue(kind.item, isObject(value) ? value : {}, make);
    case 'enum':
      return enumValue(kind.numbers, value);
    default:
      if (value !== undefined) return scalarValue(value);
      return kind.pointer ? new GoStruct(nilScalar, null) : zeroOf(kind.of);
  }
}

const nilScalar: StructType = { name: '*scalar', field: () => undefined };

function mapValue(item: Kind, entries: JsonObject, make: MakeStruct): Value {
  if (item.of === 'string') return new StringMap(entries as Record<string, string>);
  const map: Record<string, Value> = Object.create(null) as Record<string, Value>;
  for (const key of Object.keys(entries)) map[key] = valueOf(item, entries[key], make);
  return map;
}

function scalarValue(value: JsonValue): Value {
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
}

function zeroOf(scalar: string): Value {
  if (scalar === 'int' || scalar === 'intOrString') return 0n;
  if (scalar === 'bool') return false;
  if (scalar === 'float') return 0;
  return scalar === 'any' ? null : '';
}
