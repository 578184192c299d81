// sprig's functions on lists and maps. Where Go walks a map in no order (keys, values), the order here is by key.
import { compareCodePoints } from '../../std/order.ts';
import { failCall } from '../error.ts';
import { entryOf, type GoFunction, type GoMap, isMap, kindOf, newMap, typeName, type Value } from '../value.ts';
import { copy, count, define, isEmpty, mutable, text, texts } from './convert.ts';

export const collectionFunctions: Readonly<Record<string, GoFunction>> = {
  list: define(['...any'], (...values: Value[]) => values),
  tuple: define(['...any'], (...values: Value[]) => values),
  dict: define(['...any'], (...values: Value[]) => dict(values)),
  get: define(
    ['map', 'string'],
    (map: GoMap, key: string) => entryOf(map, key) ?? (Object.hasOwn(map, key) ? null : ''),
  ),
  set: define(['map', 'string', 'any'], setKey),
  unset: define(['map', 'string'], unsetKey),
  hasKey: define(['map', 'string'], (map: GoMap, key: string) => Object.hasOwn(map, key)),
  pluck: define(['string', '...map'], pluck),
  keys: define(['...map'], (...maps: GoMap[]) => maps.flatMap(sortedKeys)),
  values: define(['map'], (map: GoMap) => sortedKeys(map).map((key) => map[key])),
  pick: define(['map', '...string'], pick),
  omit: define(['map', '...string'], omit),
  merge: define(['map', '...map'], (...maps: GoMap[]) => mergeAll(maps, false)),
  mustMerge: define(['map', '...map'], (...maps: GoMap[]) => mergeAll(maps, false)),
  mergeOverwrite: define(['map', '...map'], (...maps: GoMap[]) => mergeAll(maps, true)),
  mustMergeOverwrite: define(['map', '...map'], (...maps: GoMap[]) => mergeAll(maps, true)),
  deepCopy: define(['any'], copy),
  mustDeepCopy: define(['any'], copy),
  dig: define(['...any'], (...values: Value[]) => dig(values)),
  ...withMust({
    append: define(['any', 'any'], (list: Value, value: Value) => [...items(list, 'append'), value]),
    push: define(['any', 'any'], (list: Value, value: Value) => [...items(list, 'push'), value]),
    prepend: define(['any', 'any'], (list: Value, value: Value) => [value, ...items(list, 'prepend')]),
    first: define(['any'], (list: Value) => items(list, 'find first')[0] ?? null),
    last: define(['any'], (list: Value) => items(list, 'find last').at(-1) ?? null),
    rest: define(['any'], (list: Value) => items(list, 'find rest').slice(1)),
    initial: define(['any'], (list: Value) => items(list, 'find initial').slice(0, -1)),
    reverse: define(['any'], (list: Value) => items(list, 'find reverse').toReversed()),
    compact: define(['any'], (list: Value) => items(list, 'compact').filter((item) => !isEmpty(item))),
    uniq: define(['any'], (list: Value) => unique(items(list, 'find uniq'))),
    without: define(['any', '...any'], (list: Value, ...gone: Value[]) => {
      return items(list, 'find without').filter((item) => !contains(gone, item));
    }),
    has: define(['any', 'any'], (needle: Value, list: Value) => {
      return list !== null && list !== undefined && contains(items(list, 'find has'), needle);
    }),
    slice: define(['any', '...any'], (list: Value, ...bounds: Value[]) => sliceList(items(list, 'slice'), bounds)),
    chunk: define(['int', 'any'], (size: bigint, list: Value) => chunk(items(list, 'chunk'), count(size))),
  }),
  concat: define(['...any'], (...lists: Value[]) => lists.flatMap((list) => [...items(list, 'concat')])),
};

function withMust(functions: Readonly<Record<string, GoFunction>>): Record<string, GoFunction> {
  const all: Record<string, GoFunction> = { ...functions };
  for (const [name, work] of Object.entries(functions))
    all[`must${name.charAt(0).toUpperCase()}${name.slice(1)}`] = work;
  return all;
}

