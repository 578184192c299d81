// The commands of the small shell. To add one: a row in `commands`, a row in docs/reference/scenario.md, a case in the test.
import { type Act, type Comparison, signalName, type Word, word } from '../process/act.ts';
import { type Token, Unread } from './lex.ts';

/** Words of one command, after assignments and redirections are taken out. */
interface Call {
  readonly args: readonly Word[];
  /** The file that standard output goes to; undefined: nobody looks. */
  readonly output: { readonly path: Word; readonly append: boolean } | undefined;
  readonly script: (text: string) => readonly Act[];
}

/** The act of one simple command. `script` parses a script inside it (of `trap`, of `sh -c`). */
export function simpleCommand(tokens: readonly Token[], script: Call['script']): Act {
  const { words, output } = redirected(tokens);
  const assignments = leadingAssignments(words);
  if (assignments.length === words.length) return { act: 'group', acts: assignments };
  if (assignments.length > 0) throw new Unread('a variable set for one command');
  const [name, ...args] = words.map(({ word: value }) => value);
  return commandAct(literal(name ?? []), { args, output, script });
}

/** The act of a command by its name. */
export function commandAct(name: string, call: Call): Act {
  const known = commands.get(name.replace(/^(?:\/usr)?\/bin\//, ''));
  if (known === undefined) throw new Unread(`the command ${JSON.stringify(name)}`);
  return known(call);
}

type WordToken = Extract<Token, { token: 'word' }>;

function redirected(tokens: readonly Token[]): {
  readonly words: readonly WordToken[];
  readonly output: Call['output'];
} {
  const words: WordToken[] = [];
  let output: Call['output'];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.token === 'word') words.push(token);
    if (token?.token !== 'redirect' || token.text.includes('&')) continue;
    const target = tokens[++index];
    if (target?.token !== 'word') throw new Unread('a redirection to nowhere');
    if (token.text === '<') throw new Unread('input from a file');
    if (literalOr(target.word, '') !== '/dev/null' && !token.text.startsWith('2'))
      output = { path: target.word, append: token.text.includes('>>') };
  }
  return { words, output };
}

function leadingAssignments(words: readonly WordToken[]): readonly Act[] {
  const acts: Act[] = [];
  for (const { bare, word: value } of words) {
    const name = /^([A-Za-z_]\w*)=/.exec(bare)?.[1];
    if (name === undefined) break;
    acts.push({ act: 'assign', name, value: afterEquals(value, name.length + 1) });
  }
  return acts;
}

/** A word without its first characters, which are plain text. */
function afterEquals(value: Word, count: number): Word {
  let left = count;
  return value.flatMap((piece) => {
    if (piece.piece !== 'text' || left === 0) return [piece];
    const text = piece.text.slice(left);
    left -= piece.text.length - text.length;
    return text === '' ? [] : [{ piece: 'text' as const, text }];
  });
}

/** The text of a word without expansions. */
function literal(value: Word): string {
  return literalOr(value, undefined) ?? refuse('a variable where a fixed word is needed');
}

function literalOr<T>(value: Word, otherwise: T): string | T {
  return value.every(({ piece }) => piece === 'text')
    ? value.map((piece) => (piece.piece === 'text' ? piece.text : '')).join('')
    : otherwise;
}

function refuse(what: string): never {
  throw new Unread(what);
}

const ok: Act = { act: 'status', code: 0 };

const commands: ReadonlyMap<string, (call: Call) => Act> = new Map<string, (call: Call) => Act>([
  [':', (call) => truncated(call, 0)],
  ['true', (call) => truncated(call, 0)],
  ['false', () => ({ act: 'status', code: 1 })],
  ['sleep', sleep],
  ['exit', ({ args: [code] }) => ({ act: 'exit', code })],
  ['touch', ({ args }) => each(paths(args), (path) => ({ act: 'touch', path }))],
  ['rm', remove],
  ['mkdir', () => ok],
  ['echo', print],
  ['printf', print],
  ['date', (call) => print({ ...call, args: [word('0')] })],
  [
    'cat',
    ({ args, output }) =>
      output === undefined ? each(args, (path) => ({ act: 'cat', path })) : refuse('a cat into a file'),
  ],
  ['ls', ({ args }) => each(paths(args), (path) => ({ act: 'exists', path, negate: false }))],
  ['test', ({ args }) => test(args)],
  ['[', ({ args }) => (literalOr(args.at(-1) ?? [], '') === ']' ? test(args.slice(0, -1)) : refuse('a [ without ]'))],
  ['trap', trap],
  ['export', (call) => ({ act: 'group', acts: call.args.map(exported) })],
  [
    'set',
    ({ args }) =>
      args.every((arg) => /^[-+][xu]+$/.test(literal(arg))) ? ok : refuse('a "set" that changes how it fails'),
  ],
  [
    'exec',
    (call) => ({
      act: 'group',
      acts: [
        commandAct(literal(call.args[0] ?? []), { ...call, args: call.args.slice(1) }),
        { act: 'exit', code: undefined },
      ],
    }),
  ],
  ['sh', nested],
  ['bash', nested],
  ['ash', nested],
]);

