// The hash that names a template's pods: the same template, the same hash, whatever the order of its keys.
import { compareCodePoints } from '../std/order.ts';
import { sha256Hex } from '../std/sha256.ts';
import { utf8 } from '../std/utf8.ts';

/** Ten letters and digits that spell no word: no vowels, nothing that looks like another. */
export function templateHash(template: unknown): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const digest = sha256Hex(utf8(JSON.stringify(sorted(template))));
  const bytes = digest.match(/../g) ?? [];
  return bytes
    .slice(0, 10)
    .map((byte) => alphabet[Number.parseInt(byte, 16) % alphabet.length])
    .join('');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => compareCodePoints(a, b));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
