// What `fairway mutate` reads: files, folders, standard input; each within the limit of bytes, each UTF-8. Folders are walked
// by `walk.ts`, which is loaded for the first of them. Every file comes once, under the name that the caller gave, in an order that does not depend on the disk.
import { isAscii, isUtf8 } from 'node:buffer';
import { closeSync, openSync, readFileSync, readSync, realpathSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ByteText, invalidUtf8 } from '../../core/manifest/index.ts';
import { ManifestError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';

/** One stream of manifests; `path` is where it is on disk, undefined for standard input. */
export interface Source extends ByteText {
  readonly name: string;
  readonly path: string | undefined;
}

const standardInput = '-';

/** The files behind the arguments, folders walked; `-` is kept. */
export async function findFiles(paths: readonly string[], cwd: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) found.push(...(path === standardInput ? [path] : await filesAt(path, cwd)));
  const seen = new Set<string>();
  return found.filter((file) => {
    const key = file === standardInput ? file : realpathSync(resolve(cwd, file));
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * Reads one file or standard input.
 * @throws ManifestError for more than `limitBytes` and for text that is not UTF-8
 */
export async function readSource(name: string, io: Io, limitBytes: number): Promise<Source> {
  if (name === standardInput) return sourceOf('<stdin>', undefined, await readStdin(io, limitBytes));
  const path = resolve(io.cwd, name);
  const stats = statSync(path);
  if (stats.size > limitBytes) throw tooLarge(name, limitBytes);
  const bytes = stats.isFile() ? readFileSync(path) : readPipe(path, limitBytes);
  if (bytes === undefined) throw tooLarge(name, limitBytes);
  return sourceOf(name, path, bytes);
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

async function filesAt(path: string, cwd: string): Promise<readonly string[]> {
  if (!statOf(path, cwd).isDirectory()) return [path];
  const { filesBelow } = await import('./walk.ts');
  return filesBelow(path, cwd);
}

function statOf(path: string, cwd: string): Stats {
  const stats = statSync(resolve(cwd, path), { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`${path}: no such file or folder`);
  return stats;
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

/**
 * The bytes are given as the plain array that edited documents stand in too: code that is optimized for two classes of arrays is slower.
 * @throws ManifestError for bytes that are not UTF-8
 */
function sourceOf(name: string, path: string | undefined, buffer: Buffer): Source {
  const ascii = isAscii(buffer);
  const problem = ascii || isUtf8(buffer) ? undefined : invalidUtf8(buffer.toString('latin1'));
  if (problem !== undefined) throw new ManifestError([{ ...problem, file: name }]);
  let text: string | undefined;
  return {
    name,
    path,
    bytes: new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length),
    ascii,
    get text() {
      return (text ??= buffer.toString('latin1'));
    },
    slice: (start, end) => (text === undefined ? buffer.toString('latin1', start, end) : text.slice(start, end)),
    indexOf: (wanted, from) => buffer.indexOf(wanted, from, 'latin1'),
  };
}

function tooLarge(file: string, limitBytes: number): ManifestError {
  const message = `holds more than ${limitBytes} bytes`;
  return new ManifestError([
    { code: 'too-large', severity: 'error', file, message, hint: 'split it, or allow more with --max-bytes' },
  ]);
}
