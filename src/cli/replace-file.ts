// Replaces a file whole or not at all: a reader sees the old text or the new one.
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../core/std/errors.ts';
import type { Io } from './io.ts';

export async function replaceFile(path: string, text: string, io: Io): Promise<void> {
  const target = resolve(io.cwd, path);
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, text, { flag: 'wx' });
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new UsageError(`cannot write ${path}: ${(cause as NodeJS.ErrnoException).code ?? 'unknown error'}`, {
      cause,
    });
  }
}
