// Scalars: the text that a node stands for, the value that a Kubernetes reader (YAML 1.1, as kubectl reads) takes it for, and
// the text to write for a new value, quoted where YAML 1.1 or 1.2 would read it as something else. Numbers are never rounded:
// what a double cannot hold stays a bigint, or its text.
import { CHOMPING_MODE, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { type Bytes, columnAt, decodeUtf8, encodeUtf8 } from './bytes.ts';
import { endOf, kindOf, kinds, sliceOf, startOf, type Tape, tagOf } from './tape.ts';

/** A value as JSON knows it, and integers that a double cannot hold. */
export type Plain = null | boolean | number | bigint | string | readonly Plain[] | { readonly [key: string]: Plain };

/** How a new scalar is quoted; `plain` still quotes what would not stay a string. */
export type Quote = 'plain' | 'single' | 'double';

/** The text that a scalar node stands for, its escapes and folds undone. */
export function scalarText(tape: Tape, node: number): string {
  const kind = kindOf(tape, node);
  const raw = sliceOf(tape, startOf(tape, node), endOf(tape, node));
  switch (kind) {
    case kinds.empty:
      return '';
    case kinds.plain:
      return raw.includes('\n') ? folded(raw, SCALAR_STYLE.PLAIN) : decodeUtf8(raw);
    case kinds.single:
      if (raw.includes('\n')) return folded(raw.slice(1, -1), SCALAR_STYLE.SINGLE_QUOTED);
      return decodeUtf8(raw.slice(1, -1)).replaceAll("''", "'");
    case kinds.double:
      if (/[\\\n]/.test(raw)) return folded(raw.slice(1, -1), SCALAR_STYLE.DOUBLE_QUOTED);
      return decodeUtf8(raw.slice(1, -1));
    default:
      return blockText(tape, node);
  }
}

/** The value of a scalar node. */
export function scalarValue(tape: Tape, node: number): Plain {
  const kind = kindOf(tape, node);
  const tag = tagOf(tape, node);
  const tagged = tag === -1 ? '' : sliceOf(tape, tag, startOf(tape, node)).trim();
  if (tagged.startsWith('!!str')) return scalarText(tape, node);
  if (kind === kinds.empty) return null;
  return kind === kinds.plain ? resolvePlain(scalarText(tape, node)) : scalarText(tape, node);
}

/** Whether a scalar is null to a reader: nothing, `~` or the word, unquoted and without a tag. */
export function isNull(tape: Tape, node: number): boolean {
  const kind = kindOf(tape, node);
  if (kind === kinds.empty) return true;
  const length = endOf(tape, node) - startOf(tape, node);
  return kind === kinds.plain && (length === 1 || length === 4) && scalarValue(tape, node) === null;
}

/** First characters of texts that are not simply strings: most strings are told by theirs. */
const mayResolve: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  '~nNyYtTfFoO-+.0123456789'.includes(String.fromCharCode(code)),
);

const resolved = new Map<string, Plain>();

/** What unquoted text means to a YAML 1.1 reader. Kept, because a run reads the same few over and over. */
export function resolvePlain(text: string): Plain {
  if (text !== '' && mayResolve[text.charCodeAt(0)] !== true) return text;
  const known = resolved.get(text);
  if (known !== undefined) return known;
  const value = resolveText(text);
  if (resolved.size < 256) resolved.set(text, value);
  return value;
}

function resolveText(text: string): Plain {
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return null;
  if (/^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/.test(text)) return true;
  if (/^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/.test(text)) return false;
  if (!/^[-+.0-9]/.test(text)) return text;
  return resolveNumber(text) ?? text;
}

