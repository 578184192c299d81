// Writes changed files, all or none: first every temporary file, flushed to the disk, then the renames. Links stay links (their target
// is written), modes stay. If a rename fails, the files renamed before it get their old content back. What a killed run left in
// these folders is removed first.

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
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Bytes } from '../../core/manifest/index.ts';

/** A file and what it shall hold; `before` is what it held when it was read. */
export interface Rewrite {
  readonly path: string;
  readonly before: Bytes;
  readonly pieces: readonly Bytes[];
}

interface Staged {
  readonly rewrite: Rewrite;
  readonly target: string;
  readonly temporary: string;
}

/** @throws the error of the file system, with every file as it was */
export function writeAll(rewrites: readonly Rewrite[]): void {
  const staged: Staged[] = [];
  const renamed: Staged[] = [];
  for (const folder of new Set(rewrites.map(({ path }) => dirname(realpathSync(path))))) removeLeftovers(folder);
  try {
    for (const rewrite of rewrites) staged.push(stage(rewrite));
    for (const file of staged) {
      renameSync(file.temporary, file.target);
      renamed.push(file);
    }
    for (const folder of new Set(staged.map(({ target }) => dirname(target)))) flushFolder(folder);
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    for (const { rewrite, target } of renamed) {
      const { temporary } = stage({ path: target, before: '', pieces: [rewrite.before] });
      renameSync(temporary, target);
    }
    throw error;
  }
}

/** Only files that are named exactly as `stage` names them, and whose process is gone. */
function removeLeftovers(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const pid = /^\..+\.fairway-([1-9]\d*)\.tmp$/.exec(entry.name)?.[1];
    if (pid !== undefined && entry.isFile() && isGone(Number(pid))) rmSync(join(folder, entry.name), { force: true });
  }
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

function stage(rewrite: Rewrite): Staged {
  const target = realpathSync(rewrite.path);
  const temporary = join(dirname(target), `.${basename(target)}.fairway-${process.pid}.tmp`);
  const file = openSync(temporary, 'wx');
  try {
    fchmodSync(file, statSync(target).mode & 0o7777);
    for (const block of blocksOf(rewrite.pieces)) writeFully(file, block);
    fsyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return { rewrite, target, temporary };
}

/** The pieces as blocks of bytes. The block is filled again for the next one: it must be written before that is asked for. */
function* blocksOf(pieces: readonly Bytes[]): Generator<Buffer> {
  const size = 1 << 20;
  const block = Buffer.allocUnsafe(size);
  let filled = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const to = Math.min(piece.length, from + size - filled);
      filled += block.write(from === 0 && to === piece.length ? piece : piece.slice(from, to), filled, 'latin1');
      from = to;
      if (filled === size) {
        yield block;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** Puts the pieces out, each block when the one before is written. What a closed pipe means, the stream's owner says. */
export async function print(pieces: readonly Bytes[], stream: Writable): Promise<void> {
  for (const block of blocksOf(pieces)) await new Promise((done) => stream.write(block, done));
}

function writeFully(file: number, block: Buffer): void {
  for (let from = 0; from < block.length; ) from += writeSync(file, block, from);
}

function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
