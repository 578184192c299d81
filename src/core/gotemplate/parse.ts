// The parser: tokens to a set of named syntax trees. It accepts what Go's text/template accepts and refuses, with its words, what
// that refuses. Complex constants are the one thing it refuses that Go takes.
import type { Branch, Command, NumberConstant, Operand, Pipe, Statement } from './ast.ts';
import { textOf } from './ast.ts';
import { GoTemplateError } from './error.ts';
import { type Token, type TokenType, tokenize } from './lex.ts';
import { parseFloat64, parseInteger, unquote, unquoteRune } from './unquote.ts';

/** Each named template's statements; the one that is called like the whole text holds what is outside of definitions. */
export type Trees = ReadonlyMap<string, readonly Statement[]>;

interface Parser {
  readonly name: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly functions: { readonly has: (name: string) => boolean };
  readonly trees: Map<string, readonly Statement[]>;
  at: number;
  variables: string[];
  rangeDepth: number;
  parenDepth: number;
}

const deepest = 1000;
const emptyTree: readonly Statement[] = [];

/** Parses a template. Throws GoTemplateError for the first thing that is wrong. */
export function parse(name: string, text: string, functions: Parser['functions']): Trees {
  const shadowed = new Set(['break', 'continue'].filter((word) => functions.has(word)));
  const parser: Parser = {
    name,
    text,
    tokens: tokenize(text, shadowed),
    functions,
    trees: new Map(),
    at: 0,
    variables: ['$'],
    rangeDepth: 0,
    parenDepth: 0,
  };
  const root: Statement[] = [];
  while (peek(parser).type !== 'eof') parseTopLevel(parser, root);
  define(parser, name, root);
  return parser.trees;
}

function parseTopLevel(parser: Parser, root: Statement[]): void {
  const start = parser.at;
  if (next(parser).type === 'left') {
    const word = nextNonSpace(parser);
    if (word.type === 'keyword' && word.text === 'define') return parseDefinition(parser);
  }
  parser.at = start;
  const parsed = textOrAction(parser);
  if (parsed.end !== undefined) fail(parser, `unexpected {{${parsed.end}}}`);
  if (parsed.statement !== undefined) root.push(parsed.statement);
}

function parseDefinition(parser: Parser): void {
  const name = templateName(parser, nextNonSpace(parser), 'define clause');
  expect(parser, 'right', 'define clause');
  const body = separately(parser, () => parseBody(parser, 'define clause'));
  define(parser, name, body);
}

/** Parses a body that sees no variable of its surroundings. */
function separately<T>(parser: Parser, work: () => T): T {
  const { variables, rangeDepth } = parser;
  parser.variables = ['$'];
  parser.rangeDepth = 0;
  const result = work();
  parser.variables = variables;
  parser.rangeDepth = rangeDepth;
  return result;
}

function parseBody(parser: Parser, context: string): readonly Statement[] {
  const { list, end } = statements(parser);
  if (end !== 'end') fail(parser, `unexpected {{${end}}} in ${context}`);
  return list;
}

function define(parser: Parser, name: string, body: readonly Statement[]): void {
  const known = parser.trees.get(name);
  if (known === undefined || isBlank(known)) parser.trees.set(name, body);
  else if (!isBlank(body)) fail(parser, `template: multiple definition of template ${JSON.stringify(name)}`);
}

function isBlank(body: readonly Statement[]): boolean {
  return body.every((statement) => statement.kind === 'text' && statement.text.trim() === '');
}

interface Parsed {
  readonly statement?: Statement;
  readonly end?: 'end' | 'else';
}

/** Statements up to `end` or `else`. */
function statements(parser: Parser): { readonly list: readonly Statement[]; readonly end: 'end' | 'else' } {
  const list: Statement[] = [];
  while (peekNonSpace(parser).type !== 'eof') {
    const parsed = textOrAction(parser);
    if (parsed.end !== undefined) return { list: list.length === 0 ? emptyTree : list, end: parsed.end };
    if (parsed.statement !== undefined) list.push(parsed.statement);
  }
  return fail(parser, 'unexpected EOF');
}

