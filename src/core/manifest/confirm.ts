// A second opinion on what the complete path changed: another parser, given by the caller (it is large and seldom needed), reads the
// document before and after, and must find the same values but for the members that the text gained.
import { samePlain } from './change.ts';

/**
 * Whether `after` reads as `before` but for scalars that were added or replaced under the name `key`. `parse` is another
 * parser's reading of one document, aliases and merges resolved, shared parts shared.
 */
export function confirmChange(before: unknown, after: unknown, keys: ReadonlySet<string>): boolean {
  return samePlain(without(before, keys, new Map()), without(after, keys, new Map()));
}

/** The value without these members, and without mappings that are empty or null then. */
function without(value: unknown, keys: ReadonlySet<string>, done: Map<object, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  const copy: unknown[] | Record<string, unknown> = Array.isArray(value) ? [] : {};
  done.set(value, copy);
  for (const [key, inner] of Object.entries(value)) {
    if (keys.has(key)) continue;
    const kept = without(inner, keys, done);
    if (!isNothing(kept) || Array.isArray(value)) Object.assign(copy, { [key]: kept });
  }
  return copy;
}

function isNothing(value: unknown): boolean {
  return (
    value === null || (typeof value === 'object' && !Array.isArray(value) && Object.keys(value ?? {}).length === 0)
  );
}
