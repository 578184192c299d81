// YAML scalars with a form of their own: quoted ones and blocks (`|`, `>`).
import { fail, newline, type Reader, space } from './yaml-cursor.ts';

/** `|` and `>` with their chomping and indentation indicators. */
export function blockScalar(reader: Reader, parent: number): string {
  const { text } = reader;
  const header = /^([|>])(?:([+-])([1-9])?|([1-9])([+-])?)?[ \t]*(?:#[^\n]*)?\r?(?=\n|$)/.exec(
    text.slice(reader.at, text.indexOf('\n', reader.at) < 0 ? text.length : text.indexOf('\n', reader.at)),
  );
  if (header === null) return fail(reader, 'did not find expected comment or line break after a block scalar');
  const [whole, style, chompA, digitA, digitB, chompB] = header;
  reader.at += whole.length;
  const digit = digitA ?? digitB;
  const lines = blockLines(reader, parent, digit === undefined ? undefined : Math.max(parent, 0) + Number(digit));
  return chomp(style === '|' ? lines.join('\n') : fold(lines), lines, chompA ?? chompB);
}

/** The lines of a block scalar without their indentation; blank ones are "". */
function blockLines(reader: Reader, parent: number, given: number | undefined): string[] {
  const { text } = reader;
  const lines: string[] = [];
  let indent = given;
  while (reader.at < text.length) {
    const start = reader.at + 1;
    const end = text.indexOf('\n', start) < 0 ? text.length : text.indexOf('\n', start);
    if (start >= text.length) break;
    const first = skipIndent(text, start, indent ?? text.length);
    const blank = first >= end || (text.charCodeAt(first) === 13 && first + 1 === end);
    if (blank) lines.push('');
    else {
      indent ??= Math.max(first - start, parent + 1);
      if (first - start < indent) break;
      lines.push(text.slice(first, text.charCodeAt(end - 1) === 13 ? end - 1 : end));
    }
    reader.lineStart = start;
    reader.at = end;
  }
  return lines;
}

/** The place after at most so many spaces. */
function skipIndent(text: string, from: number, most: number): number {
  let at = from;
  while (at - from < most && text.charCodeAt(at) === space) at++;
  return at;
}

function chomp(body: string, lines: readonly string[], indicator: string | undefined): string {
  const content = body.replace(/\n+$/, '');
  const last = lines.findLastIndex((line) => line !== '');
  if (last < 0) return indicator === '+' ? '\n'.repeat(lines.length) : '';
  if (indicator === '-') return content;
  return indicator === '+' ? `${content}${'\n'.repeat(lines.length - last)}` : `${content}\n`;
}

/** Folds lines: one break becomes a space, more become one fewer; lines that begin with a space keep theirs. */
function fold(lines: readonly string[]): string {
  let folded = '';
  let breaks = 0;
  let previousIndented = false;
  for (const [i, line] of lines.entries()) {
    if (line === '') {
      breaks++;
      continue;
    }
    const indented = line.startsWith(' ') || line.startsWith('\t');
    if (i > 0 && folded !== '') {
      const kept = indented || previousIndented;
      folded += breaks === 0 ? (kept ? '\n' : ' ') : '\n'.repeat(breaks + (kept ? 1 : 0));
    } else folded += '\n'.repeat(breaks);
    folded += line;
    breaks = 0;
    previousIndented = indented;
  }
  return folded;
}

/** A quoted scalar; its line breaks are folded. */
export function quoted(reader: Reader): string {
  const { text, at } = reader;
  const quote = text.charCodeAt(at);
  let end = at + 1;
  let simple = true;
  for (; ; end++) {
    const code = text.charCodeAt(end);
    if (Number.isNaN(code)) fail(reader, 'found unexpected end of stream in a quoted scalar');
    if (code === newline) {
      simple = false;
      reader.lineStart = end + 1;
    } else if (code === 92 && quote === 34) {
      simple = false;
      end++;
    } else if (code === quote) {
      if (quote === 34 || text.charCodeAt(end + 1) !== quote) break;
      simple = false;
      end++;
    }
  }
  const body = text.slice(at + 1, end);
  reader.at = end + 1;
  if (simple) return body;
  return quote === 39 ? foldQuoted(body).replaceAll("''", "'") : unescape(reader, foldQuoted(body));
}

function foldQuoted(body: string): string {
  if (!body.includes('\n')) return body;
  // A backslash before a line end joins the lines without a space.
  return body.replace(/(\\?)[ \t]*\r?\n((?:[ \t]*\r?\n)*)[ \t]*/g, (_all, joined: string, blanks: string) => {
    const breaks = blanks.split('\n').length - 1;
    if (breaks > 0) return '\n'.repeat(breaks);
    return joined === '' ? ' ' : '';
  });
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

function unescape(reader: Reader, body: string): string {
  return body.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([^]))/g,
    (_all, ...parts: (string | undefined)[]) => {
      const [x, u, wide, plain = ''] = parts;
      const hex = x ?? u ?? wide;
      if (hex !== undefined) return codePoint(reader, Number.parseInt(hex, 16));
      return escapes[plain] ?? fail(reader, 'found unknown escape character');
    },
  );
}

function codePoint(reader: Reader, code: number): string {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return fail(reader, 'found invalid Unicode character escape code');
  return String.fromCodePoint(code);
}
