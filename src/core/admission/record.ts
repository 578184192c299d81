// Looks into parsed JSON of unknown shape without trusting it: every answer is a value of the wanted type, or undefined.

export type JsonRecord = { readonly [key: string]: unknown };

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a map, else an empty one. */
export function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : empty;
}

/** The value if it is a list, else an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An own field that is a string. Inherited names (`constructor`) are no fields. */
export function textField(record: JsonRecord, key: string): string | undefined {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

const empty: JsonRecord = {};
