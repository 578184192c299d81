// Plain and block scalars of the fast outliner: where they end, and what makes their lines something else.
import {
  carriage,
  colon,
  dash,
  endOfLine,
  endsWord,
  firstText,
  hash,
  isBlank,
  lineAfter,
  newline,
  notable,
  restOfLine,
  type Scan,
  space,
  tab,
} from './scan.ts';
import { closeNode, kinds, pushNode } from './tape.ts';

/** Plain text, with the deeper lines that continue it. */
export function scanPlain(scan: Scan, start: number, column: number): number {
  const { bytes, tape } = scan;
  let last = scanPlainLine(scan, start);
  let next = lineAfter(scan, scan.lineEnd);
  for (let first = firstText(scan, next); last !== -1; first = firstText(scan, next)) {
    if (first >= scan.end || first - scan.textLine <= column || bytes[first] === hash) break;
    const code = bytes[first]!;
    if (scan.commented || code === tab || (code === dash && endsWord(bytes[first + 1]))) return -1;
    last = scanPlainLine(scan, first);
    next = lineAfter(scan, scan.lineEnd);
  }
  if (last === -1) return -1;
  pushNode(tape, kinds.plain, start, last);
  scan.lastEnd = last;
  return next;
}

/** The end of the plain text on this line, or -1 where it looks like a key or holds a tab. */
function scanPlainLine(scan: Scan, start: number): number {
  const { bytes, end } = scan;
  scan.commented = false;
  let last = start;
  let at = start;
  for (; at < end; at++) {
    const code = bytes[at]!;
    if (notable[code] !== 0) {
      if (code === space) continue;
      if (code === newline || code === carriage) break;
      if (code === tab || (code === colon && endsWord(bytes[at + 1]))) return -1;
      if (code === hash && at > start && bytes[at - 1] === space) {
        scan.commented = true;
        break;
      }
      if (code !== hash && code !== colon) return -1;
    }
    last = at + 1;
  }
  if (bytes[at] === carriage && bytes[at + 1] !== newline) return -1;
  scan.lineEnd = at;
  return last;
}

/** `|` and `>`: all deeper lines, whatever they hold. */
export function scanBlockScalar(scan: Scan, start: number, column: number): number {
  const { bytes } = scan;
  let header = start + 1;
  if (bytes[header] === dash || bytes[header] === 43) header++;
  const body = restOfLine(scan, header);
  if (body === -1) return -1;
  const node = pushNode(scan.tape, bytes[start] === 124 ? kinds.literal : kinds.folded, start, header);
  const first = firstText(scan, body);
  const indent = first - scan.textLine;
  if (first >= scan.end || indent <= column) {
    scan.lastEnd = header;
    return body;
  }
  const end = blankLinesAreShort(scan, body, first, indent) ? skipBlockLines(scan, body, indent, column) : -1;
  if (end === -1) return -1;
  let last = end;
  while (isBlank(bytes[last - 1]!)) last--;
  closeNode(scan.tape, node, last);
  scan.lastEnd = last;
  return end;
}

/** The start of the first line that is not in the block scalar, or -1 for a line between the two indentations. */
function skipBlockLines(scan: Scan, body: number, indent: number, column: number): number {
  const { bytes, end } = scan;
  let line = body;
  while (line < end) {
    let at = line;
    const deep = line + indent;
    while (at < deep && bytes[at] === space) at++;
    if (at !== deep) {
      const code = bytes[at]!;
      if (at < end && code !== newline && code !== carriage) return at - line <= column ? line : -1;
    }
    const lineEnd = endOfLine(bytes, at, end);
    if (lineEnd === -1) return -1;
    line = lineEnd + 1;
  }
  return end;
}

/** Blank lines before the first text of a block scalar may not be longer than its indentation. */
function blankLinesAreShort({ bytes }: Scan, body: number, first: number, indent: number): boolean {
  for (let line = body; line < first - indent; ) {
    const end = endOfLine(bytes, line, first);
    if (end - line > indent) return false;
    line = end + 1;
  }
  return true;
}
