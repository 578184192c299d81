// The words of the API server's field errors, and safe reading of untyped objects: a field of the wrong type is told once, by
// `shapeProblems`, and reads as absent everywhere else. Knows nothing of pods.
import type { Problem } from '../../std/errors.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What the value of a field must be; `objects` and `texts` are lists of these, the items of a `list` are checked elsewhere. */
export type Kind = 'int' | 'int32' | 'text' | 'bool' | 'object' | 'list' | 'objects' | 'texts' | 'int-or-text';

export function invalid(path: string, value: unknown, detail: string): Problem {
  return rejected(path, `Invalid value: ${shown(value)}: ${detail}`);
}

export function required(path: string, detail = ''): Problem {
  return rejected(path, detail === '' ? 'Required value' : `Required value: ${detail}`);
}

export function unsupported(path: string, value: unknown, supported: readonly string[]): Problem {
  return rejected(path, `Unsupported value: ${shown(value)}: supported values: ${supported.map(shown).join(', ')}`);
}

export function forbidden(path: string, detail: string): Problem {
  return rejected(path, `Forbidden: ${detail}`);
}

export function duplicate(path: string, value: unknown): Problem {
  return rejected(path, `Duplicate value: ${shown(value)}`);
}

export function tooMany(path: string, count: number, most: number): Problem {
  return rejected(path, `Too many: ${count}: must have at most ${most} items`);
}

/** Something that the API server accepts, but not as it was meant. */
export function remark(path: string, message: string, hint: string): Problem {
  return { code: 'pod-field-changed', severity: 'warning', path, message, hint };
}

export function nonNegative(path: string, value: number | undefined): readonly Problem[] {
  return value !== undefined && value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}

/** Fields of a wrong type (errors) and fields that do not exist (warnings: the API server drops them). */
export function shapeProblems(path: string, fields: Fields, shape: Readonly<Record<string, Kind>>): readonly Problem[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const kind = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const at = `${path}.${name}`;
    if (kind === undefined) return [unknownField(at, Object.keys(shape), name)];
    if (value === null || value === undefined) return [];
    if (!tests[kind](value)) return [invalid(at, value, misfit(kind, value))];
    return itemProblems(at, kind, value);
  });
}

function misfit(kind: Kind, value: unknown): string {
  if (!Number.isInteger(value) || (kind !== 'int' && kind !== 'int32')) return `must be ${kindNames[kind]}`;
  return `must fit into ${kind === 'int' ? 64 : 32} bits`;
}

function itemProblems(path: string, kind: Kind, value: unknown): readonly Problem[] {
  const item = kind === 'objects' ? 'object' : kind === 'texts' ? 'text' : undefined;
  if (item === undefined || !Array.isArray(value)) return [];
  return (value as readonly unknown[]).flatMap((each, index) =>
    tests[item](each) ? [] : [invalid(`${path}[${index}]`, each, `must be ${kindNames[item]}`)],
  );
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function object(fields: Fields, name: string): Fields | undefined {
  const value = own(fields, name);
  return isFields(value) ? value : undefined;
}

export function list(fields: Fields, name: string): readonly unknown[] {
  const value = own(fields, name);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** The items of a list that are objects, each with its path. */
export function items(fields: Fields, name: string, path: string): readonly (readonly [path: string, item: Fields])[] {
  return list(fields, name).flatMap((item, index) =>
    isFields(item) ? [[`${path}.${name}[${index}]`, item] as const] : [],
  );
}

export function int(fields: Fields, name: string): number | undefined {
  const value = own(fields, name);
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

export function text(fields: Fields, name: string): string | undefined {
  const value = own(fields, name);
  return typeof value === 'string' ? value : undefined;
}

export function has(fields: Fields, name: string): boolean {
  return (own(fields, name) ?? null) !== null;
}

export function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Whether two JSON values are the same, whatever the order of their keys; null, {} and [] count as absent, as after a round trip through the API. */
export function sameJson(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : `[${value.map(canonical).join(',')}]`;
  if (!isFields(value)) return JSON.stringify(value) ?? '';
  const parts = Object.keys(value)
    .sort()
    .map((key) => [key, canonical(value[key])] as const)
    .filter(([, inner]) => inner !== '');
  return parts.length === 0 ? '' : `{${parts.map(([key, inner]) => `${JSON.stringify(key)}:${inner}`).join(',')}}`;
}

function rejected(path: string, message: string): Problem {
  return { code: 'pod-invalid', severity: 'error', path, message };
}

function unknownField(path: string, known: readonly string[], name: string): Problem {
  const meant = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
  return {
    code: 'pod-unknown-field',
    severity: 'warning',
    path,
    message: 'unknown field, the API server ignores it',
    ...(meant === undefined ? {} : { hint: `the field is written ${meant}` }),
  };
}

const kindNames: Readonly<Record<Kind, string>> = {
  int: 'an integer',
  int32: 'an integer',
  text: 'a string',
  bool: 'true or false',
  object: 'an object',
  list: 'a list',
  objects: 'a list',
  texts: 'a list',
  'int-or-text': 'an integer or a string',
};

const tests: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  int: (value) => fits(value, 2 ** 63),
  int32: (value) => fits(value, 2 ** 31),
  text: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  object: isFields,
  list: Array.isArray,
  objects: Array.isArray,
  texts: Array.isArray,
  'int-or-text': (value) => Number.isInteger(value) || typeof value === 'string',
};

function shown(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function fits(value: unknown, above: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value < above && value >= -above;
}