function resolveNumber(text: string): number | bigint | undefined {
  const bare = text.replaceAll('_', '');
  const sign = bare.startsWith('-') ? -1 : 1;
  const digits = bare.replace(/^[-+]/, '');
  if (/^0o?[0-7]+$/.test(digits)) return sized(BigInt(`0o${digits.replace(/^0o?/, '')}`) * BigInt(sign));
  if (/^(?:0|[1-9]\d*|0x[\da-fA-F]+|0b[01]+)$/.test(digits)) return sized(BigInt(digits) * BigInt(sign));
  if (/^(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(digits)) return sign * Number(digits);
  if (/^\.(?:inf|Inf|INF)$/.test(digits)) return sign * Number.POSITIVE_INFINITY;
  return /^\.(?:nan|NaN|NAN)$/.test(text) ? Number.NaN : undefined;
}

function sized(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const writtenPlain = new Map<string, Bytes>();

/** The bytes to write for a scalar that is new. Plain ones are kept, because a run writes the same few over and over. */
export function writeScalar(value: Plain, quote: Quote): Bytes {
  if (typeof value === 'string') {
    const known = quote === 'plain' ? writtenPlain.get(value) : undefined;
    if (known !== undefined) return known;
    const written = encodeUtf8(writeString(value, quote));
    if (quote === 'plain' && writtenPlain.size < 256) writtenPlain.set(value, written);
    return written;
  }
  if (typeof value === 'bigint' || typeof value !== 'object' || value === null) return String(value);
  const flow = Array.isArray(value)
    ? `[${value.map((item: Plain) => writeScalar(item, quote)).join(', ')}]`
    : `{${Object.entries(value)
        .map(([key, item]) => `${writeScalar(key, quote)}: ${writeScalar(item, quote)}`)
        .join(', ')}}`;
  return flow;
}

function writeString(text: string, quote: Quote): string {
  if (quote === 'plain' && isPlainString(text)) return text;
  if (quote === 'single' && /^[\x20-\x7e\u00a0-\ud7ff]*$/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return JSON.stringify(text).replaceAll('\x7f', '\\u007f');
}

/** Whether unquoted text stays this string for every reader, in block and in flow. Strict: says no where it is not sure. */
export function isPlainString(text: string): boolean {
  if (!/^[A-Za-z0-9_][-A-Za-z0-9_./]*$/.test(text)) return false;
  if (/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)) return false;
  if (!/^[0-9_]/.test(text)) return true;
  return /^\d+-\d/.test(text) && !/^\d{4}-\d{1,2}-\d{1,2}/.test(text);
}

function folded(raw: Bytes, style: ScalarEvent['style']): string {
  const text = decodeUtf8(raw);
  return getScalarValue(text, { ...blankEvent, style, valueEnd: text.length });
}

const blankEvent: ScalarEvent = {
  type: 4,
  valueStart: 0,
  valueEnd: 0,
  anchorStart: -1,
  anchorEnd: -1,
  tagStart: -1,
  tagEnd: -1,
  style: SCALAR_STYLE.PLAIN,
  chomping: CHOMPING_MODE.CLIP,
  indent: -1,
  fast: false,
};

/** A `|` or `>` scalar: its lines without their indentation, folded where it says so, its end as the header asks. */
function blockText(tape: Tape, node: number): string {
  const { text } = tape.source;
  const start = startOf(tape, node);
  const headerEnd = text.indexOf('\n', start);
  if (headerEnd === -1) return '';
  const header = text.slice(start, headerEnd).split(/[ #\r]/)[0] ?? '';
  const body = decodeUtf8(text.slice(headerEnd + 1, endOfBlanks(text, Math.max(headerEnd, endOf(tape, node)))));
  const digit = /[1-9]/.exec(header)?.[0];
  const first = /^(?:[ ]*\r?\n)*( *)[^ \r\n]/.exec(body)?.[1]?.length ?? 0;
  return getScalarValue(body, {
    ...blankEvent,
    style: kindOf(tape, node) === kinds.literal ? SCALAR_STYLE.LITERAL_BLOCK : SCALAR_STYLE.FOLDED_BLOCK,
    valueEnd: body.length,
    indent: digit === undefined ? first : Math.min(first, parentColumn(tape, node) + Number(digit)),
    chomping: header.includes('-')
      ? CHOMPING_MODE.STRIP
      : header.includes('+')
        ? CHOMPING_MODE.KEEP
        : CHOMPING_MODE.CLIP,
  });
}

function endOfBlanks(text: Bytes, from: number): number {
  const lineEnd = text.indexOf('\n', from);
  if (lineEnd === -1) return text.length;
  let end = lineEnd + 1;
  for (let at = end; at < text.length && ' \r\n'.includes(text.charAt(at)); at++)
    if (text.charAt(at) === '\n') end = at + 1;
  return end;
}

/** Column of the innermost block collection that holds the node. */
function parentColumn(tape: Tape, node: number): number {
  for (let i = node - 1; i >= 0; i--) {
    const kind = kindOf(tape, i);
    const holds = (kind === kinds.blockMap || kind === kinds.blockSeq) && endOf(tape, i) >= endOf(tape, node);
    if (holds && startOf(tape, i) < startOf(tape, node)) return columnAt(tape.bytes, startOf(tape, i));
  }
  return 0;
}