function truncated(call: Call, code: number): Act {
  return call.output === undefined
    ? { act: 'status', code }
    : { act: 'write', path: call.output.path, text: word(''), append: call.output.append };
}

function sleep({ args: [amount] }: Call): Act {
  const text = literal(amount ?? []);
  const found = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(text);
  if (text === 'infinity' || text === 'inf') return { act: 'sleep', ms: Number.POSITIVE_INFINITY, holds: true };
  if (found === null) throw new Unread(`a sleep of ${JSON.stringify(text)}`);
  const unit = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }[found[2] ?? ''] ?? 1;
  return { act: 'sleep', ms: Math.round(Number(found[1]) * unit * 1000), holds: true };
}

function paths(args: readonly Word[]): readonly Word[] {
  return args.filter((arg) => !literalOr(arg, '').startsWith('-'));
}

function each(args: readonly Word[], act: (arg: Word) => Act): Act {
  const [first, ...rest] = args.map(act);
  if (first === undefined) throw new Unread('a command without its arguments');
  return rest.length === 0 ? first : { act: 'group', acts: [first, ...rest] };
}

function remove({ args }: Call): Act {
  const force = args.some((arg) => /^-\w*f/.test(literalOr(arg, '')));
  return each(paths(args), (path) => ({ act: 'remove', path, force }));
}

function print({ args, output }: Call): Act {
  const spaced = args.flatMap((arg, index): Word => (index === 0 ? arg : [...word(' '), ...arg]));
  return output === undefined
    ? { act: 'print', text: spaced }
    : { act: 'write', path: output.path, text: spaced, append: output.append };
}

const comparisons: readonly string[] = ['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '=', '!='];

function test(args: readonly Word[]): Act {
  const [first = [], second = [], third = []] = args;
  if (literalOr(first, '') === '!') return { act: 'not', inner: test(args.slice(1)) };
  if (args.length === 2 && ['-f', '-e', '-s', '-d'].includes(literalOr(first, '')))
    return { act: 'exists', path: second, negate: false };
  if (args.length === 2 && ['-n', '-z'].includes(literalOr(first, '')))
    return { act: 'compare', left: second, operator: literal(first) === '-n' ? '!=' : '=', right: [] };
  const operator = literalOr(second, '').replace(/^==$/, '=');
  if (args.length !== 3 || !comparisons.includes(operator)) throw new Unread('a test that it does not understand');
  return { act: 'compare', left: first, operator: operator as Comparison, right: third };
}

function trap({ args, script }: Call): Act {
  const [body = [], ...signals] = args;
  const text = literal(body);
  const names = signals.map((signal) => signalName(literal(signal)));
  if (names.length === 0) throw new Unread('a trap without signals');
  if (text === '-') return { act: 'trap', signals: names, does: 'default' };
  return { act: 'trap', signals: names, does: text === '' ? 'ignore' : script(text) };
}

function exported(arg: Word): Act {
  const first = arg.findIndex((piece) => piece.piece === 'text' && piece.text === '=');
  if (first <= 0) throw new Unread('an export without a value');
  return { act: 'assign', name: literal(arg.slice(0, first)), value: arg.slice(first + 1) };
}

function nested({ args, script }: Call): Act {
  const flag = literalOr(args[0] ?? [], '');
  if (!/^-[eux]*c$/.test(flag) || flag.includes('e') || args.length !== 2)
    throw new Unread('a shell that runs something else than one -c script');
  return { act: 'group', acts: script(literal(args[1] ?? [])) };
}
