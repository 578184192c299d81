// Replaces files whole or not at all: a reader sees the old bytes or the new ones. New bytes are staged beside the file and flushed to the disk,
// then renamed over it. Links stay links (their target is written), modes stay. What a killed run left is removed by the next one.
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Io } from './io.ts';
import { refused } from './system-error.ts';

/** New bytes that wait for their renaming. */
export interface Staged {
  readonly target: string;
  readonly temporary: string;
}

/** Writes a text to a file, which need not be there. @throws UsageError, TransientError where the disk is full */
export function replaceFile(path: string, text: string, io: Io): void {
  try {
    const target = targetOf(resolve(io.cwd, path));
    removeLeftovers(dirname(target));
    const { temporary } = stage(target, [Buffer.from(text)]);
    try {
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  } catch (cause) {
    throw refused(cause, `write ${path}`);
  }
}

/** Puts the blocks into a new file beside the one at `path`. @throws UsageError, TransientError, or the error of the file system; leaves nothing */
export function stage(path: string, blocks: Iterable<Uint8Array>): Staged {
  const target = targetOf(path);
  const temporary = join(dirname(target), `.${basename(target)}.fairway-${process.pid}.tmp`);
  const file = openSync(temporary, 'wx');
  try {
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined) fchmodSync(file, mode & 0o7777);
    for (const block of blocks) writeFully(file, block);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw refused(error, `write ${target}`);
  } finally {
    closeSync(file);
  }
  return { target, temporary };
}

/** Removes what killed runs staged in a folder: only files that are named exactly as `stage` names them, and whose process is gone. */
export function removeLeftovers(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const pid = /^\..+\.fairway-([1-9]\d*)\.tmp$/.exec(entry.name)?.[1];
    if (pid !== undefined && entry.isFile() && isGone(Number(pid))) rmSync(join(folder, entry.name), { force: true });
  }
}

/** A link's target, also where nothing is there yet. */
function targetOf(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
}

/** A process that may not be asked (EPERM) lives; this one has no file of its own yet. */
function isGone(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function writeFully(file: number, block: Uint8Array): void {
  for (let from = 0; from < block.length; ) from += writeSync(file, block, from);
}
