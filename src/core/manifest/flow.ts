// The fast outliner's flow collections: `{a: 1, "b": [x, 'y']}`, JSON included. Accepts a strict part of the grammar and
// answers -1 for the rest (aliases, tags, explicit keys, single pairs, plain text over several lines); what it accepts, it
// reads as the complete path does.
import { isForbidden } from './forbidden.ts';
import { skipDouble, skipSingle } from './quoted.ts';
import { closeNode, kinds, pushNode, type Tape } from './tape.ts';

const deepest = 60;
/** Bit 1: may not start plain text in flow. Bit 2: flow indicator `,[]{}`. Bit 4: forbidden. */
const classes = new Uint8Array(256);
for (const character of ',[]{}') classes[character.charCodeAt(0)] = 3;
for (const character of '#&*!|>\'"%@`?:-\t\r\n ') classes[character.charCodeAt(0)]! |= 1;
for (let code = 0; code < 128; code++) if (isForbidden(code)) classes[code] = 5;

/** Where a flow collection is read: lines after the first must be indented deeper than `column` (-1: none needs to be). */
export interface FlowPlace {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly column: number;
}

/** Writes the collection that starts at `at` to the tape; the offset after its closing bracket, or -1. */
export function outlineFlow(tape: Tape, place: FlowPlace, at: number, depth = 0): number {
  if (depth > deepest) return -1;
  return place.bytes[at] === 123 ? flowMap(tape, place, at, depth) : flowSeq(tape, place, at, depth);
}

function flowMap(tape: Tape, place: FlowPlace, open: number, depth: number): number {
  const { bytes } = place;
  const map = pushNode(tape, kinds.flowMap, open, open);
  let at = skipBlanks(place, open + 1);
  while (at !== -1 && bytes[at] !== 125) {
    at = flowPair(tape, place, at, depth);
    if (at === -1) return -1;
    at = afterEntry(place, at, 125);
  }
  if (at === -1) return -1;
  closeNode(tape, map, at + 1);
  return at + 1;
}

function flowSeq(tape: Tape, place: FlowPlace, open: number, depth: number): number {
  const { bytes } = place;
  const seq = pushNode(tape, kinds.flowSeq, open, open);
  let at = skipBlanks(place, open + 1);
  while (at !== -1 && bytes[at] !== 93) {
    at = flowValue(tape, place, at, depth);
    if (at === -1) return -1;
    at = skipBlanks(place, at);
    if (at !== -1 && bytes[at] === 58) return -1;
    at = afterEntry(place, at, 93);
  }
  if (at === -1) return -1;
  closeNode(tape, seq, at + 1);
  return at + 1;
}

/** `key: value`, `"key":value`; the offset after the value. */
function flowPair(tape: Tape, place: FlowPlace, at: number, depth: number): number {
  const { bytes } = place;
  const code = bytes[at]!;
  if (code === 123 || code === 91) return -1;
  const quoted = code === 34 || code === 39;
  const keyEnd = flowValue(tape, place, at, depth);
  if (keyEnd === -1 || spans(bytes, at, keyEnd)) return -1;
  const colon = skipSpaces(bytes, keyEnd, place.end);
  if (bytes[colon] !== 58) return -1;
  const value = skipBlanks(place, colon + 1);
  if (value === -1 || (!quoted && value === colon + 1)) return -1;
  return isFlowIndicatorOut(bytes[value]!) ? -1 : flowValue(tape, place, value, depth);
}

function isFlowIndicatorOut(code: number): boolean {
  return code === 44 || code === 125 || code === 93;
}

function flowValue(tape: Tape, place: FlowPlace, at: number, depth: number): number {
  const { bytes } = place;
  const code = bytes[at]!;
  if (code === 123 || code === 91) return outlineFlow(tape, place, at, depth + 1);
  if (code === 34 || code === 39) return flowQuoted(tape, place, at, code);
  const end = flowPlain(place, at);
  if (end !== -1) pushNode(tape, kinds.plain, at, end);
  return end;
}

function flowQuoted(tape: Tape, place: FlowPlace, at: number, code: number): number {
  const { bytes, end: limit, column } = place;
  const end = code === 34 ? skipDouble(bytes, at, limit, column) : skipSingle(bytes, at, limit, column);
  if (end !== -1) pushNode(tape, code === 34 ? kinds.double : kinds.single, at, end);
  return end;
}

/** The end of plain text on one line, or -1. */
function flowPlain(place: FlowPlace, start: number): number {
  const { bytes, end } = place;
  const first = bytes[start]!;
  if (((classes[first] ?? 1) & 1) !== 0 && !isPlainDash(bytes, start)) return -1;
  let at = start + 1;
  let last = start + 1;
  for (; at < end; at++) {
    const code = bytes[at]!;
    if (code === 32) continue;
    if ((classes[code]! & 2) !== 0 || code === 10 || code === 13) break;
    if (code === 9 || (code === 35 && last !== at) || (classes[code]! & 4) !== 0) return -1;
    if (code === 58 && endsKey(bytes, at + 1)) break;
    last = at + 1;
  }
  return at < end && continues(place, at) ? -1 : last;
}

/** Plain text that goes on in the next line is left to the complete path. */
function continues({ bytes, end }: FlowPlace, at: number): boolean {
  const code = bytes[at]!;
  if (code !== 10 && code !== 13) return false;
  let first = at;
  while (first < end && isBlank(bytes[first]!)) first++;
  const next = bytes[first];
  return next !== 44 && next !== 125 && next !== 93;
}

/** Whether a line ends between two offsets. */
function spans(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at] === 10) return true;
  return false;
}

function endsKey(bytes: Uint8Array, at: number): boolean {
  const code = bytes[at];
  return code === undefined || code === 32 || code === 10 || code === 13 || code === 9 || (classes[code]! & 2) !== 0;
}

function isPlainDash(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 45 && (classes[bytes[at + 1]!] ?? 1) === 0;
}

/** After a value: past a comma and blanks; at the closing bracket; or -1. */
function afterEntry(place: FlowPlace, from: number, close: number): number {
  const at = from === -1 ? -1 : skipBlanks(place, from);
  if (at === -1) return -1;
  const code = place.bytes[at]!;
  if (code === 44) return skipBlanks(place, at + 1);
  return code === close ? at : -1;
}

function skipSpaces(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] === 32) at++;
  return at;
}

/**
 * Past blanks, line ends and comments; -1 at the end of the document, at a tab in YAML, or where a line is not deep enough. A closing
 * bracket may stand below its key, as libyaml and so kubectl has it.
 */
function skipBlanks(place: FlowPlace, from: number): number {
  const { bytes, end, column } = place;
  let start = -1;
  for (let at = from; at < end; at++) {
    const code = bytes[at]!;
    if (code === 10) start = at + 1;
    else if ((code === 9 && column !== -1) || (code === 13 && bytes[at + 1] !== 10)) return -1;
    else if (code === 35) {
      if (column === -1 || (at > from && !isBlank(bytes[at - 1]!)) || at === from) return -1;
      at = endOfComment(bytes, at, end) - 1;
      if (at < 0) return -1;
    } else if (!isBlank(code)) return start !== -1 && at - start <= column && !isFlowIndicatorOut(code) ? -1 : at;
  }
  return -1;
}

/** The offset of the line end after a comment, or -1 where something forbidden stands in it. */
function endOfComment(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (; at < end && bytes[at] !== 10; at++)
    if ((classes[bytes[at]!]! & 4) !== 0 || (bytes[at] === 13 && bytes[at + 1] !== 10)) return -1;
  return at;
}

function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9;
}