function items(list: Value, verb: string): readonly Value[] {
  return Array.isArray(list) ? (list as readonly Value[]) : failCall(`Cannot ${verb} on type ${kindWord(list)}`);
}

function kindWord(value: Value): string {
  const kind = kindOf(value);
  return kind === 'strmap' ? 'map' : kind === 'float' ? 'float64' : kind;
}

function dict(values: readonly Value[]): Value {
  const map = newMap();
  for (let i = 0; i < values.length; i += 2) map[text(values[i])] = i + 1 < values.length ? values[i + 1] : '';
  return map;
}

function setKey(map: GoMap, key: string, value: Value): Value {
  mutable(map)[key] = value;
  return map;
}

function unsetKey(map: GoMap, key: string): Value {
  delete mutable(map)[key];
  return map;
}

function pluck(key: string, ...maps: GoMap[]): Value {
  return maps.filter((map) => Object.hasOwn(map, key)).map((map) => map[key]);
}

function sortedKeys(map: GoMap): string[] {
  return Object.keys(map).sort(compareCodePoints);
}

function pick(map: GoMap, ...keys: string[]): Value {
  return newMap(keys.filter((key) => Object.hasOwn(map, key)).map((key) => [key, map[key]]));
}

function omit(map: GoMap, ...keys: string[]): Value {
  return newMap(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

/** Merges into the first map, which it changes and gives back, as mergo does. */
function mergeAll([target = {}, ...sources]: readonly GoMap[], overwrite: boolean): Value {
  for (const source of sources) mergeInto(mutable(target), source, overwrite);
  return target;
}

function mergeInto(target: Record<string, Value>, source: GoMap, overwrite: boolean): void {
  for (const key of Object.keys(source)) {
    const [old, value] = [entryOf(target, key), source[key]];
    if (isMap(old) && isMap(value)) mergeInto(mutable(old), value, overwrite);
    else if (overwrite || isEmpty(old)) target[key] = value;
  }
}

function dig(values: readonly Value[]): Value {
  if (values.length < 3) return failCall(`dig needs at least three arguments`);
  const map = values.at(-1);
  const fallback = values.at(-2);
  if (!isMap(map))
    return failCall(`interface conversion: interface {} is ${typeName(map)}, not map[string]interface {}`);
  let found: GoMap = map;
  const path = values.slice(0, -2).map(text);
  for (const [i, key] of path.entries()) {
    if (!Object.hasOwn(found, key)) return fallback;
    const next = found[key];
    if (i === path.length - 1) return next;
    if (!isMap(next))
      return failCall(`interface conversion: interface {} is ${typeName(next)}, not map[string]interface {}`);
    found = next;
  }
  return fallback;
}

/** reflect.DeepEqual on template values. */
export function deepEqual(a: Value, b: Value): boolean {
  if (a === b || ((a ?? null) === null && (b ?? null) === null)) return true;
  if (kindOf(a) !== kindOf(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item: Value, i) => deepEqual(item, b[i] as Value));
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
  );
}

function contains(list: readonly Value[], needle: Value): boolean {
  return list.some((item) => deepEqual(item, needle));
}

function unique(list: readonly Value[]): Value[] {
  const seen: Value[] = [];
  for (const item of list) if (!contains(seen, item)) seen.push(item);
  return seen;
}

function sliceList(list: readonly Value[], bounds: readonly Value[]): Value {
  if (list.length === 0) return null;
  const [from = 0, to = list.length] = bounds.map((bound) => Number(texts(bound)[0] ?? 0));
  if (from > to || to > list.length || from < 0) return failCall('reflect.Value.Slice: slice index out of bounds');
  return list.slice(from, to);
}

function chunk(list: readonly Value[], size: number): Value {
  if (size < 1) return failCall('runtime error: integer divide by zero');
  const chunks: Value[] = [];
  for (let i = 0; i < list.length; i += size) chunks.push(list.slice(i, i + size));
  return chunks;
}
