// Which time a deploy stamp says: the one given, or that of the last commit that touched the manifest (docs/reference/mutate.md). Never the time of the
// run: a monorepo's every commit must not make every workload young.
import { execFileSync } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../../core/std/errors.ts';
import { parseRfc3339 } from '../../core/std/rfc3339.ts';
import type { Io } from '../io.ts';
import type { Source } from './sources.ts';

export interface StampFlags {
  readonly stampPath?: string;
  readonly stampTime?: string;
}

/** Milliseconds of the Unix epoch, whole seconds. @throws UsageError */
export function timeOfStamp(source: Source, flags: StampFlags, io: Io): number {
  if (flags.stampTime !== undefined) return parseTime(flags.stampTime);
  const path = flags.stampPath === undefined ? source.path : resolve(io.cwd, flags.stampPath);
  if (path === undefined) {
    throw new UsageError('--stamp cannot tell when standard input was changed', {
      hint: 'give --stamp-path or --stamp-time',
    });
  }
  const time = lastCommit(path, flags.stampPath === undefined ? dirname(path) : io.cwd);
  if (time === '') throw new UsageError(`no commit has touched ${path}`, { hint: 'commit it, or give --stamp-time' });
  return parseTime(time);
}

function parseTime(text: string): number {
  const ms = parseRfc3339(text);
  if (ms === undefined || !/[Tt]/.test(text))
    throw new UsageError(`${JSON.stringify(text)} is no time`, { hint: 'RFC 3339: 2026-01-31T12:00:00Z' });
  return Math.floor(ms / 1000) * 1000;
}

function lastCommit(path: string, cwd: string): string {
  try {
    const args = ['log', '-1', '--format=%cI', '--', path];
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  } catch (cause) {
    throw new UsageError(`git cannot tell when ${path} was changed`, { cause, hint: 'give --stamp-time' });
  }
}
