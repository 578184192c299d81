// The fast outliner: one pass over a document's lines, no objects, some 200 MB/s. It accepts a strict part of YAML's block
// grammar that holds nearly all manifests, and answers -1 for everything else: anchors and aliases in flow or of keys, tags, explicit
// keys, tabs, explicit indentation, odd continuations, characters that YAML forbids, anything broken. The complete path then decides.
// Law (tested): what it accepts, the complete path outlines as the same tape.
import { outlineFlow } from './flow.ts';
import { skipDouble, skipSingle } from './quoted.ts';
import {
  carriage,
  closeDeeperThan,
  colon,
  dash,
  dot,
  endOfLine,
  endsWord,
  enterMap,
  enterSeq,
  giveAnchor,
  hash,
  newline,
  newScan,
  nextLine,
  notable,
  restOfLine,
  type Scan,
  settlePending,
  space,
  startsPlain,
} from './scan.ts';
import { endOf, kinds, pushNode, setProperties, type Tape } from './tape.ts';
import { scanBlockScalar, scanPlain } from './unquoted.ts';

const longestKey = 1000;
const [ampersand, asterisk] = [38, 42];

/** Writes the outline of text[start, end) to the tape, which `resetTape` made ready; false if this path cannot prove it. */
export function outlineFast(tape: Tape, start: number, end: number): boolean {
  return outlineFrom(newScan(tape, start, end, false), start) !== -1;
}

/** The same up to the next marker at the start of a line, or the text's end: the offset of that, or -1. Not of documents in flow style. */
export function outlineToMarker(tape: Tape, start: number, end: number): number {
  return outlineFrom(newScan(tape, start, end, true), start);
}

function outlineFrom(scan: Scan, start: number): number {
  const { end } = scan;
  let at = start;
  while (at !== -1 && at < end && !(scan.toMarker && isMarker(scan, at))) at = scanLine(scan, at);
  if (at === -1) return -1;
  settlePending(scan);
  closeDeeperThan(scan, -1);
  return at;
}

/** A line that starts with a key of a block mapping, and the block collections around the key, outermost first. */
export interface KeyLine {
  readonly line: number;
  readonly open: readonly Opened[];
}

/** An open block collection: its node and the column where its keys or dashes stand. */
export interface Opened {
  readonly node: number;
  readonly column: number;
}

/**
 * Goes on at a key line, as if everything before it was on the tape, up to another one or (undefined) to the end. False if it does
 * not come to that line with exactly its collections open. What is open at a key is all that a later line can see of earlier ones.
 */
export function outlineBetween(tape: Tape, from: KeyLine, to: KeyLine | undefined, end: number): boolean {
  const scan = newScan(tape, from.line, end, false);
  for (const { node, column } of from.open) {
    scan.nodes[scan.depth] = node;
    scan.columns[scan.depth++] = column;
  }
  const until = to === undefined ? end : to.line;
  let at = from.line;
  while (at !== -1 && at < until) at = scanLine(scan, at);
  if (at !== until) return false;
  if (to !== undefined) return meetsKey(scan, to.open);
  settlePending(scan);
  closeDeeperThan(scan, -1);
  return true;
}

/** What `enterMap` does at a key of the innermost mapping of `open`; false if another would be open then. */
function meetsKey(scan: Scan, open: readonly Opened[]): boolean {
  const innermost = open[open.length - 1];
  if (innermost === undefined) return false;
  const { node, column } = innermost;
  if (scan.pendingAt !== -1 && column > scan.columns[scan.depth - 1]!) return false;
  return enterMap(scan, 0, column) && scan.depth === open.length && scan.nodes[scan.depth - 1] === node;
}

/** Reads one entry, with all lines that its value takes; the start of the next line, or -1. */
function scanLine(scan: Scan, start: number): number {
  const { bytes } = scan;
  let at = scan.textLine === start ? scan.textAt : start;
  while (bytes[at] === space) at++;
  const code = bytes[at]!;
  if (at >= scan.end) return scan.end;
  if (code === newline) return at + 1;
  if (code === carriage) return bytes[at + 1] === newline ? at + 2 : -1;
  if (code === hash) return nextLine(scan, at);
  if (at === start && (code === dash || code === dot) && startsAsMarker(bytes, at)) {
    if (code === dash || endsWord(bytes[at + 3])) return -1;
  }
  return scanEntry(scan, at, at - start);
}

/** `---` and `...` part documents, wherever they stand. */
function isMarker({ bytes }: Scan, line: number): boolean {
  const code = bytes[line];
  return (code === dash || code === dot) && startsAsMarker(bytes, line) && endsWord(bytes[line + 3]);
}

function startsAsMarker(bytes: Uint8Array, at: number): boolean {
  const code = bytes[at];
  return bytes[at + 1] === code && bytes[at + 2] === code;
}

function scanEntry(scan: Scan, from: number, fromColumn: number): number {
  const { bytes } = scan;
  let at = from;
  let column = fromColumn;
  while (bytes[at] === dash && endsWord(bytes[at + 1])) {
    if (!enterSeq(scan, at, column)) return -1;
    let next = at + 1;
    while (bytes[next] === space) next++;
    const code = bytes[next]!;
    if (next >= scan.end || code === newline || code === carriage || code === hash) return restOfLine(scan, at + 1);
    column += next - at;
    at = next;
    if (code === ampersand || code === asterisk) return scanNamed(scan, at, scan.columns[scan.depth - 1]!);
  }
  return scanKeyOrValue(scan, at, column);
}

