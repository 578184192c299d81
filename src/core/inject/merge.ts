// Strategic merge patch (Kubernetes' apply for typed objects): maps merge, lists merge by the key that the type declares or are
// replaced, null deletes, and `$patch`, `$retainKeys` and `$deleteFromPrimitiveList/…` direct it. In merged lists what only the patch
// has comes before what only the original has. `$setElementOrder/…` is refused: only clients that diff write it.

import type { Kind, Type } from '../gotypes/index.ts';
import { isObject, type JsonObject, type JsonValue, put, sameJson } from '../std/json.ts';
import { InjectError } from './error.ts';

/** The merged object; it takes over parts of both, so neither may be used afterwards. @throws InjectError */
export function strategicMerge(type: Type | undefined, original: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch['$patch'];
  if (directive !== undefined) return directed(directive, patch);
  retainKeys(original, patch);
  for (const key of Object.keys(patch)) mergeField(type, original, key, patch[key] ?? null);
  return original;
}

function directed(directive: JsonValue, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') throw new InjectError(`unknown patch directive $patch: ${JSON.stringify(directive)}`);
  delete patch['$patch'];
  return patch;
}

function retainKeys(original: JsonObject, patch: JsonObject): void {
  const keys = patch['$retainKeys'];
  if (keys === undefined) return;
  delete patch['$retainKeys'];
  if (!Array.isArray(keys)) throw new InjectError('$retainKeys: want a list');
  const stray = Object.keys(patch).find((key) => patch[key] !== null && !key.startsWith('$') && !keys.includes(key));
  if (stray !== undefined) throw new InjectError(`$retainKeys does not name ${stray}, which the patch sets`);
  for (const key of Object.keys(original)) if (!keys.includes(key)) delete original[key];
}

const deletePrefix = '$deleteFromPrimitiveList/';

function mergeField(type: Type | undefined, original: JsonObject, key: string, value: JsonValue): void {
  if (key.startsWith('$setElementOrder/')) throw new InjectError(`${key} is not supported`);
  if (key.startsWith(deletePrefix)) return deleteItems(original, key.slice(deletePrefix.length), value);
  const old = Object.hasOwn(original, key) ? original[key] : undefined;
  if (value === null) {
    delete original[key];
    return undefined;
  }
  const field = type?.fields.get(key);
  if (isObject(old) && isObject(value)) {
    const kind = field?.kind;
    put(
      original,
      key,
      field?.strategies.includes('replace') === true ? value : strategicMerge(structOf(kind), old, value),
    );
  } else if (Array.isArray(old) && Array.isArray(value)) {
    const merges = field?.strategies.includes('merge') === true;
    const lists: Lists = { type: structOf(field?.kind), key: field?.mergeKey, path: key };
    put(original, key, merges ? mergeLists(lists, old, value) : value);
  } else take(original, key, value);
  return undefined;
}

/** A value where the original has none, or one of another kind. */
function take(original: JsonObject, key: string, value: JsonValue): void {
  const clean = withoutDirectives(value);
  if (clean === undefined) delete original[key];
  else put(original, key, clean);
}

function structOf(kind: Kind | undefined): Type | undefined {
  if (kind === undefined) return undefined;
  if (kind.of === 'list' || kind.of === 'map') return structOf(kind.item);
  return kind.of === 'struct' ? kind.type : undefined;
}

/** The value without nulls and directives; undefined if it is itself a directive. */
function withoutDirectives(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => (item === null ? null : withoutDirectives(item))).filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  for (const key of Object.keys(value)) {
    const inner = value[key] ?? null;
    const clean = inner === null ? undefined : withoutDirectives(inner);
    if (clean === undefined) delete value[key];
    else if (clean !== inner) put(value, key, clean);
  }
  return value;
}

function deleteItems(original: JsonObject, key: string, value: JsonValue): void {
  const old = original[key];
  if (!Array.isArray(old) || !Array.isArray(value)) return;
  original[key] = old.filter((item) => !value.some((gone) => sameJson(item, gone)));
}

interface Lists {
  readonly type: Type | undefined;
  readonly key: string | undefined;
  readonly path: string;
}

