// Fills the folder that becomes an image: files of this machine, and programs with the libraries that they are linked with.
import { copyFileSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sh } from './shell.ts';

/** Copies a program to `target` below `root`, and its libraries to where the linker looks for them. */
export function withLibraries(root: string, program: string, target = program): void {
  put(root, program, target);
  const words = linked(program).split(/\s+/);
  for (const library of words.filter((word) => word.startsWith('/') && existsSync(word))) put(root, library, library);
}

/** Copies a file, or what a link leads to; what is there stays. */
export function put(root: string, file: string, target: string): void {
  const copy = join(root, target);
  if (existsSync(copy)) return;
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(realpathSync(file), copy);
}

/** What ldd says; it fails for programs that are linked statically. */
function linked(program: string): string {
  try {
    return sh('ldd', [program]);
  } catch {
    return '';
  }
}
