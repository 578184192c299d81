// The difference of two JSON values as RFC 6902 operations, and applying them. Lists are compared after their common beginning and end,
// so that what is put in front or behind is one operation and what stands still is not touched.
import { InvariantError } from '../std/errors.ts';
import { isObject, type JsonObject, type JsonValue, put, sameJson } from '../std/json.ts';

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/** Operations that make `to` of `from`. */
export function diff(from: JsonValue, to: JsonValue, path = ''): PatchOperation[] {
  if (isObject(from) && isObject(to)) return diffObjects(from, to, path);
  if (Array.isArray(from) && Array.isArray(to)) return diffLists(from, to, path);
  return sameJson(from, to) ? [] : [{ op: 'replace', path, value: to }];
}

function diffObjects(from: JsonObject, to: JsonObject, path: string): PatchOperation[] {
  const operations: PatchOperation[] = [];
  for (const key of Object.keys(from)) {
    if (!Object.hasOwn(to, key)) operations.push({ op: 'remove', path: `${path}/${escapeToken(key)}` });
  }
  for (const key of Object.keys(to)) {
    const old = Object.hasOwn(from, key) ? from[key] : undefined;
    const value = to[key] ?? null;
    if (old === value) continue;
    const place = `${path}/${escapeToken(key)}`;
    if (old === undefined) operations.push({ op: 'add', path: place, value });
    else operations.push(...diff(old, value, place));
  }
  return operations;
}

function diffLists(from: readonly JsonValue[], to: readonly JsonValue[], path: string): PatchOperation[] {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && sameItem(from[start], to[start])) start++;
  let end = 0;
  while (end < shorter - start && sameItem(from[from.length - 1 - end], to[to.length - 1 - end])) end++;
  const operations: PatchOperation[] = [];
  for (let i = 0; i < start; i++) operations.push(...diff(from[i] ?? null, to[i] ?? null, `${path}/${i}`));
  const tail: PatchOperation[] = [];
  const [oldEnd, newEnd] = [from.length - end, to.length - end];
  const common = Math.min(oldEnd, newEnd);
  for (let i = start; i < common; i++) operations.push(...diff(from[i] ?? null, to[i] ?? null, `${path}/${i}`));
  for (let i = oldEnd - 1; i >= newEnd; i--) operations.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = oldEnd; i < newEnd; i++) operations.push({ op: 'add', path: `${path}/${i}`, value: to[i] ?? null });
  for (let i = 0; i < end; i++) {
    const [a, b] = [from[oldEnd + i] ?? null, to[newEnd + i] ?? null];
    tail.push(...diff(a, b, `${path}/${newEnd + i}`));
  }
  return [...operations, ...tail];
}

/** Items with one name are the same thing, changed. */
function sameItem(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (isObject(a) && isObject(b) && typeof a['name'] === 'string') return a['name'] === b['name'];
  return sameJson(a, b);
}

/** One token of a JSON pointer (RFC 6901). */
export function escapeToken(key: string): string {
  if (!key.includes('/') && !key.includes('~')) return key;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function unescapeToken(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Applies operations to a value, which they change. @throws InvariantError where a place is not there */
export function applyPatch(target: JsonValue, operations: readonly PatchOperation[]): JsonValue {
  let root = target;
  for (const operation of operations) {
    if (operation.path === '') {
      if (operation.op !== 'remove') root = operation.value;
      continue;
    }
    const tokens = operation.path.slice(1).split('/').map(unescapeToken);
    const last = tokens.pop() ?? '';
    let parent: JsonValue | undefined = root;
    for (const token of tokens) parent = childOf(parent, token);
    applyOne(parent, last, operation);
  }
  return root;
}

function childOf(parent: JsonValue | undefined, token: string): JsonValue | undefined {
  if (Array.isArray(parent)) return parent[Number(token)];
  return isObject(parent) && Object.hasOwn(parent, token) ? parent[token] : undefined;
}

function applyOne(parent: JsonValue | undefined, key: string, operation: PatchOperation): void {
  if (Array.isArray(parent)) {
    const at = key === '-' ? parent.length : Number(key);
    if (operation.op === 'add') parent.splice(at, 0, operation.value);
    else if (operation.op === 'replace') parent[at] = operation.value;
    else parent.splice(at, 1);
  } else if (isObject(parent)) {
    if (operation.op === 'remove') delete parent[key];
    else put(parent, key, operation.value);
  } else throw new InvariantError(`a patch to ${operation.path}, which has no parent`);
}
