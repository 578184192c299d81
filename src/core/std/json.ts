// JSON data: pods, reviews, configuration, bootstraps. What comes from outside is looked into without trust: every answer is a value of the wanted type, an
// empty one, or undefined. It is copied before anything is set in it.
export interface JsonObject {
  [key: string]: JsonValue;
}
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one that belongs to nobody. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value if it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An own member that is an object, or an empty one that belongs to nobody. */
export function objectAt(parent: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  return isObject(value) ? value : {};
}

/** An own member that is a list of objects; anything else in it is left out. */
export function objectsAt(parent: JsonObject, key: string): JsonObject[] {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** An own member that is a text. Inherited names (`constructor`) are no members. */
export function textAt(parent: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** The name of a container, a volume, a variable; empty where it has none. */
export function nameIn(item: JsonObject): string {
  return textAt(item, 'name') ?? '';
}

/** A member that is a map of texts. */
export function textsAt(parent: JsonObject, key: string): Record<string, string> {
  return objectAt(parent, key) as Record<string, string>;
}

/** A deep copy that may be changed. */
export function clone<T extends JsonValue>(value: T): T {
  if (Array.isArray(value)) return value.map(clone) as T;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) put(copy, key, clone(value[key] ?? null));
  return copy as T;
}

/** Sets a member, `__proto__` like any other. */
export function put(target: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The map that a text is the JSON of; undefined for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return isObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Deep equality of JSON data; the order of keys means nothing. */
export function sameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]));
}

/** JSON text as Go's encoder writes it, for texts that end up in a pod: `<`, `>`, `&` and the line separators are escaped. */
export function goText(value: JsonValue): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
