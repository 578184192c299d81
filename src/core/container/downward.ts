// How the downward API writes a map of labels or annotations into one file.
import { compareCodePoints } from '../std/order.ts';

/** `key="value"` a line, sorted by key, the value quoted as Go quotes it. */
export function formatLabels(map: Readonly<Record<string, string>>): string {
  const keys = Object.keys(map).sort(compareCodePoints);
  return keys.map((key) => `${key}=${JSON.stringify(map[key])}`).join('\n');
}
