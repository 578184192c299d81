// JSON as Go's encoding/json writes it: map keys sorted, `<`, `>` and `&` escaped unless told otherwise, floats in the shortest
// form; and JSON read as Go reads it into interface{} (every number a float64).
import { compareCodePoints } from '../std/order.ts';
import { Enum, encodedData, GoFunction, type GoMap, GoStruct, StringMap, type Value } from './value.ts';

interface JsonOptions {
  /** Spaces a level; none for one line. */
  readonly indent?: number;
  /** Leaves <, > and & as they are. */
  readonly raw?: boolean;
}

/** The JSON text of a value, or undefined where Go cannot encode it (functions, NaN, infinities). */
export function goJson(value: Value, { indent = 0, raw = false }: JsonOptions = {}): string | undefined {
  const text = write(value, { step: ' '.repeat(indent), raw }, '');
  return text;
}

/** JSON text as a value, or undefined where it is not JSON. */
export function parseJson(text: string): { readonly value: Value } | undefined {
  try {
    return { value: JSON.parse(text) as Value };
  } catch {
    return undefined;
  }
}

interface Style {
  readonly step: string;
  readonly raw: boolean;
}

function write(value: Value, style: Style, indent: string): string | undefined {
  switch (typeof value) {
    case 'undefined':
      return 'null';
    case 'string':
      return encodeString(value, style.raw);
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : undefined;
    default:
      return writeObject(value, style, indent);
  }
}

function writeObject(value: Value & (object | null), style: Style, indent: string): string | undefined {
  if (value === null) return 'null';
  if (value instanceof GoFunction) return undefined;
  if (value instanceof Enum) return String(value.number);
  if (value instanceof GoStruct) return writeStruct(value, { style, indent });
  if (Array.isArray(value)) return writeList(value, { style, indent });
  const map = value instanceof StringMap ? value.entries : (value as GoMap);
  return writeMap(map, Object.keys(map).sort(compareCodePoints), { style, indent });
}

function writeStruct(struct: GoStruct, level: Level): string | undefined {
  const data = encodedData(struct);
  return data === null ? 'null' : writeMap(data, Object.keys(data), level);
}

interface Level {
  readonly style: Style;
  readonly indent: string;
}

function writeList(items: readonly Value[], { style, indent }: Level): string | undefined {
  const inner = indent + style.step;
  const parts: string[] = [];
  for (const item of items) {
    const text = write(item, style, inner);
    if (text === undefined) return undefined;
    parts.push(text);
  }
  return enclose('[', parts, ']', { style, indent });
}

function writeMap(map: GoMap, keys: readonly string[], { style, indent }: Level): string | undefined {
  const inner = indent + style.step;
  const parts: string[] = [];
  for (const key of keys) {
    const text = write(map[key], style, inner);
    if (text === undefined) return undefined;
    parts.push(`${encodeString(key, style.raw)}:${style.step === '' ? '' : ' '}${text}`);
  }
  return enclose('{', parts, '}', { style, indent });
}

function enclose(open: string, parts: readonly string[], close: string, { style, indent }: Level): string {
  if (style.step === '' || parts.length === 0) return open + parts.join(',') + close;
  const inner = `\n${indent}${style.step}`;
  return `${open}${inner}${parts.join(`,${inner}`)}\n${indent}${close}`;
}

function encodeString(text: string, raw: boolean): string {
  const quoted = JSON.stringify(text);
  if (!raw && /[<>&\u2028\u2029]/.test(quoted)) return quoted.replace(/[<>&\u2028\u2029]/g, escapeOne);
  return raw && /[\u2028\u2029]/.test(quoted) ? quoted.replace(/[\u2028\u2029]/g, escapeOne) : quoted;
}

function escapeOne(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
