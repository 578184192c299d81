// One document's outline by the path that can prove it: the fast one first, the complete one for the rest. Owns the choice
// and the words for what is wrong, templates that nobody rendered above all.
import type { Problem } from '../std/errors.ts';
import { type Bytes, type ByteText, lineAt, standsAt } from './bytes.ts';
import { outlineComplete } from './complete.ts';
import { outlineFast } from './fast.ts';
import { outlineFlow } from './flow.ts';
import { isBlank } from './scan.ts';
import { endOf, kindOf, kinds, resetTape, startOf, type Tape } from './tape.ts';

/** How a document was outlined, or what is wrong with it. */
export type Outcome = { readonly path: 'fast' | 'complete' } | { readonly path: 'none'; readonly problem: Problem };

const fast: Outcome = { path: 'fast' };

/** Outlines text[start, end) on the tape. */
export function outlineDocument(tape: Tape, source: ByteText, start: number, end: number): Outcome {
  resetTape(tape, source);
  if (outlineFast(tape, start, end)) return fast;
  resetTape(tape, source);
  const failure = outlineComplete(tape, start, end);
  const template = failure === undefined ? templateNode(tape) : templateLine(source, start, end);
  if (template !== -1) return { path: 'none', problem: notRendered(source.text, template) };
  if (failure === undefined) return { path: 'complete' };
  const { message, offset } = failure;
  return {
    path: 'none',
    problem: { code: 'yaml-invalid', severity: 'error', message, ...placeOf(source.text, offset) },
  };
}

/** A character that YAML forbids, as a problem. */
export function forbiddenCharacter(text: Bytes, offset: number): Problem {
  const code = text.charCodeAt(offset);
  return {
    code: 'control-character',
    severity: 'error',
    message: `the control character 0x${code.toString(16).padStart(2, '0')} is not allowed in YAML`,
    ...(code === 0 ? { hint: 'a text with zero bytes is often UTF-16: convert it to UTF-8' } : {}),
    ...placeOf(text, offset),
  };
}

/** Where the JSON value at the start of a chunk ends if another one follows it: streams of JSON need no separators. */
export function endOfJsonValue(tape: Tape, source: ByteText, start: number, end: number): number {
  const { bytes } = source;
  const open = skipWhite(bytes, start, end);
  if (bytes[open] !== 123) return end;
  resetTape(tape, source);
  const close = outlineFlow(tape, { bytes, end, column: -1 }, open);
  if (close === -1) return end;
  const next = skipWhite(bytes, close, end);
  return next < end && bytes[next] === 123 ? next : end;
}

/** 1-based line and column of an offset. */
export function placeOf(text: Bytes, offset: number): { readonly line: number; readonly column: number } {
  const before = offset === 0 ? -1 : text.lastIndexOf('\n', offset - 1);
  return { line: lineAt(text, offset), column: offset - before };
}

/** The first node that begins with `{{`: YAML reads a mapping as a key, a human sees a template. */
function templateNode(tape: Tape): number {
  for (let node = 0; node < tape.count; node++) {
    if (kindOf(tape, node) !== kinds.flowMap || endOf(tape, node) - startOf(tape, node) < 4) continue;
    if (standsAt(tape.bytes, startOf(tape, node), '{{')) return startOf(tape, node);
  }
  return -1;
}

/** The first line of a broken document on which `{{` stands where a key or a value should. */
function templateLine(source: ByteText, start: number, end: number): number {
  const line = /^[ \t]*(?:- +)*(?:[^\s#'"{][^\n#'"{]*: +)?(?:\{\{)/m.exec(source.slice(start, end));
  return line === null ? -1 : start + line.index + line[0].length - 2;
}

function notRendered(text: Bytes, offset: number): Problem {
  return {
    code: 'template-not-rendered',
    severity: 'error',
    message: '"{{" stands where a key or a value should be: this is a template that nobody rendered',
    hint: 'render it first (helm template … | fairway mutate -), or name the file in .fairwayignore',
    ...placeOf(text, offset),
  };
}

function skipWhite(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(bytes[at]!)) at++;
  return at;
}
