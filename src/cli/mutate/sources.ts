// What `fairway mutate` reads: files, folders, standard input; each within the limit of bytes, each UTF-8. Folders are walked with
// their .fairwayignore files. Every file comes once, under the name that the caller gave, in an order that does not depend on the disk.
import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  type Dirent,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type ByteText, invalidUtf8 } from '../../core/manifest/index.ts';
import { ManifestError, UsageError } from '../../core/std/errors.ts';
import { compareCodePoints } from '../../core/std/order.ts';
import type { Io } from '../io.ts';
import { type Ignores, ignoresOf, isIgnored } from './ignore.ts';

/** One stream of manifests; `path` is where it is on disk, undefined for standard input. */
export interface Source extends ByteText {
  readonly name: string;
  readonly path: string | undefined;
}

const manifestName = /\.(?:ya?ml|json)$/i;
const standardInput = '-';

/** The files behind the arguments, folders walked; `-` is kept. */
export function findFiles(paths: readonly string[], cwd: string): readonly string[] {
  const seen = new Set<string>();
  return paths
    .flatMap((path) => (path === standardInput ? [path] : filesAt(path, cwd)))
    .filter((file) => {
      const key = file === standardInput ? file : realpathSync(resolve(cwd, file));
      return !seen.has(key) && seen.add(key);
    });
}

/**
 * Reads one file or standard input.
 * @throws ManifestError for more than `limitBytes` and for text that is not UTF-8
 */
export async function readSource(name: string, io: Io, limitBytes: number): Promise<Source> {
  if (name === standardInput)
    return { name: '<stdin>', path: undefined, ...decode(await readStdin(io, limitBytes), '<stdin>') };
  const path = resolve(io.cwd, name);
  const stats = statSync(path);
  if (stats.size > limitBytes) throw tooLarge(name, limitBytes);
  const bytes = stats.isFile() ? readFileSync(path) : readPipe(path, limitBytes);
  if (bytes === undefined) throw tooLarge(name, limitBytes);
  return { name, path, ...decode(bytes, name) };
}

/** A pipe or a device: nobody knows its size, and /dev/zero has no end. Undefined for more than the limit. */
function readPipe(path: string, limitBytes: number): Buffer | undefined {
  const file = openSync(path, 'r');
  const chunks: Buffer[] = [];
  try {
    for (let size = 0; ; ) {
      const chunk = Buffer.allocUnsafe(1 << 16);
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks, size);
      size += read;
      if (size > limitBytes) return undefined;
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}

function filesAt(path: string, cwd: string): readonly string[] {
  const found = statOf(path, cwd);
  if (found.isDirectory()) return walk(path, cwd, ignoresOf(resolve(cwd, path)));
  return [path];
}

function statOf(path: string, cwd: string): Stats {
  const stats = statSync(resolve(cwd, path), { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`${path}: no such file or folder`);
  return stats;
}

/** Links to folders are not followed: they may lead in circles, or out of what the caller named. */
function walk(folder: string, cwd: string, ignores: Ignores): readonly string[] {
  const at = resolve(cwd, folder);
  const entries = readdirSync(at, { withFileTypes: true }).sort((a, b) => compareCodePoints(a.name, b.name));
  return entries.flatMap((entry) => {
    const name = join(folder, entry.name);
    const path = join(at, entry.name);
    const isFolder = entry.isDirectory();
    if (entry.name.startsWith('.') || entry.name === 'node_modules' || isIgnored(ignores, path, isFolder)) return [];
    if (isFolder) return walk(name, cwd, ignoresOf(path, ignores));
    return manifestName.test(entry.name) && isFile(entry, path) ? [relativeName(name)] : [];
  });
}

function isFile(entry: Dirent, path: string): boolean {
  return entry.isFile() || (entry.isSymbolicLink() && leadsToFile(path));
}

/** A link that leads nowhere or in a circle leads to no file. */
function leadsToFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function relativeName(name: string): string {
  return relative('', name).startsWith('..') || name.startsWith('/') ? name : join(name);
}

/** Chunks go into one buffer as they come: a list of them, joined at the end, would hold everything twice. */
async function readStdin({ stdin }: Io, limitBytes: number): Promise<Buffer> {
  let held: Buffer = Buffer.allocUnsafeSlow(1 << 20);
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
    if (size + bytes.length > limitBytes) throw tooLarge('<stdin>', limitBytes);
    if (size + bytes.length > held.length) held = grown(held, size, size + bytes.length);
    held.set(bytes, size);
    size += bytes.length;
  }
  return held.subarray(0, size);
}

/** Pages that nothing was written to cost nothing, so that doubling is cheap. */
function grown(held: Buffer, size: number, atLeast: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * held.length, atLeast));
  larger.set(held.subarray(0, size));
  return larger;
}

function decode(bytes: Buffer, file: string): ByteText {
  const text = bytes.toString('latin1');
  const problem = isUtf8(bytes) ? undefined : invalidUtf8(text);
  if (problem !== undefined) throw new ManifestError([{ ...problem, file }]);
  return { text, bytes };
}

function tooLarge(file: string, limitBytes: number): ManifestError {
  const message = `holds more than ${limitBytes} bytes`;
  return new ManifestError([
    { code: 'too-large', severity: 'error', file, message, hint: 'split it, or allow more with --max-bytes' },
  ]);
}