function textOrAction(parser: Parser): Parsed {
  const token = nextNonSpace(parser);
  if (token.type === 'text') return { statement: { kind: 'text', at: token.at, text: token.text } };
  if (token.type !== 'left') return unexpected(parser, token, 'input');
  return action(parser);
}

function action(parser: Parser): Parsed {
  const token = nextNonSpace(parser);
  if (token.type === 'keyword') return keywordAction(parser, token);
  parser.at--;
  const at = peek(parser).at;
  return { statement: { kind: 'action', at, pipe: pipeline(parser, 'command', 'right') } };
}

function keywordAction(parser: Parser, token: Token): Parsed {
  switch (token.text) {
    case 'if':
    case 'with':
    case 'range':
      return { statement: branch(parser, token.text) };
    case 'else':
      return elseAction(parser);
    case 'end':
      expect(parser, 'right', 'end');
      return { end: 'end' };
    case 'template':
      return { statement: templateAction(parser) };
    case 'block':
      return { statement: blockAction(parser) };
    case 'break':
    case 'continue':
      return { statement: jump(parser, token.text, token.at) };
    default:
      return unexpected(parser, token, 'command');
  }
}

function jump(parser: Parser, kind: 'break' | 'continue', at: number): Statement {
  const token = nextNonSpace(parser);
  if (token.type !== 'right') return unexpected(parser, token, `{{${kind}}}`);
  if (parser.rangeDepth === 0) fail(parser, `{{${kind}}} outside {{range}}`);
  return { kind, at };
}

/** `else` alone, or the start of `else if` / `else with`, whose keyword is left for the caller. */
function elseAction(parser: Parser): Parsed {
  const after = peekNonSpace(parser);
  const chained = after.type === 'keyword' && (after.text === 'if' || after.text === 'with');
  if (!chained) expect(parser, 'right', 'else');
  return { end: 'else' };
}

function branch(parser: Parser, kind: Branch['kind']): Branch {
  const outer = parser.variables.length;
  const pipe = pipeline(parser, kind, 'right');
  if (kind === 'range') parser.rangeDepth++;
  const { list: body, end } = statements(parser);
  if (kind === 'range') parser.rangeDepth--;
  const otherwise = end === 'else' ? elseBody(parser, kind) : undefined;
  parser.variables.length = outer;
  return { kind, at: pipe.at, pipe, body, otherwise };
}

function elseBody(parser: Parser, kind: Branch['kind']): readonly Statement[] {
  const token = peek(parser);
  if (kind !== 'range' && token.type === 'keyword' && token.text === kind) {
    parser.at++;
    return [branch(parser, kind)];
  }
  const { list, end } = statements(parser);
  if (end !== 'end') fail(parser, `expected end; found {{${end}}}`);
  return list;
}

function templateAction(parser: Parser): Statement {
  const token = nextNonSpace(parser);
  const name = templateName(parser, token, 'template clause');
  if (nextNonSpace(parser).type === 'right') return { kind: 'template', at: token.at, name, pipe: undefined };
  parser.at--;
  return { kind: 'template', at: token.at, name, pipe: pipeline(parser, 'template clause', 'right') };
}

function blockAction(parser: Parser): Statement {
  const token = nextNonSpace(parser);
  const name = templateName(parser, token, 'block clause');
  const pipe = pipeline(parser, 'block clause', 'right');
  const body = separately(parser, () => parseBody(parser, 'block clause'));
  define(parser, name, body);
  return { kind: 'template', at: token.at, name, pipe };
}

function templateName(parser: Parser, token: Token, context: string): string {
  if (token.type !== 'string' && token.type !== 'raw') return unexpected(parser, token, context);
  return unquote(token.text) ?? fail(parser, 'invalid syntax');
}