function mergeLists(lists: Lists, old: JsonValue[], patch: JsonValue[]): JsonValue[] {
  if (lists.key === undefined) return mergeScalars(old, patch);
  return mergeObjects({ ...lists, key: lists.key }, old.filter(isObject), patch.filter(isObject));
}

function mergeScalars(old: readonly JsonValue[], patch: readonly JsonValue[]): JsonValue[] {
  const all = [...new Set([...old, ...patch])];
  const fromPatch = [...new Set(patch)];
  return interleave(
    all.filter((item) => !patch.includes(item)),
    fromPatch,
    (item) => old.indexOf(item),
  );
}

interface KeyedLists extends Lists {
  readonly key: string;
}

function mergeObjects(lists: KeyedLists, given: readonly JsonObject[], patchGiven: readonly JsonObject[]): JsonValue[] {
  const { old, patch } = applySpecial(lists, given, patchGiven);
  const keyOf = (item: JsonObject) => keyOfItem(lists, item);
  const merged = new Map<JsonValue, JsonObject>();
  const before = old.map(keyOf);
  for (const [i, item] of old.entries()) if (!merged.has(before[i] ?? null)) merged.set(before[i] ?? null, item);
  const fromPatch: JsonObject[] = [];
  for (const item of patch) {
    const key = keyOf(item);
    const known = merged.get(key);
    const result = known === undefined ? (withoutNulls(item) as JsonObject) : strategicMerge(lists.type, known, item);
    if (known === undefined || !fromPatch.includes(known)) fromPatch.push(result);
    merged.set(key, result);
  }
  const patched = new Set(patch.map(keyOf));
  const rest = old.filter((_item, i) => !patched.has(before[i] ?? null));
  // An original with the same key twice keeps its second one behind the merged first.
  const twins = old.filter((_item, i) => before.indexOf(before[i] ?? null) !== i);
  const firsts = fromPatch.flatMap((item) => [
    merged.get(keyOf(item)) ?? item,
    ...twins.filter((twin) => keyOf(twin) === keyOf(item)),
  ]);
  return interleave<JsonObject>(rest, firsts, (item) => before.indexOf(keyOf(item)));
}

function keyOfItem({ key, path }: KeyedLists, item: JsonObject): JsonValue {
  const value = item[key];
  if (value !== undefined && value !== null) return value;
  throw new InjectError(
    `an item of ${path} does not contain its merge key ${key}: ${JSON.stringify(item).slice(0, 80)}`,
  );
}

function withoutNulls(item: JsonValue): JsonValue {
  return withoutDirectives(item) ?? {};
}

/** Items of the patch with `$patch: delete` or `$patch: replace`. */
function applySpecial(
  lists: KeyedLists,
  old: readonly JsonObject[],
  patch: readonly JsonObject[],
): { readonly old: readonly JsonObject[]; readonly patch: readonly JsonObject[] } {
  const plain = patch.filter((item) => !Object.hasOwn(item, '$patch'));
  if (plain.length === patch.length) return { old, patch };
  let kept = old;
  let replaces = false;
  for (const item of patch) {
    const directive = item['$patch'];
    if (directive === 'replace') replaces = true;
    else if (directive === 'delete') {
      const key = keyOfItem(lists, item);
      kept = kept.filter((each) => each[lists.key] !== key);
    } else if (directive !== undefined)
      throw new InjectError(`unknown patch directive $patch: ${JSON.stringify(directive)}`);
  }
  return replaces ? { old: plain, patch: [] } : { old: kept, patch: plain };
}

/**
 * The items of the original alone, in their order, between those of the patch, in theirs: an original's item goes first only
 * before one that the original has too, and has later.
 */
function interleave<T>(left: readonly T[], right: readonly T[], placeOf: (item: T) => number): T[] {
  const result: T[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    if (a === undefined || i >= left.length) result.push(right[j++] as T);
    else if (b === undefined || j >= right.length) result.push(left[i++] as T);
    else {
      const [p, q] = [placeOf(a), placeOf(b)];
      if (p >= 0 && q >= 0 && p < q) result.push(left[i++] as T);
      else result.push(right[j++] as T);
    }
  }
  return result;
}
