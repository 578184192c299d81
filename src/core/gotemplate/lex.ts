// Cuts a template into tokens: text between actions, and what stands inside them. Trim markers are applied here, comments
// disappear here. The first thing that cannot be a token becomes an `error` token, and nothing follows it.

import { ownText } from '../std/own.ts';

export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'rune'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'left'
  | 'open'
  | 'number'
  | 'pipe'
  | 'raw'
  | 'right'
  | 'close'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | 'keyword'
  | 'dot'
  | 'nil';

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** Offset in UTF-16 units. */
  readonly at: number;
}

const keywords: ReadonlySet<string> = new Set([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'range',
  'template',
  'with',
]);
const space = /[ \t\r\n]/;
const letter = /[\p{L}\p{Nd}_]/u;
const number =
  /[+-]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9_]*)?)i?/y;

interface Cursor {
  readonly text: string;
  readonly tokens: Token[];
  /** Keywords that a function of the same name replaces (break and continue only). */
  readonly shadowed: ReadonlySet<string>;
  at: number;
  depth: number;
}

/** All tokens of a template, the last one `eof` or `error`. */
export function tokenize(text: string, shadowed: ReadonlySet<string>): readonly Token[] {
  const cursor: Cursor = { text, tokens: [], shadowed, at: 0, depth: 0 };
  while (lexText(cursor)) if (!lexAction(cursor)) return cursor.tokens;
  push(cursor, 'eof', 'EOF', text.length);
  return cursor.tokens;
}

function push(cursor: Cursor, type: TokenType, text: string, at: number): true {
  cursor.tokens.push({ type, text: ownText(text), at });
  return true;
}

function fail(cursor: Cursor, message: string, at: number): false {
  push(cursor, 'error', message, at);
  return false;
}

/** Text up to the next action; false at the end of the template. */
function lexText(cursor: Cursor): boolean {
  const { text, at } = cursor;
  const open = text.indexOf('{{', at);
  const end = open < 0 ? text.length : open;
  const trimmed = open >= 0 && isLeftTrim(text, open + 2) ? trimRight(text, at, end) : end;
  if (trimmed > at) push(cursor, 'text', text.slice(at, trimmed), at);
  cursor.at = end;
  return open >= 0;
}

function isLeftTrim(text: string, at: number): boolean {
  return text[at] === '-' && space.test(text[at + 1] ?? '');
}

function isRightTrim(text: string, at: number): boolean {
  return space.test(text[at] ?? '') && text.startsWith('-}}', at + 1);
}

function trimRight(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && space.test(text[end - 1] ?? '')) end--;
  return end;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && space.test(text[at] ?? '')) at++;
  return at;
}

/** One action or comment, its delimiters included; false after an error. */
function lexAction(cursor: Cursor): boolean {
  const { text } = cursor;
  const start = cursor.at;
  cursor.at += 2;
  const after = cursor.at + (isLeftTrim(text, cursor.at) ? 2 : 0);
  if (text.startsWith('/*', after)) return lexComment(cursor, after);
  push(cursor, 'left', '{{', start);
  cursor.at = after;
  cursor.depth = 0;
  for (;;) {
    const step = lexInside(cursor);
    if (step !== 'more') return step === 'closed';
  }
}

function lexComment(cursor: Cursor, start: number): boolean {
  const { text } = cursor;
  const end = text.indexOf('*/', start + 2);
  if (end < 0) return fail(cursor, 'unclosed comment', start);
  const close = end + 2;
  const trim = isRightTrim(text, close);
  if (!trim && !text.startsWith('}}', close)) return fail(cursor, 'comment ends before closing delimiter', start);
  cursor.at = trim ? skipSpace(text, close + 4) : close + 2;
  return true;
}

type Step = 'more' | 'closed' | 'failed';

function lexInside(cursor: Cursor): Step {
  const { text, at } = cursor;
  const trim = isRightTrim(text, at);
  if (trim || text.startsWith('}}', at)) {
    if (cursor.depth > 0) return failed(cursor, 'unclosed left paren', at);
    push(cursor, 'right', '}}', trim ? at + 2 : at);
    cursor.at = trim ? skipSpace(text, at + 4) : at + 2;
    return 'closed';
  }
  const first = text[at];
  if (first === undefined) return failed(cursor, 'unclosed action', at);
  if (space.test(first)) return lexSpace(cursor);
  return lexToken(cursor, first);
}

function failed(cursor: Cursor, message: string, at: number): 'failed' {
  fail(cursor, message, at);
  return 'failed';
}

function lexSpace(cursor: Cursor): Step {
  const { text, at } = cursor;
  let end = skipSpace(text, at);
  if (text.startsWith('-}}', end)) end--;
  if (end > at) push(cursor, 'space', text.slice(at, end), at);
  cursor.at = end;
  return 'more';
}

