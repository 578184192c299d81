// Writes changed files, all or none: first every new file is staged (see replace-file.ts), then the renames. If a rename fails, the files
// renamed before it get their old content back, and so when the run is interrupted. What a killed run left in these folders is removed first.

import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Piece } from '../../core/manifest/index.ts';
import type { Look } from '../interruption.ts';
import type { Output } from '../output.ts';
import { removeLeftovers, type Staged, stage } from '../replace-file.ts';

/** A file and what it shall hold; `before` is what it held when it was read. */
export interface Rewrite {
  readonly path: string;
  readonly before: Uint8Array;
  readonly pieces: readonly Piece[];
}

interface StagedRewrite extends Staged {
  readonly rewrite: Rewrite;
}

/** @throws the error of the file system, or what `look` throws between two files; then every file is as it was */
export async function writeAll(rewrites: readonly Rewrite[], look: Look): Promise<void> {
  const staged: StagedRewrite[] = [];
  const renamed: StagedRewrite[] = [];
  for (const folder of new Set(rewrites.map(({ path }) => dirname(realpathSync(path))))) removeLeftovers(folder);
  try {
    for (const rewrite of rewrites) {
      staged.push({ rewrite, ...stage(rewrite.path, blocksOf(rewrite.pieces)) });
      await look();
    }
    for (const file of staged) {
      renameSync(file.temporary, file.target);
      renamed.push(file);
      await look();
    }
    for (const folder of new Set(staged.map(({ target }) => dirname(target)))) flushFolder(folder);
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    for (const { rewrite, target } of renamed) {
      const { temporary } = stage(target, blocksOf([rewrite.before]));
      renameSync(temporary, target);
    }
    throw error;
  }
}

/** The pieces as blocks of bytes. The block is filled again for the next one: it must be written before that is asked for. */
function* blocksOf(pieces: readonly Piece[]): Generator<Buffer> {
  const size = 1 << 20;
  const block = Buffer.allocUnsafe(size);
  let filled = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const to = Math.min(piece.length, from + size - filled);
      if (typeof piece === 'string') block.write(piece.slice(from, to), filled, 'latin1');
      else block.set(piece.subarray(from, to), filled);
      filled += to - from;
      from = to;
      if (filled === size) {
        yield block;
        filled = 0;
      }
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** Puts the pieces out, each block when the one before is written. What a closed pipe means, its owner says. */
export async function print(pieces: readonly Piece[], output: Output): Promise<void> {
  for (const block of blocksOf(pieces)) await new Promise<void>((done) => output.write(block, done));
}

function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
