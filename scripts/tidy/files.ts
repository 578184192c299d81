// What tidy looks at: the text files that Git tracks or would track, and the shape of a finding.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly what: string;
}

export type Check = (files: readonly SourceFile[]) => Finding[];

const textual = /\.(?:ts|mjs|js|json|md|ya?ml|sh|py|go|tsx|css|html)$|(?:^|\/)\.ci\/run$/;

/** Paths of the project's text files, in order. */
export function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return listed
    .split('\n')
    .filter((path) => textual.test(path) && path !== 'package-lock.json' && existsSync(path))
    .sort();
}

/** Every match of a pattern in a file as a finding. */
export function matches(file: SourceFile, pattern: RegExp, rule: string, what: string): Finding[] {
  return Array.from(file.text.matchAll(pattern), (match) => ({
    path: file.path,
    line: lineOf(file.text, match.index),
    rule,
    what: `${what}: ${match[0].trim()}`,
  }));
}

/** 1-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The text with comments and the contents of strings blanked, line breaks kept: good enough to look for names in. */
export function codeOnly(text: string): string {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
  return text.replace(token, (found) => found.replace(/[^\n]/g, ' '));
}
