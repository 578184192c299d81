// The lexer of the small shell: words (with what expands in them), operators and line ends. What it does not know it refuses by
// throwing Unread, so that nothing is guessed.
import type { Piece, Word } from '../process/act.ts';

export type Token =
  | {
      readonly token: 'word';
      readonly word: Word /** As written where nothing was quoted: only then can it be a keyword. */;
      readonly bare: string;
    }
  | { readonly token: 'operator'; readonly text: string }
  | { readonly token: 'redirect'; readonly text: string };

/** Something that this shell does not understand; the message completes "the script has …". */
export class Unread extends Error {}

/** Reads the script of a `$(…)`: given by the parser, which knows how. */
export type Nested = (script: string) => Piece;

const operators = ['&&', '||', ';;', ';', '&', '|', '(', ')', '\n'];

/** The tokens of a script. Throws Unread. */
export function tokensOf(script: string, nested: Nested): readonly Token[] {
  const reader: Reader = { script, at: 0, nested };
  const tokens: Token[] = [];
  for (;;) {
    skipBlanks(reader);
    if (reader.at >= script.length) return tokens;
    tokens.push(redirect(reader) ?? operator(reader) ?? wordToken(reader));
  }
}

interface Reader {
  readonly script: string;
  readonly nested: Nested;
  at: number;
}

function skipBlanks(reader: Reader): void {
  const found = /^(?:[ \t]|\\\n|#[^\n]*)+/.exec(reader.script.slice(reader.at));
  reader.at += found?.[0].length ?? 0;
}

function redirect(reader: Reader): Token | undefined {
  const found = /^(?:[012]?>>?(?:&[012])?|&>|<)/.exec(reader.script.slice(reader.at));
  if (found === null) return undefined;
  reader.at += found[0].length;
  return { token: 'redirect', text: found[0] };
}

function operator(reader: Reader): Token | undefined {
  const text = operators.find((candidate) => reader.script.startsWith(candidate, reader.at));
  if (text === undefined) return undefined;
  reader.at += text.length;
  return { token: 'operator', text: text === '\n' ? ';' : text };
}

function wordToken(reader: Reader): Token {
  const from = reader.at;
  const pieces: Piece[] = [];
  while (reader.at < reader.script.length && !/[\s;&|()<>]/.test(peek(reader))) pieces.push(...piece(reader));
  if (reader.at === from) throw new Unread(`a ${JSON.stringify(peek(reader))} that it does not understand`);
  return { token: 'word', word: pieces, bare: reader.script.slice(from, reader.at) };
}

function peek(reader: Reader): string {
  return reader.script[reader.at] ?? '';
}

function piece(reader: Reader): readonly Piece[] {
  switch (peek(reader)) {
    case "'":
      return [{ piece: 'text', text: until(reader, "'") }];
    case '"':
      return quoted(reader);
    case '\\':
      reader.at += 2;
      return [{ piece: 'text', text: reader.script[reader.at - 1] ?? '' }];
    case '$':
      return [dollar(reader)];
    case '`':
      throw new Unread('backquotes');
    default:
      reader.at++;
      return [{ piece: 'text', text: reader.script[reader.at - 1] ?? '' }];
  }
}

/** The text between two equal quotes; the reader stands on the first. */
function until(reader: Reader, quote: string): string {
  const end = reader.script.indexOf(quote, reader.at + 1);
  if (end === -1) throw new Unread(`no closing ${quote}`);
  const text = reader.script.slice(reader.at + 1, end);
  reader.at = end + 1;
  return text;
}

function quoted(reader: Reader): readonly Piece[] {
  const pieces: Piece[] = [{ piece: 'text', text: '' }];
  reader.at++;
  while (peek(reader) !== '"') {
    if (reader.at >= reader.script.length) throw new Unread('no closing "');
    if (peek(reader) === '$') pieces.push(dollar(reader));
    else {
      if (peek(reader) === '\\' && '"$\\`'.includes(reader.script[reader.at + 1] ?? '')) reader.at++;
      pieces.push({ piece: 'text', text: peek(reader) });
      reader.at++;
    }
  }
  reader.at++;
  return pieces;
}

function dollar(reader: Reader): Piece {
  const rest = reader.script.slice(reader.at);
  if (rest.startsWith('$((')) return sum(balanced(reader, '$((', '))'));
  if (rest.startsWith('$(')) return reader.nested(balanced(reader, '$(', ')'));
  const found = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(rest);
  if (found === null) throw new Unread(`an expansion that it does not understand: ${rest.slice(0, 8)}`);
  reader.at += found[0].length;
  return { piece: 'variable', name: found[1] ?? found[2] ?? '' };
}

/** What stands between an opening and its closing; brackets inside are counted. */
function balanced(reader: Reader, open: string, close: string): string {
  const from = reader.at + open.length;
  let depth = 0;
  for (let at = from; at < reader.script.length; at++) {
    if (depth === 0 && reader.script.startsWith(close, at)) {
      reader.at = at + close.length;
      return reader.script.slice(from, at);
    }
    if (reader.script[at] === '(') depth++;
    if (reader.script[at] === ')') depth--;
  }
  throw new Unread(`no closing ${close}`);
}

function sum(text: string): Piece {
  if (!/^\s*\$?\w+(?:\s*[-+]\s*\$?\w+)*\s*$/.test(text)) throw new Unread('arithmetic beyond + and -');
  const terms = [...text.matchAll(/([-+]?)\s*\$?(\w+)/g)].map(([, sign, operand = '']) => ({
    sign: sign === '-' ? (-1 as const) : (1 as const),
    word: [
      /^\d/.test(operand)
        ? ({ piece: 'text', text: operand } as const)
        : ({ piece: 'variable', name: operand } as const),
    ],
  }));
  return { piece: 'sum', terms };
}
