// The small shell: scripts of the kind that manifests carry (`sleep 5; touch /ready; while :; do sleep 1; done`), as acts.
// Understood: lists with ; && || !, groups, if, while, until, for over words, variables, $(cat …), $((n+1)), redirections to
// files and /dev/null, and the commands of `commands.ts`. Anything else is refused, never guessed.
import type { Act, Word } from '../process/act.ts';
import { simpleCommand } from './commands.ts';
import { type Token, tokensOf, Unread } from './lex.ts';

/** The acts of a script. Throws Unread where it holds something that is not understood. */
export function parseShell(script: string): readonly Act[] {
  const parser: Parser = { tokens: tokensOf(script, (inner) => ({ piece: 'output', acts: parseShell(inner) })), at: 0 };
  const acts = list(parser, []);
  if (parser.at < parser.tokens.length) throw new Unread(`an unexpected ${shown(parser.tokens[parser.at])}`);
  return acts;
}

interface Parser {
  readonly tokens: readonly Token[];
  at: number;
}

const keywords = [
  'if',
  'then',
  'elif',
  'else',
  'fi',
  'while',
  'until',
  'do',
  'done',
  'for',
  'in',
  '{',
  '}',
  '!',
  'case',
  'esac',
  'function',
  'select',
];

function bare(parser: Parser): string | undefined {
  const token = parser.tokens[parser.at];
  return token?.token === 'word' ? token.bare : undefined;
}

function isOperator(parser: Parser, ...texts: readonly string[]): boolean {
  const token = parser.tokens[parser.at];
  return token?.token === 'operator' && texts.includes(token.text);
}

function expect(parser: Parser, keyword: string): void {
  if (bare(parser) !== keyword) throw new Unread(`no "${keyword}" where it is due`);
  parser.at++;
}

/** Commands up to one of the closing words, which is left for the caller. */
function list(parser: Parser, closing: readonly string[]): readonly Act[] {
  const acts: Act[] = [];
  for (;;) {
    while (isOperator(parser, ';')) parser.at++;
    const next = bare(parser);
    if (parser.at >= parser.tokens.length || (next !== undefined && closing.includes(next))) return acts;
    acts.push(chain(parser));
    if (isOperator(parser, '&')) throw new Unread('a command in the background');
    if (isOperator(parser, '|')) throw new Unread('a pipe');
    if (parser.at < parser.tokens.length && !isOperator(parser, ';')) return acts;
  }
}

function chain(parser: Parser): Act {
  let act = negated(parser);
  while (isOperator(parser, '&&', '||')) {
    const when = isOperator(parser, '&&') ? 'success' : 'failure';
    parser.at++;
    while (isOperator(parser, ';')) parser.at++;
    act = { act: 'either', first: act, when, second: negated(parser) };
  }
  return act;
}

function negated(parser: Parser): Act {
  if (bare(parser) !== '!') return command(parser);
  parser.at++;
  return { act: 'not', inner: command(parser) };
}

function command(parser: Parser): Act {
  switch (bare(parser)) {
    case '{':
      return grouped(parser);
    case 'if':
      return conditional(parser);
    case 'while':
    case 'until':
      return repeated(parser);
    case 'for':
      return counted(parser);
    default:
      return simple(parser);
  }
}

function grouped(parser: Parser): Act {
  expect(parser, '{');
  const acts = list(parser, ['}']);
  expect(parser, '}');
  return { act: 'group', acts };
}

/** From `if` or `elif` to its `fi`. */
function conditional(parser: Parser): Act {
  parser.at++;
  const test = list(parser, ['then']);
  expect(parser, 'then');
  const yes = list(parser, ['elif', 'else', 'fi']);
  if (bare(parser) === 'elif') return { act: 'if', test, yes, no: [conditional(parser)] };
  const otherwise = bare(parser) === 'else';
  if (otherwise) parser.at++;
  const no = otherwise ? list(parser, ['fi']) : [];
  expect(parser, 'fi');
  return { act: 'if', test, yes, no };
}

function repeated(parser: Parser): Act {
  const until = bare(parser) === 'until';
  parser.at++;
  const test = list(parser, ['do']);
  return { act: 'loop', test, until, body: body(parser) };
}

function body(parser: Parser): readonly Act[] {
  while (isOperator(parser, ';')) parser.at++;
  expect(parser, 'do');
  const acts = list(parser, ['done']);
  expect(parser, 'done');
  return acts;
}

function counted(parser: Parser): Act {
  parser.at++;
  const name = bare(parser) ?? '';
  parser.at++;
  expect(parser, 'in');
  const values: Word[] = [];
  for (let token = parser.tokens[parser.at]; token?.token === 'word'; token = parser.tokens[parser.at]) {
    values.push(token.word);
    parser.at++;
  }
  const acts = body(parser);
  return { act: 'group', acts: values.flatMap((value): readonly Act[] => [{ act: 'assign', name, value }, ...acts]) };
}

function simple(parser: Parser): Act {
  const from = parser.at;
  while (parser.at < parser.tokens.length && parser.tokens[parser.at]?.token !== 'operator') parser.at++;
  const tokens = parser.tokens.slice(from, parser.at);
  const first = tokens[0];
  if (first === undefined) throw new Unread(`an unexpected ${shown(parser.tokens[from])}`);
  if (first.token === 'word' && keywords.includes(first.bare))
    throw new Unread(`"${first.bare}" where it is not understood`);
  return simpleCommand(tokens, parseShell);
}

function shown(token: Token | undefined): string {
  if (token === undefined) return 'end';
  return token.token === 'word' ? token.bare : JSON.stringify(token.text);
}