function scanKeyOrValue(scan: Scan, at: number, column: number): number {
  const keyEnd = findKeyEnd(scan, at);
  if (keyEnd === -1) return -1;
  if (keyEnd === 0) return scanLoneValue(scan, at, column);
  if (!enterMap(scan, at, column)) return -1;
  const { bytes } = scan;
  const code = bytes[at]!;
  pushNode(scan.tape, code === 34 ? kinds.double : code === 39 ? kinds.single : kinds.plain, at, keyEnd);
  let value = keyEnd;
  while (bytes[value] !== colon) value++;
  scan.pendingAt = ++value;
  while (bytes[value] === space) value++;
  const first = bytes[value]!;
  if (value >= scan.end || first === newline || first === carriage || first === hash)
    return restOfLine(scan, scan.pendingAt);
  if (first === ampersand || first === asterisk) return scanNamed(scan, value, column);
  scan.pendingAt = -1;
  return scanValue(scan, value, column);
}

/** `*name`, or `&name` and its value, which may come on later lines; both stand where a value of a key or a dash does. */
function scanNamed(scan: Scan, at: number, column: number): number {
  const { bytes, tape } = scan;
  const end = endOfName(scan, at + 1);
  if (end === at + 1 || !endsWord(bytes[end])) return -1;
  const name = nameText(bytes, at + 1, end);
  scan.pendingAt = -1;
  if (bytes[at] === asterisk) {
    if (scan.anchors?.has(name) !== true) return -1;
    pushNode(tape, kinds.alias, at, end);
    return afterValue(scan, end);
  }
  scan.anchors = (scan.anchors ?? new Set()).add(name);
  let value = end;
  while (bytes[value] === space) value++;
  const first = bytes[value];
  if (value >= scan.end || first === newline || first === carriage || first === hash) {
    scan.pendingAt = end;
    scan.pendingAnchor = at;
    return restOfLine(scan, end);
  }
  const node = tape.count;
  const next = scanValue(scan, value, column);
  if (next !== -1) setProperties(tape, node, at, -1);
  return next;
}

/** Names end at blanks and at what ends a flow value (YAML 1.2, ns-anchor-char). ASCII alone, so that no reader sees another name. */
function endOfName({ bytes, end }: Scan, from: number): number {
  let at = from;
  while (at < end && isNameByte(bytes[at]!)) at++;
  return at;
}

function isNameByte(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 45 ||
    code === 95
  );
}

function nameText(bytes: Uint8Array, from: number, to: number): string {
  let name = '';
  for (let at = from; at < to; at++) name += String.fromCharCode(bytes[at]!);
  return name;
}

/** The end of the key that starts here; 0 if this line starts with no key; -1 if it cannot be told. */
function findKeyEnd(scan: Scan, at: number): number {
  const { bytes } = scan;
  const first = bytes[at]!;
  if (first === 34 || first === 39) return quotedKeyEnd(scan, at, first);
  if (first === 123 || first === 91) return 0;
  if (!startsPlain(bytes, at)) return -1;
  let last = at;
  for (let i = at; i < scan.end; i++) {
    const code = bytes[i]!;
    if (notable[code] === 0) last = i + 1;
    else if (code === colon) {
      if (endsWord(bytes[i + 1])) return i - at > longestKey ? -1 : last;
      last = i + 1;
    } else if (code === newline) return 0;
    else if (code === hash) {
      if (bytes[i - 1] === space) return 0;
      last = i + 1;
    } else if (code === carriage) return bytes[i + 1] === newline ? 0 : -1;
    else if (code !== space) return -1;
  }
  return 0;
}

function quotedKeyEnd(scan: Scan, at: number, quote: number): number {
  const { bytes, end } = scan;
  const line = endOfLine(bytes, at, end);
  if (line === -1) return -1;
  const close = quote === 34 ? skipDouble(bytes, at, line, -1) : skipSingle(bytes, at, line, -1);
  if (close === -1) return 0;
  let after = close;
  while (bytes[after] === space) after++;
  if (bytes[after] !== colon) return 0;
  return !endsWord(bytes[after + 1]) || close - at > longestKey ? -1 : close;
}

/** A value on a line of its own: below a key or a dash, after a dash, or a document that is one flow collection. */
function scanLoneValue(scan: Scan, at: number, column: number): number {
  const { depth } = scan;
  const node = scan.tape.count;
  if (depth === 0) {
    const code = scan.bytes[at]!;
    return !scan.toMarker && scan.tape.count === 0 && (code === 123 || code === 91) ? scanValue(scan, at, -1) : -1;
  }
  const parent = scan.columns[depth - 1]!;
  if (scan.pendingAt === -1 || column <= parent) return -1;
  scan.pendingAt = -1;
  const next = scanValue(scan, at, parent);
  if (next !== -1) giveAnchor(scan, node);
  return next;
}

/** Reads the value that starts at `at`; `column` is its parent's. The start of the line after it, or -1. */
function scanValue(scan: Scan, at: number, column: number): number {
  const { bytes, tape, end } = scan;
  switch (bytes[at]!) {
    case 123:
    case 91: {
      const node = tape.count;
      if (outlineFlow(tape, { bytes, end, column }, at) === -1) return -1;
      return afterValue(scan, endOf(tape, node));
    }
    case 34:
      return quotedValue(scan, kinds.double, at, skipDouble(bytes, at, end, column));
    case 39:
      return quotedValue(scan, kinds.single, at, skipSingle(bytes, at, end, column));
    case 124:
    case 62:
      return scanBlockScalar(scan, at, column);
    default:
      return startsPlain(bytes, at) ? scanPlain(scan, at, column) : -1;
  }
}

function quotedValue(scan: Scan, kind: number, start: number, end: number): number {
  if (end === -1) return -1;
  pushNode(scan.tape, kind, start, end);
  return afterValue(scan, end);
}

function afterValue(scan: Scan, end: number): number {
  scan.lastEnd = end;
  return restOfLine(scan, end);
}
