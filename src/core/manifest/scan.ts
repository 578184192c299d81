// The state of the fast outliner: where it is, which collections are open, which value is awaited. Owns the stack; knows of the text only lines
// and blanks.
import { isForbidden } from './forbidden.ts';
import { closeNode, kindOf, kinds, pushNode, setProperties, type Tape } from './tape.ts';

export const [newline, carriage, tab, space] = [10, 13, 9, 32];
export const [dash, dot, colon, hash] = [45, 46, 58, 35];
/** Characters that do not start plain text: indicators that always mean something, and blanks. */
const notPlain = new Uint8Array(256);
for (const character of ',[]{}#&*!|>\'"%@`\t\r\n ') notPlain[character.charCodeAt(0)] = 1;
/** Characters at which plain text and keys are looked at more closely. */
export const notable = new Uint8Array(256);
for (const character of ':#\t\r\n ') notable[character.charCodeAt(0)] = 1;
for (let code = 0; code < 128; code++) if (isForbidden(code)) notable[code] = 1;

const deepest = 100;
const nodes = new Int32Array(deepest + 2);
const columns = new Int32Array(deepest + 2);

/**
 * Open collections are a stack of (node, column); `pendingAt` is the offset after a `:` or `-` that waits for its value, or after the anchor
 * (at `pendingAnchor`) of that value.
 */
export interface Scan {
  readonly tape: Tape;
  readonly bytes: Uint8Array;
  readonly end: number;
  /** Whether the document ends at the next marker (`---`, `...`); else a marker is refused. */
  readonly toMarker: boolean;
  readonly nodes: Int32Array;
  readonly columns: Int32Array;
  depth: number;
  pendingAt: number;
  pendingAnchor: number;
  /** Names of the anchors so far. */
  anchors: Set<string> | undefined;
  lastEnd: number;
  /** Result of scanPlain: offset of the line's end, and whether a comment cut the text. */
  lineEnd: number;
  commented: boolean;
  /** Result of firstText: the last line it came to, and where that line's text begins. */
  textLine: number;
  textAt: number;
}

export function newScan(tape: Tape, start: number, end: number, toMarker: boolean): Scan {
  return {
    tape,
    bytes: tape.bytes,
    end,
    toMarker,
    nodes,
    columns,
    depth: 0,
    pendingAt: -1,
    pendingAnchor: -1,
    anchors: undefined,
    lastEnd: start,
    lineEnd: 0,
    commented: false,
    textLine: -1,
    textAt: 0,
  };
}

/** Gives the node the anchor that waits for one. */
export function giveAnchor(scan: Scan, node: number): void {
  if (scan.pendingAnchor === -1) return;
  setProperties(scan.tape, node, scan.pendingAnchor, -1);
  scan.pendingAnchor = -1;
}

export function enterSeq(scan: Scan, at: number, column: number): boolean {
  const { columns: open } = scan;
  if (scan.pendingAt !== -1) {
    const top = open[scan.depth - 1]!;
    if (column > top || (column === top && topKind(scan) === kinds.blockMap))
      return openCollection(scan, kinds.blockSeq, at, column);
    settlePending(scan);
  }
  closeDeeperThan(scan, column);
  if (scan.depth === 0) return scan.tape.count === 0 && openCollection(scan, kinds.blockSeq, at, column);
  scan.pendingAt = at + 1;
  return open[scan.depth - 1] === column && topKind(scan) === kinds.blockSeq;
}

export function enterMap(scan: Scan, at: number, column: number): boolean {
  const { columns: open } = scan;
  if (scan.pendingAt !== -1) {
    if (column > open[scan.depth - 1]!) return openCollection(scan, kinds.blockMap, at, column);
    settlePending(scan);
  }
  closeDeeperThan(scan, column);
  if (scan.depth > 1 && open[scan.depth - 1] === column && topKind(scan) === kinds.blockSeq) closeTop(scan);
  if (scan.depth === 0) return scan.tape.count === 0 && openCollection(scan, kinds.blockMap, at, column);
  return open[scan.depth - 1] === column && topKind(scan) === kinds.blockMap;
}

function openCollection(scan: Scan, kind: number, at: number, column: number): boolean {
  if (scan.depth >= deepest) return false;
  const node = pushNode(scan.tape, kind, at, at);
  giveAnchor(scan, node);
  scan.nodes[scan.depth] = node;
  scan.columns[scan.depth] = column;
  scan.depth++;
  scan.pendingAt = kind === kinds.blockSeq ? at + 1 : -1;
  return true;
}

export function closeDeeperThan(scan: Scan, column: number): void {
  while (scan.depth > 0 && scan.columns[scan.depth - 1]! > column) closeTop(scan);
}

function closeTop(scan: Scan): void {
  scan.depth--;
  closeNode(scan.tape, scan.nodes[scan.depth]!, scan.lastEnd);
}

function topKind(scan: Scan): number {
  return kindOf(scan.tape, scan.nodes[scan.depth - 1]!);
}

/** A key or dash whose value never came has the empty value. */
export function settlePending(scan: Scan): void {
  if (scan.pendingAt === -1) return;
  giveAnchor(scan, pushNode(scan.tape, kinds.empty, scan.pendingAt, scan.pendingAt));
  scan.lastEnd = scan.pendingAt;
  scan.pendingAt = -1;
}

/** After a value only blanks and a comment may follow; the start of the next line, or -1. */
export function restOfLine(scan: Scan, from: number): number {
  const { bytes } = scan;
  let at = from;
  while (bytes[at] === space) at++;
  const code = bytes[at]!;
  if (at >= scan.end) return scan.end;
  if (code === newline) return at + 1;
  if (code === carriage) return bytes[at + 1] === newline ? at + 2 : -1;
  return code === hash && at > from ? nextLine(scan, at) : -1;
}

/** As nextLine, from what is often the line's end already. */
export function lineAfter(scan: Scan, at: number): number {
  return at < scan.end && scan.bytes[at] === newline ? at + 1 : nextLine(scan, at);
}

export function nextLine({ bytes, end }: Scan, at: number): number {
  const lineEnd = endOfLine(bytes, at, end);
  return lineEnd === -1 ? -1 : Math.min(lineEnd + 1, end);
}

/** The offset of the line end at or behind an offset, or `end`; -1 if a forbidden character or a lone carriage return stands before it. */
export function endOfLine(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const code = bytes[at]!;
    if (code >= space && code !== 127) continue;
    if (code === newline) return at;
    if (code !== tab && (code !== carriage || bytes[at + 1] !== newline)) return -1;
  }
  return end;
}

/** Offset of the next character that is no blank and no line end, from the start of a line. A tab counts as text. */
export function firstText(scan: Scan, from: number): number {
  const { bytes, end } = scan;
  let line = from;
  let at = from;
  for (; at < end; at++) {
    const code = bytes[at]!;
    if (code === newline || code === carriage) line = at + 1;
    else if (code !== space) break;
  }
  scan.textLine = line;
  scan.textAt = at;
  return at;
}

export function startsPlain(bytes: Uint8Array, at: number): boolean {
  const code = bytes[at]!;
  if (code === dash || code === colon || code === 63) return !endsWord(bytes[at + 1]);
  return notPlain[code] === 0;
}

export function endsWord(code: number | undefined): boolean {
  return code === space || code === newline || code === carriage || code === tab || code === undefined;
}

export function isBlank(code: number): boolean {
  return code === space || code === newline || code === carriage || code === tab;
}
