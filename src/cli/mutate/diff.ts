// A unified diff from edits by position: what changed is known, so nothing is compared and the diff is exact, however large the file.
import { type Bytes, type Edit } from '../../core/manifest/index.ts';

const context = 3;

/** Lines of the old text, 0-based, `to` exclusive, and the edits that touch them. */
interface Region {
  readonly from: number;
  readonly to: number;
  readonly edits: readonly Edit[];
}

interface Text {
  readonly text: Bytes;
  readonly starts: readonly number[];
}

/** The unified diff of a file, '' without edits. Bytes in, bytes out. */
export function unifiedDiff(name: Bytes, text: Bytes, edits: readonly Edit[]): Bytes {
  if (edits.length === 0) return '';
  const old: Text = { text, starts: lineStarts(text) };
  const path = name.replace(/^\/+/, '');
  let body = `--- a/${path}\n+++ b/${path}\n`;
  let shift = 0;
  for (const regions of hunksOf(regionsOf(old, edits))) {
    const hunk = hunkText(old, regions, shift);
    body += hunk.text;
    shift += hunk.gained;
  }
  return body;
}

/** The lines that edits touch; a line that is only added touches none. Edits of one line share a region. */
function regionsOf({ text, starts }: Text, edits: readonly Edit[]): readonly Region[] {
  const regions: Region[] = [];
  for (const edit of edits) {
    const below = edit.remove === 0 && /^\r?\n/.test(edit.insert) && edit.at < text.length;
    const from = lineOf(starts, edit.at) + (below ? 1 : 0);
    const to = below ? from : Math.min(starts.length, lineOf(starts, edit.at + edit.remove) + 1);
    const last = regions.at(-1);
    if (last !== undefined && from < Math.max(last.to, last.from + 1)) {
      regions[regions.length - 1] = { from: last.from, to: Math.max(to, last.to), edits: [...last.edits, edit] };
    } else regions.push({ from, to, edits: [edit] });
  }
  return regions;
}

/** Regions whose contexts touch share a hunk. */
function hunksOf(regions: readonly Region[]): readonly (readonly Region[])[] {
  const hunks: Region[][] = [];
  for (const region of regions) {
    const last = hunks.at(-1);
    if (last !== undefined && region.from - (last.at(-1)?.to ?? 0) <= 2 * context) last.push(region);
    else hunks.push([region]);
  }
  return hunks;
}

function hunkText(
  { text, starts }: Text,
  regions: readonly Region[],
  shift: number,
): { readonly text: Bytes; readonly gained: number } {
  const at = (line: number): number => starts[line] ?? text.length;
  const from = Math.max(0, (regions[0]?.from ?? 0) - context);
  const to = Math.min(starts.length, (regions.at(-1)?.to ?? 0) + context);
  const kept = (first: number, end: number): Bytes =>
    linesOf(text.slice(at(first), at(end)))
      .map((line) => marked(' ', line))
      .join('');
  let body = '';
  let gained = 0;
  let line = from;
  for (const region of regions) {
    const below = region.from === region.to;
    const old = linesOf(text.slice(at(region.from), at(region.to)));
    const lines = below
      ? addedLines(region.edits)
      : linesOf(applied(text, region.edits, { from: at(region.from), to: at(region.to) }));
    body += kept(line, region.from) + compare(old, lines);
    gained += lines.length - old.length;
    line = region.to;
  }
  body += kept(line, to);
  const heading = `@@ -${range(from, to - from)} +${range(from + shift, to - from + gained)} @@\n`;
  return { text: heading + body, gained };
}

/** An insertion at the end of a line begins with its line end: as lines, the line end comes last. */
function addedLines(edits: readonly Edit[]): readonly Bytes[] {
  const text = edits.map(({ insert }) => insert).join('');
  const newline = text.startsWith('\r') ? '\r\n' : '\n';
  return linesOf(text.slice(newline.length) + newline);
}

function applied(
  text: Bytes,
  edits: readonly Edit[],
  { from, to }: { readonly from: number; readonly to: number },
): Bytes {
  let result = '';
  let at = from;
  for (const edit of edits) {
    result += text.slice(at, edit.at) + edit.insert;
    at = edit.at + edit.remove;
  }
  return result + text.slice(at, to);
}

/** The lines of one region, common ones kept; a region is a few lines, so the square is small. */
function compare(old: readonly Bytes[], changed: readonly Bytes[]): Bytes {
  const table = commonLengths(old, changed);
  let body = '';
  let [i, j] = [0, 0];
  while (i < old.length || j < changed.length) {
    if (i < old.length && j < changed.length && old[i] === changed[j]) {
      body += marked(' ', old[i++]);
      j++;
    } else if (i < old.length && (j === changed.length || (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0)))
      body += marked('-', old[i++]);
    else body += marked('+', changed[j++]);
  }
  return body;
}

/** Lengths of the longest common subsequences of the tails. */
function commonLengths(a: readonly Bytes[], b: readonly Bytes[]): readonly Int32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    const [row, below] = [table[i], table[i + 1]];
    if (row === undefined || below === undefined) continue;
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

function marked(sign: string, line: Bytes = ''): Bytes {
  return line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`;
}

function range(from: number, count: number): string {
  const start = count === 0 ? from : from + 1;
  return count === 1 ? String(start) : `${start},${count}`;
}

function linesOf(text: Bytes): readonly Bytes[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function lineStarts(text: Bytes): readonly number[] {
  const starts: number[] = text === '' ? [] : [0];
  for (let at = text.indexOf('\n'); at !== -1 && at + 1 < text.length; at = text.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}

/** The line that holds an offset; the end of the text is on its last line. */
function lineOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(low, 0);
}