function take(cursor: Cursor, type: TokenType, length: number): 'more' {
  push(cursor, type, cursor.text.slice(cursor.at, cursor.at + length), cursor.at);
  cursor.at += length;
  return 'more';
}

function lexToken(cursor: Cursor, first: string): Step {
  const { text, at } = cursor;
  switch (first) {
    case '=':
      return take(cursor, 'assign', 1);
    case ':':
      return text[at + 1] === '=' ? take(cursor, 'declare', 2) : failed(cursor, 'expected :=', at);
    case '|':
      return take(cursor, 'pipe', 1);
    case '"':
      return lexQuoted(cursor, 'string', 'unterminated quoted string');
    case "'":
      return lexQuoted(cursor, 'rune', 'unterminated character constant');
    case '`':
      return lexRaw(cursor);
    case '$':
      return lexName(cursor, 'variable');
    case '(':
      cursor.depth++;
      return take(cursor, 'open', 1);
    case ')':
      if (--cursor.depth < 0) return failed(cursor, 'unexpected right paren', at);
      return take(cursor, 'close', 1);
    default:
      return lexOther(cursor, first);
  }
}

function lexOther(cursor: Cursor, first: string): Step {
  const { text, at } = cursor;
  if (first === '.' && !/[0-9]/.test(text[at + 1] ?? '')) return lexName(cursor, 'field');
  if (/[.+\-0-9]/.test(first)) return lexNumber(cursor);
  const point = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (letter.test(point)) return lexIdentifier(cursor);
  if (/[!-~]/.test(first)) return take(cursor, 'char', 1);
  return failed(cursor, `unrecognized character in action: ${unicodeName(point)}`, at);
}

function lexQuoted(cursor: Cursor, type: 'string' | 'rune', problem: string): Step {
  const { text, at } = cursor;
  const quote = text[at];
  for (let end = at + 1; end < text.length && text[end] !== '\n'; end++) {
    if (text[end] === '\\' && text[end + 1] !== '\n') end++;
    else if (text[end] === quote) return take(cursor, type, end + 1 - at);
  }
  return failed(cursor, problem, at);
}

function lexRaw(cursor: Cursor): Step {
  const end = cursor.text.indexOf('`', cursor.at + 1);
  return end < 0
    ? failed(cursor, 'unterminated raw quoted string', cursor.at)
    : take(cursor, 'raw', end + 1 - cursor.at);
}

/** `.field`, `.`, `$name` or `$`. */
function lexName(cursor: Cursor, type: 'field' | 'variable'): Step {
  const end = wordEnd(cursor.text, cursor.at + 1);
  if (!isTerminator(cursor.text, end)) return badCharacter(cursor, end);
  const bare = end === cursor.at + 1 && type === 'field';
  return take(cursor, bare ? 'dot' : type, end - cursor.at);
}

function lexIdentifier(cursor: Cursor): Step {
  const { text, at } = cursor;
  const end = wordEnd(text, at);
  if (!isTerminator(text, end)) return badCharacter(cursor, end);
  const word = text.slice(at, end);
  if (word === 'true' || word === 'false') return take(cursor, 'bool', end - at);
  if (word === 'nil') return take(cursor, 'nil', end - at);
  const keyword = keywords.has(word) && !cursor.shadowed.has(word);
  return take(cursor, keyword ? 'keyword' : 'identifier', end - at);
}

function lexNumber(cursor: Cursor): Step {
  const { text, at } = cursor;
  number.lastIndex = at;
  let end = at + (number.exec(text)?.[0].length ?? 0);
  const sign = text[end] === '+' || text[end] === '-';
  if (sign) {
    number.lastIndex = end;
    end += number.exec(text)?.[0].length ?? 0;
  }
  const next = text.codePointAt(end);
  if (next !== undefined && letter.test(String.fromCodePoint(next))) {
    return failed(cursor, `bad number syntax: ${JSON.stringify(text.slice(at, end + 1))}`, at);
  }
  if (sign && text[end - 1] !== 'i')
    return failed(cursor, `bad number syntax: ${JSON.stringify(text.slice(at, end))}`, at);
  return take(cursor, sign ? 'complex' : 'number', end - at);
}

function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length) {
    const point = String.fromCodePoint(text.codePointAt(end) ?? 0);
    if (!letter.test(point)) break;
    end += point.length;
  }
  return end;
}

function isTerminator(text: string, at: number): boolean {
  const next = text[at];
  return next === undefined || space.test(next) || '.,|:)('.includes(next) || text.startsWith('}}', at);
}

function badCharacter(cursor: Cursor, at: number): 'failed' {
  const point = String.fromCodePoint(cursor.text.codePointAt(at) ?? 0);
  return failed(cursor, `bad character ${unicodeName(point)}`, at);
}

function unicodeName(point: string): string {
  const code = point.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return /[\p{C}\p{Z}]/u.test(point) && point !== ' ' ? name : `${name} '${point}'`;
}