function pipeline(parser: Parser, context: string, end: TokenType): Pipe {
  const at = peekNonSpace(parser).at;
  const { declares, assigns } = declarations(parser, context);
  const commands: Command[] = [];
  for (;;) {
    const token = nextNonSpace(parser);
    if (token.type === end) break;
    if (!startsOperand(token)) return unexpected(parser, token, context);
    parser.at--;
    commands.push(command(parser));
  }
  checkPipeline(parser, commands, context);
  return { kind: 'pipe', at, declares, assigns, commands };
}

const operandStarts: ReadonlySet<TokenType> = new Set<TokenType>([
  'bool',
  'rune',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'raw',
  'string',
  'variable',
  'open',
]);

function startsOperand(token: Token): boolean {
  return operandStarts.has(token.type);
}

function checkPipeline(parser: Parser, commands: readonly Command[], context: string): void {
  if (commands.length === 0) fail(parser, `missing value for ${context}`);
  for (const [i, { operands }] of commands.entries()) {
    const kind = operands[0]?.kind ?? 'nil';
    if (i > 0 && ['bool', 'dot', 'nil', 'number', 'string'].includes(kind)) {
      fail(parser, `non executable command in pipeline stage ${i + 1}`);
    }
  }
}

/** `$x :=`, `$x =`, and for range `$i, $x :=`; nothing if the pipeline only begins with a variable. */
function declarations(parser: Parser, context: string): Pick<Pipe, 'declares' | 'assigns'> {
  const declares: string[] = [];
  for (;;) {
    const start = parser.at;
    const variable = peekNonSpace(parser);
    if (variable.type !== 'variable') return { declares, assigns: false };
    parser.at++;
    const after = peekNonSpace(parser);
    if (after.type === 'assign' || after.type === 'declare') {
      parser.at++;
      declares.push(variable.text);
      parser.variables.push(variable.text);
      return { declares, assigns: after.type === 'assign' };
    }
    if (after.type !== 'char' || after.text !== ',') {
      parser.at = start;
      return { declares, assigns: false };
    }
    parser.at++;
    declares.push(variable.text);
    parser.variables.push(variable.text);
    if (context !== 'range' || declares.length >= 2) fail(parser, `too many declarations in ${context}`);
    const type = peekNonSpace(parser).type;
    if (type !== 'variable' && type !== 'right' && type !== 'close')
      fail(parser, 'range can only initialize variables');
  }
}

function command(parser: Parser): Command {
  const at = peekNonSpace(parser).at;
  const operands: Operand[] = [];
  for (;;) {
    peekNonSpace(parser);
    const found = operand(parser);
    if (found !== undefined) operands.push(found);
    const token = next(parser);
    if (token.type === 'space') continue;
    if (token.type === 'right' || token.type === 'close') parser.at--;
    else if (token.type !== 'pipe') return unexpected(parser, token, 'operand');
    break;
  }
  if (operands.length === 0) fail(parser, 'empty command');
  return { at, operands };
}

function operand(parser: Parser): Operand | undefined {
  const node = term(parser);
  if (node === undefined || peek(parser).type !== 'field') return node;
  const at = peek(parser).at;
  const path: string[] = [];
  while (peek(parser).type === 'field') path.push(next(parser).text.slice(1));
  switch (node.kind) {
    case 'field':
      return { kind: 'field', at, path: [...node.path, ...path] };
    case 'variable':
      return { kind: 'variable', at, name: node.name, path: [...node.path, ...path] };
    case 'bool':
    case 'string':
    case 'number':
    case 'nil':
    case 'dot':
      return fail(parser, `unexpected . after term ${JSON.stringify(textOf(node))}`);
    default:
      return { kind: 'chain', at, of: node, path };
  }
}

