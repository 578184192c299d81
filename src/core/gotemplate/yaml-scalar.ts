// What a plain YAML scalar means to goyaml v2 (YAML 1.1 with its extensions), which Kubernetes' tools read with: `yes`, `0o17`,
// `1_000` and `.inf` are not strings. One function for writers (must this be quoted?) and one for readers (what is it?).
import { parseFloat64 } from './unquote.ts';

const words: ReadonlyMap<string, boolean | null | number> = new Map<string, boolean | null | number>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const date =
  /^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d{1,2}(?::?\d{2})?))?)?$/;

/** True if a plain scalar would be read back as this very string. */
export function resolvesToString(text: string): boolean {
  return typeof resolvePlain(text) === 'string' && !base60.test(text) && !date.test(text);
}

/** A plain scalar as JSON data. Integers beyond 2^53 lose precision, as they do in float64. */
export function resolvePlain(text: string): string | number | boolean | null {
  const word = words.get(text);
  if (word !== undefined) return word;
  const first = text.charCodeAt(0);
  const numeric = (first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46;
  return numeric ? (resolveNumber(text) ?? text) : text;
}

function resolveNumber(text: string): number | undefined {
  const plain = text.replaceAll('_', '');
  const integer = resolveInteger(plain);
  if (integer !== undefined) return integer;
  if (float.test(plain)) return parseFloat64(plain);
  return undefined;
}

function resolveInteger(plain: string): number | undefined {
  const negative = plain.startsWith('-');
  const digits = /^[+-]/.test(plain) ? plain.slice(1) : plain;
  if (/^(?:0|[1-9]\d*)$/.test(digits)) return within(BigInt(digits), negative);
  if (/^0[xX][0-9a-fA-F]+$/.test(digits) || /^0[bB][01]+$/.test(digits) || /^0[oO][0-7]+$/.test(digits)) {
    return within(BigInt(digits), negative);
  }
  return /^0[0-7]+$/.test(digits) ? within(BigInt(`0o${digits.slice(1)}`), negative) : undefined;
}

function within(value: bigint, negative: boolean): number | undefined {
  const limit = negative ? 2n ** 63n : 2n ** 64n - 1n;
  if (value > limit) return undefined;
  return Number(negative ? -value : value);
}
