// Copies of text that stand for themselves. A part of a text keeps the whole text in memory, and takes two bytes a character where one
// character of the whole, be it a dash in a comment, needs them; so does everything that is made of it, which then costs twice as much.
import { type JsonValue, put } from './json.ts';

/** The same text, as small as it can be. */
export function ownText(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** A deep copy of JSON data whose texts are their own. */
export function ownJson<T extends JsonValue>(value: T): T {
  if (typeof value === 'string') return ownText(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(ownJson) as T;
  const copy: Record<string, JsonValue> = {};
  for (const [key, inner] of Object.entries(value)) put(copy, ownText(key), ownJson(inner));
  return copy as T;
}
