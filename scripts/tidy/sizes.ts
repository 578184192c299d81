// Sizes: hard ends for files and functions, and a ratchet on how many are beyond the aim, so that the tail cannot grow.
import { parseSync } from '@swc/core';
import { type Check, type Finding, lineOf, type SourceFile } from './files.ts';
import ratchet from './ratchet.json' with { type: 'json' };

const end = { fileLines: 500, functionLines: 70 };
const aim = { fileLines: 200, functionLines: 25 };

interface Size {
  readonly path: string;
  readonly line: number;
  readonly lines: number;
}

/** Files and functions beyond the end, and counts beyond the ratchet of scripts/tidy/ratchet.json. */
export const checkSizes: Check = (files) => {
  const sources = files.filter(
    ({ path }) => /^(?:src|web)\/.*\.tsx?$/.test(path) && !/\.(?:test|gen)\.ts$|\/generated\//.test(path),
  );
  const lengths = sources.map(({ path, text }) => ({ path, line: 1, lines: text.trimEnd().split('\n').length }));
  const functions = sources.flatMap(functionSizes);
  return [
    ...beyond(lengths, end.fileLines, 'file'),
    ...beyond(functions, end.functionLines, 'function'),
    ...turned('longFiles', lengths.filter(({ lines }) => lines > aim.fileLines).length, ratchet.longFiles),
    ...turned(
      'longFunctions',
      functions.filter(({ lines }) => lines > aim.functionLines).length,
      ratchet.longFunctions,
    ),
  ];
};

function beyond(sizes: readonly Size[], limit: number, what: string): Finding[] {
  return sizes
    .filter(({ lines }) => lines > limit)
    .map(({ path, line, lines }) => ({
      path,
      line,
      rule: 'size',
      what: `a ${what} of ${lines} lines; ${limit} is the end`,
    }));
}

/** Above the ratchet is a finding. Whoever makes something smaller turns it down. */
function turned(key: string, count: number, allowed: number): Finding[] {
  if (count <= allowed) return [];
  const what = `${key} is ${count}, and ${allowed} is the ratchet: split what you added`;
  return [{ path: 'scripts/tidy/ratchet.json', line: 1, rule: 'ratchet', what }];
}

function functionSizes({ path, text }: SourceFile): Size[] {
  const found: Size[] = [];
  const module = parseSync(text, { syntax: 'typescript', tsx: path.endsWith('x'), target: 'es2022' });
  const bytes = Buffer.from(text);
  const line = (byte: number): number => lineOf(text, bytes.subarray(0, byte - 1).toString('utf8').length);
  visit(module, ({ start, end: stop }) => found.push({ path, line: line(start), lines: line(stop) - line(start) + 1 }));
  return found;
}

/** Byte offsets from 1, as swc counts. */
interface Span {
  readonly start: number;
  readonly end: number;
}

function visit(node: unknown, report: (span: Span) => void): void {
  if (Array.isArray(node)) for (const child of node) visit(child, report);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  const { type, span } = node as { type?: string; span?: Span };
  if (
    span !== undefined &&
    (type === 'FunctionDeclaration' ||
      type === 'FunctionExpression' ||
      type === 'ArrowFunctionExpression' ||
      type === 'ClassMethod')
  )
    report(span);
  for (const child of Object.values(node)) visit(child, report);
}
