// What the YAML parser refuses, said in the words of somebody who edits rollouts.yml: a pattern that starts with `*` or `[`
// is the usual reason, and "unresolved alias" helps nobody.
import type { Document, LineCounter, YAMLParseError, YAMLWarning } from 'yaml';
import type { Problem } from '../std/errors.ts';

const quoteIt = 'quote the pattern';
/** One unclosed bracket can break everything behind it; after some, more problems help nobody. */
const mostProblems = 20;
const hints: ReadonlyMap<string, string> = new Map([
  ['TAB_AS_INDENT', 'indent with spaces'],
  ['BAD_INDENT', 'put all entries of one map into the same column'],
  ['TAG_RESOLVE_FAILED', 'remove the tag'],
  ['MISSING_CHAR', 'close the quote or bracket'],
]);

/** Problems of the syntax. Where a line starts with an unquoted `*`, that is the problem, not what the parser made of it. */
export function syntaxProblems(
  text: string,
  documents: readonly Document[],
  lines: LineCounter,
  file: string | undefined,
): Problem[] {
  const base = { code: 'yaml-syntax', severity: 'error', ...(file === undefined ? {} : { file }) } as const;
  const oldEnd = text.search(/\r(?!\n)/);
  if (oldEnd !== -1) return [{ ...base, ...lonelyReturn(text, oldEnd) }];
  const found = documents.flatMap((document) => [...document.errors, ...document.warnings]);
  if (found.length === 0) return [];
  const conflict = /^<{7} .*$/m.exec(text);
  if (conflict !== null && /^>{7} /m.test(text)) return [{ ...base, ...unmerged(text, conflict.index) }];
  const globs = starKeys(text).map(({ line, column, key }) => ({
    ...base,
    line,
    column,
    message: `\`*\` starts a YAML alias, so ${key} is not read as a pattern`,
    hint: `${quoteIt}, and in a regular expression write .${key}: ".${key}"`,
  }));
  if (globs.length > 0) return globs;
  return found.slice(0, mostProblems).map((error) => ({ ...base, ...place(error, lines), ...explain(error, text) }));
}

/** A carriage return alone ends a line for YAML, and for hardly anything else. */
function lonelyReturn(text: string, at: number): Said {
  const message = 'a line ends with a carriage return alone';
  return { line: lineOf(text, at), column: 1, message, hint: 'save the file with line ends LF (or CRLF)' };
}

function unmerged(text: string, at: number): Said {
  const message = 'conflict markers of a merge stand in the file';
  return {
    line: lineOf(text, at),
    column: 1,
    message,
    hint: 'resolve the conflict and remove the lines <<<<<<<, ======= and >>>>>>>',
  };
}

interface Said {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint: string;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

function place({ pos }: YAMLParseError | YAMLWarning, lines: LineCounter): { line: number; column: number } {
  const { line, col } = lines.linePos(pos[0]);
  return { line, column: col };
}

function explain(error: YAMLParseError | YAMLWarning, text: string): { message: string; hint?: string } {
  const message = error.message.replace(/\s+/g, ' ');
  // The parser's own words for an input that goes deeper than its stack.
  if (message.startsWith('Maximum call stack')) return { message: 'lists or maps are nested too deeply' };
  const lineStart = text.lastIndexOf('\n', error.pos[0] - 1) + 1;
  const bracket = /^\s*[[{&!|>%@`]/.test(text.slice(lineStart, error.pos[0] + 1));
  if (bracket && error.code === 'UNEXPECTED_TOKEN')
    return { message, hint: `${quoteIt}: outside of quotes ${text.slice(lineStart).trim()[0]} has a meaning in YAML` };
  if (/^Flow (?:map|sequence) /.test(message))
    return { message, hint: 'close the bracket that is open here, or indent what stands in it' };
  const hint = hints.get(error.code);
  return hint === undefined ? { message } : { message, hint };
}

function starKeys(text: string): { line: number; column: number; key: string }[] {
  return text.split('\n').flatMap((content, index) => {
    const match = /^(\s*)(\*[^\s:]*):(?:\s|$)/.exec(content);
    return match === null ? [] : [{ line: index + 1, column: (match[1] ?? '').length + 1, key: match[2] ?? '' }];
  });
}
