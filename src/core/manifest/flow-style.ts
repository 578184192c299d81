// How a flow mapping is written, so that new members look like those that are there: what stands between two entries, between a key
// and its value, the quotes, and in JSON that is indented the line on which each member stands. Owns the writing of new flow text.
import { type Bytes, lineStart } from './bytes.ts';
import { type Change, plainOf } from './change.ts';
import { pairs } from './node.ts';
import { type Quote, writeScalar } from './scalar.ts';
import { endOf, kindOf, kinds, sliceOf, startOf, type Tape } from './tape.ts';

type Members = Iterable<readonly [key: string, change: Change]>;

export interface FlowStyle {
  /** Between two entries: a comma and what follows it. */
  readonly comma: Bytes;
  readonly colon: Bytes;
  readonly quote: Quote;
  readonly keyQuote: Quote;
  /** How much deeper a mapping inside is indented, where each member stands on a line of its own. */
  readonly step: Bytes | undefined;
}

/** The style of new text where nothing is written yet. */
export function plainFlow(quote: Quote): FlowStyle {
  return { comma: ', ', colon: ': ', quote, keyQuote: quote, step: undefined };
}

/** Whether the document is JSON: every key and string stands in double quotes. */
export function isJson(tape: Tape): boolean {
  return tape.count > 1 && kindOf(tape, 0) === kinds.flowMap && kindOf(tape, 1) === kinds.double;
}

/** The style of JSON as the first member of the document has it. */
export function jsonStyle(tape: Tape): FlowStyle {
  const colon = tape.count > 2 && sliceOf(tape, endOf(tape, 1), startOf(tape, 2)) === ':' ? ':' : ': ';
  const step = /^\r?\n([ \t]+)$/.exec(sliceOf(tape, startOf(tape, 0) + 1, startOf(tape, 1)))?.[1];
  return { comma: colon === ':' ? ',' : ', ', colon, quote: 'double', keyQuote: 'double', step };
}

/** The style of a mapping from its entries; `usual` is that of the document. */
export function flowStyle(tape: Tape, map: number, usual: FlowStyle | undefined): FlowStyle {
  const entries = pairs(tape, map);
  const [first, last, before] = [entries[0], entries.at(-1), entries.at(-2)];
  const quote = usual?.quote ?? quoteOf(tape, entries, 1);
  const keyQuote = usual?.keyQuote ?? quoteOf(tape, entries, 0);
  if (first === undefined || last === undefined) return usual ?? { ...plainFlow(quote), keyQuote };
  const between = sliceOf(tape, endOf(tape, last[0]), startOf(tape, last[1]));
  const colon = keyQuote !== 'plain' && /^:[ ]?$/.test(between) ? between : ': ';
  const lead = sliceOf(tape, startOf(tape, map) + 1, startOf(tape, first[0]));
  const gap = before === undefined ? '' : sliceOf(tape, endOf(tape, before[1]), startOf(tape, last[0]));
  const comma = /^\s*,\s*$/.test(gap) ? gap : /^\s*\n\s*$/.test(lead) ? `,${lead}` : between === ':' ? ',' : ', ';
  return { comma, colon, quote, keyQuote, step: comma.includes('\n') ? usual?.step : undefined };
}

/** The style of an empty mapping, or one that is not there yet, as the value of a key that stands first on its line. */
export function styleBelow(tape: Tape, key: number, usual: FlowStyle): FlowStyle {
  const line = lineStart(tape.bytes, startOf(tape, key));
  const indent = sliceOf(tape, line, startOf(tape, key));
  if (usual.step === undefined || !/^[ \t]+$/.test(indent)) return { ...usual, step: undefined };
  const newline = tape.bytes[line - 2] === 13 ? '\r\n' : '\n';
  return { ...usual, comma: `,${newline}${indent}` };
}

/** The quotes of the keys (0) or values (1) if all have the same, else plain. */
export function quoteOf(tape: Tape, entries: readonly (readonly [number, number])[], side: 0 | 1): Quote {
  const found = new Set(entries.map((entry) => kindOf(tape, entry[side])));
  if (found.size !== 1) return 'plain';
  return found.has(kinds.double) ? 'double' : found.has(kinds.single) ? 'single' : 'plain';
}

/** One member of a mapping of this style. */
export function flowMember([key, change]: readonly [string, Change], style: FlowStyle): Bytes {
  const value = change.kind === 'within' ? flowMap(change.members, style) : writeScalar(plainOf(change), style.quote);
  return `${writeScalar(key, style.keyQuote)}${style.colon}${value}`;
}

/** A whole mapping as the value of a member of a mapping of this style. */
export function flowMap(members: Members, style: FlowStyle): Bytes {
  const { comma, step } = style;
  if (step === undefined || !comma.includes('\n')) {
    const inline = comma.includes('\n') ? { ...style, comma: ', ' } : style;
    return `{${Array.from(members, (entry) => flowMember(entry, inline)).join(inline.comma)}}`;
  }
  const outer = comma.slice(comma.indexOf(',') + 1);
  const inner = { ...style, comma: `,${outer}${step}` };
  return `{${outer}${step}${Array.from(members, (entry) => flowMember(entry, inner)).join(inner.comma)}${outer}}`;
}