function term(parser: Parser): Operand | undefined {
  const token = nextNonSpace(parser);
  const { at, text } = token;
  switch (token.type) {
    case 'identifier':
      if (!parser.functions.has(text)) fail(parser, `function ${JSON.stringify(text)} not defined`);
      return { kind: 'function', at, name: text };
    case 'dot':
    case 'nil':
      return { kind: token.type, at };
    case 'bool':
      return { kind: 'bool', at, value: text === 'true' };
    case 'variable':
      if (!parser.variables.includes(text)) fail(parser, `undefined variable ${JSON.stringify(text)}`);
      return { kind: 'variable', at, name: text, path: [] };
    case 'field':
      return { kind: 'field', at, path: [text.slice(1)] };
    case 'rune':
    case 'number':
    case 'complex':
      return numberConstant(parser, token);
    case 'string':
    case 'raw':
      return { kind: 'string', at, value: unquote(text) ?? fail(parser, 'invalid syntax'), quoted: text };
    case 'open':
      return parenthesized(parser);
    default:
      parser.at--;
      return undefined;
  }
}

function parenthesized(parser: Parser): Pipe {
  if (parser.parenDepth >= deepest) fail(parser, 'max expression depth exceeded');
  parser.parenDepth++;
  const pipe = pipeline(parser, 'parenthesized pipeline', 'close');
  parser.parenDepth--;
  return pipe;
}

function numberConstant(parser: Parser, { type, text, at }: Token): NumberConstant {
  if (type === 'rune') {
    const code = unquoteRune(text) ?? fail(parser, `malformed character constant: ${text}`);
    return { kind: 'number', at, text, int: BigInt(code), float: code };
  }
  if (type === 'complex' || text.endsWith('i')) fail(parser, `complex constants are not supported: ${text}`);
  const int = parseInteger(text);
  if (int !== undefined) return { kind: 'number', at, text, int, float: Number(int) };
  // An unsigned one that no int holds is refused only where it is used.
  if (/^\+?\d+$/.test(text) && BigInt(text) < 2n ** 64n)
    return { kind: 'number', at, text, int: undefined, float: Number(text) };
  const float = parseFloat64(text);
  if (float === undefined) return fail(parser, `illegal number syntax: ${JSON.stringify(text)}`);
  if (!/[.eEpP]/.test(text)) fail(parser, `integer overflow: ${JSON.stringify(text)}`);
  const whole = Number.isInteger(float) && Math.abs(float) < 2 ** 63 ? BigInt(float) : undefined;
  return { kind: 'number', at, text, int: whole, float };
}

function next(parser: Parser): Token {
  const token = peek(parser);
  if (parser.at < parser.tokens.length - 1 || token.type !== 'eof') parser.at++;
  return token;
}

function peek(parser: Parser): Token {
  const token = parser.tokens[parser.at] ?? { type: 'eof' as const, text: 'EOF', at: parser.text.length };
  return token.type === 'error' ? fail(parser, token.text) : token;
}

function nextNonSpace(parser: Parser): Token {
  peekNonSpace(parser);
  return next(parser);
}

function peekNonSpace(parser: Parser): Token {
  while (peek(parser).type === 'space') parser.at++;
  return peek(parser);
}

function expect(parser: Parser, type: TokenType, context: string): Token {
  const token = nextNonSpace(parser);
  return token.type === type ? token : unexpected(parser, token, context);
}

function unexpected(parser: Parser, token: Token, context: string): never {
  return fail(parser, `unexpected ${tokenText(token)} in ${context}`);
}

function tokenText({ type, text }: Token): string {
  if (type === 'eof') return 'EOF';
  if (type === 'keyword' || type === 'dot' || type === 'nil') return `<${text}>`;
  return text.length > 10 ? `${JSON.stringify(text.slice(0, 10))}...` : JSON.stringify(text);
}

/** Throws with the line of the token that was read last. */
function fail(parser: Parser, message: string): never {
  const last = parser.tokens[Math.max(0, Math.min(parser.at, parser.tokens.length) - 1)];
  const line = lineOf(parser.text, last?.at ?? 0);
  throw new GoTemplateError(`template: ${parser.name}:${line}: ${message}`, line);
}

/** 1-based line of an offset. */
function lineOf(text: string, at: number): number {
  let line = 1;
  for (let i = text.indexOf('\n'); i >= 0 && i < at; i = text.indexOf('\n', i + 1)) line++;
  return line;
}
