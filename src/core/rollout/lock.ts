// rollouts.lock: who owns which slots, remembered from one edit to the next. Canonical text, a few KB; buckets are separate
// paragraphs, so that edits of two buckets merge cleanly in Git. Refuses what it does not understand, so that nothing is lost.
//
//   fairway-lock 1
//
//   bucket ".*-staging"
//     slots 1-24-5*7500 1-25-2*2500
//     name "shop-staging" 1-25-2          (only buckets of mode exact)
import type { Named, Parsed } from '../spec-file/index.ts';
import type { Problem } from '../std/errors.ts';
import { compareCodePoints } from '../std/order.ts';
import type { Run } from './hand-over.ts';
import { slotCount } from './slot.ts';

export interface LockBucket {
  /** Cover all slots, in order. */
  readonly runs: readonly Run[];
  /** Names of a bucket of mode exact, each with its revision. */
  readonly names: ReadonlyMap<string, string>;
}

/** By pattern. */
export type Lock = ReadonlyMap<string, LockBucket>;

const head = 'fairway-lock 1';

/** The canonical text of a lock. */
export function formatLock(lock: Lock): string {
  const paragraphs = [...lock].sort(([a], [b]) => compareCodePoints(a, b)).map(formatBucket);
  return `${[head, ...paragraphs].join('\n\n')}\n`;
}

function formatBucket([pattern, { runs, names }]: readonly [string, LockBucket]): string {
  const slots = runs.map(({ revision, from, to }) => `${revision}*${to - from}`).join(' ');
  const rows = [...names]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([name, revision]) => `  name ${JSON.stringify(name)} ${revision}`);
  return [`bucket ${JSON.stringify(pattern)}`, `  slots ${slots}`, ...rows].join('\n');
}

/** A lock from its text. */
export function parseLock(text: string, { file }: Named = {}): Parsed<Lock> {
  const reading: Reading = { problems: [], file, lock: new Map(), bucket: undefined };
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  // A conflict is one problem, whatever it makes of the lines between its markers.
  const marker = lines.findIndex(isConflictMarker);
  if (marker !== -1) problem(reading, marker + 1, ...conflict);
  else if (lines[0] !== head) problem(reading, 1, ...headTrouble(lines));
  else for (const [index, line] of lines.entries()) if (index > 0) readLine(reading, line, index + 1);
  if (marker === -1) finish(reading);
  return reading.problems.length > 0
    ? { kind: 'invalid', problems: reading.problems }
    : { kind: 'valid', value: reading.lock, problems: [] };
}

interface OpenBucket {
  readonly pattern: string;
  readonly line: number;
  readonly names: Map<string, string>;
  runs: readonly Run[] | undefined;
}

interface Reading {
  readonly problems: Problem[];
  readonly file: string | undefined;
  readonly lock: Map<string, LockBucket>;
  bucket: OpenBucket | undefined;
}

const rewrite =
  'restore the file from Git, or remove it and run `fairway plan --write-lock`: slots are then given anew';

function headTrouble(lines: readonly string[]): [string, string] {
  if (/^fairway-lock \d+$/.test(lines[0] ?? ''))
    return [`a lock of a newer format (${lines[0]})`, 'use a newer fairway'];
  return [`a lock starts with the line "${head}"`, rewrite];
}

const conflict: [string, string] = [
  'a merge conflict',
  'take the base branch’s rollouts.lock (`git checkout --theirs rollouts.lock` or --ours), then run `fairway plan --write-lock`',
];

function isConflictMarker(line: string): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/.test(line);
}

function problem(reading: Reading, line: number, message: string, hint: string): void {
  const file = reading.file === undefined ? {} : { file: reading.file };
  reading.problems.push({ code: 'lock-invalid', severity: 'error', message, hint, line, column: 1, ...file });
}

function readLine(reading: Reading, line: string, number: number): void {
  if (line.trim() === '') return;
  const [, word, rest = ''] = /^(?: {2})?(bucket|slots|name) (.+)$/.exec(line) ?? [];
  const { bucket } = reading;
  if (word === 'bucket') return openBucket(reading, rest, number);
  if (word === 'slots' && bucket?.runs === undefined && bucket !== undefined)
    return readSlots(reading, bucket, rest, number);
  if (word === 'name' && bucket !== undefined) return readName(reading, bucket, rest, number);
  problem(reading, number, `unknown line ${JSON.stringify(line)}`, rewrite);
}

function openBucket(reading: Reading, text: string, line: number): void {
  finish(reading);
  const pattern = jsonText(text);
  if (pattern === undefined || reading.lock.has(pattern)) {
    reading.bucket = { pattern: '', line, names: new Map(), runs: [] };
    return problem(
      reading,
      line,
      pattern === undefined ? 'a pattern without quotes' : `${text} stands here a second time`,
      rewrite,
    );
  }
  reading.bucket = { pattern, line, names: new Map(), runs: undefined };
}

function finish(reading: Reading): void {
  const { bucket } = reading;
  if (bucket === undefined) return;
  if (bucket.runs === undefined) problem(reading, bucket.line, 'a bucket without slots', rewrite);
  else reading.lock.set(bucket.pattern, { runs: bucket.runs, names: bucket.names });
  reading.bucket = undefined;
}

function readSlots(reading: Reading, bucket: OpenBucket, text: string, line: number): void {
  let at = 0;
  const runs = text.split(' ').map((part) => {
    const [, revision = '', size = '0'] = /^([a-z0-9-]+)\*([1-9]\d{0,4})$/.exec(part) ?? [];
    return { revision, from: at, to: (at += Number(size)) };
  });
  bucket.runs = runs;
  const broken = runs.some(({ revision }) => revision === '');
  if (broken || at !== slotCount)
    problem(
      reading,
      line,
      broken ? 'slots are written revision*count' : `the slots sum to ${at}, not ${slotCount}`,
      rewrite,
    );
}

function readName(reading: Reading, bucket: OpenBucket, text: string, line: number): void {
  const [, quoted = '', revision = ''] = /^(".*") ([a-z0-9-]+)$/.exec(text) ?? [];
  const name = jsonText(quoted);
  if (name === undefined || bucket.names.has(name))
    return problem(
      reading,
      line,
      name === undefined ? 'a name is written "name" revision' : `${quoted} stands here a second time`,
      rewrite,
    );
  bucket.names.set(name, revision);
}

function jsonText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `rollouts.yml` → `rollouts.lock`, in the same folder. */
export function lockBeside(path: string): string {
  return `${path.replace(/\.ya?ml$/, '')}.lock`;
}
