// One namespace pattern: RE2 syntax, matched against the whole name, in time linear in the name. A pattern that is a plain
// name is compared, not matched. Refuses what RE2 refuses (back-references, look-around) and what is longer than 1 KB.
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { countCodePoints } from '../std/order.ts';
import { utf8 } from '../std/utf8.ts';
import { type Automaton, automaton } from './automaton.ts';
import { literalAutomaton } from './language.ts';
import { lastSigns, programOf, requiredPrefix, requiredSuffix, signs } from './program.ts';

export interface Pattern {
  /** What stands in the file. */
  readonly text: string;
  /** In code points: of several patterns that match, the longest wins. */
  readonly length: number;
  /** Steps of the compiled expression, 0 of a plain name: what it costs in time and memory. */
  readonly size: number;
  /** A plain name (letters, digits, dashes) means only itself. */
  readonly literal: boolean;
  /** Every name that matches begins and ends with these; may be empty. */
  readonly prefix: string;
  readonly suffix: string;
  /** Whether a match may end with this text's last sign; true where that is not known. */
  readonly mayEndLike: (text: string) => boolean;
  /** Over legal names; absent where the expression has no bounded one. */
  readonly automaton: Automaton | undefined;
  /** Whether the whole name matches. */
  readonly matches: (name: string) => boolean;
}

export type Compiled =
  | { readonly kind: 'pattern'; readonly pattern: Pattern }
  | { readonly kind: 'refused'; readonly message: string; readonly hint: string };

const longestBytes = 1024;
/** Larger expressions are left to the engine: questions about all names would take too long. */
const longestProgram = 5000;
const plainName = /^[A-Za-z0-9-]+$/;

/**
 * The last texts that were compiled: a plan reads two files that share nearly all of theirs, and an expression costs about a millisecond. A
 * pattern is the same whoever asks, so sharing it shows only in time.
 */
const compiled = new Map<string, Compiled>();
const mostCompiled = 4096;

/** A pattern, or why there is none, in the engine's words. */
export function compilePattern(text: string): Compiled {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const made = compile(text);
  if (compiled.size >= mostCompiled) compiled.clear();
  compiled.set(text, made);
  return made;
}

function compile(text: string): Compiled {
  const bytes = utf8(text).length;
  if (bytes > longestBytes)
    return refused(`a pattern of ${bytes} bytes; the limit is ${longestBytes}`, 'split it into several');
  if (plainName.test(text)) return { kind: 'pattern', pattern: literalPattern(text) };
  try {
    return { kind: 'pattern', pattern: expressionPattern(text, RE2JS.compile(text)) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return refused(error.message.replace(/^error parsing regexp: /, ''), hintFor(text, error));
  }
}

function literalPattern(text: string): Pattern {
  const matches = (name: string): boolean => name === text;
  return {
    text,
    length: text.length,
    size: 0,
    literal: true,
    prefix: text,
    suffix: text,
    mayEndLike: (other) => other.endsWith(text.slice(-1)),
    get automaton() {
      return literalAutomaton(text);
    },
    matches,
  };
}

/** The engine decides about names that are no legal namespace names, and where the automaton reached its bound. */
function expressionPattern(text: string, expression: RE2JS): Pattern {
  const whole = programOf(expression);
  const program = whole !== undefined && whole.steps.length <= longestProgram ? whole : undefined;
  const fast = program === undefined ? undefined : automaton(program);
  const last = program === undefined ? [] : lastSigns(program);
  return {
    text,
    length: countCodePoints(text),
    size: whole?.steps.length ?? longestProgram,
    literal: false,
    prefix: program === undefined ? '' : requiredPrefix(program),
    suffix: program === undefined ? '' : requiredSuffix(program),
    mayEndLike: (other) => last[signs.indexOf(other.slice(-1) || '?')] ?? true,
    automaton: fast,
    matches: (name) => {
      const state = fast?.after(name);
      return state === undefined || fast === undefined ? expression.testExact(name) : fast.accepts(state);
    },
  };
}

function refused(message: string, hint: string): Compiled {
  return { kind: 'refused', message, hint };
}

function hintFor(text: string, error: Error): string {
  if (/\(\?<?[=!]|\\[1-9]/.test(text))
    return 'look-around and back-references cannot be matched in linear time and are not part of RE2; write what matches instead';
  if (text.startsWith('*')) return `a pattern is a regular expression: write ".${text}"`;
  return error instanceof RE2JSSyntaxException
    ? 'patterns are regular expressions in RE2 syntax (https://github.com/google/re2/wiki/Syntax)'
    : 'write a smaller pattern';
}
