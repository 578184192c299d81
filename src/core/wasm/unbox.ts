// A Wasm module in its wrappings: a tar archive read where it lies, and what some bytes are. Owns the choice of the file in an archive;
// refuses to unzip, which is the host's.
import { textOfUtf8 } from '../std/utf8.ts';

export type Wrapping = 'wasm' | 'gzip' | 'tar' | 'unknown';

/** By the magic numbers; a module has eight bytes at least. */
export function wrappingOf(bytes: Uint8Array): Wrapping {
  const begins = (...magic: readonly number[]): boolean => magic.every((byte, i) => bytes[i] === byte);
  if (bytes.length >= 8 && begins(0x00, 0x61, 0x73, 0x6d)) return 'wasm';
  if (begins(0x1f, 0x8b)) return 'gzip';
  return textOfUtf8(bytes.subarray(257, 262)) === 'ustar' ? 'tar' : 'unknown';
}

const block = 512;

/** A file of a tar archive: the one whose path ends in that name, or, without a name, the first. A view; undefined: it is not there, or cut. */
export function fileInTar(tar: Uint8Array, name: string | undefined): Uint8Array | undefined {
  for (let at = 0; at + block <= tar.length && tar[at] !== 0; ) {
    const path = textAt(tar, at, 100);
    const size = Number.parseInt(textAt(tar, at + 124, 12), 8);
    if (!Number.isSafeInteger(size)) return undefined;
    const begin = at + block;
    const isFile = [0x30, 0].includes(tar[at + 156] ?? -1);
    if (isFile && (name === undefined || path.split('/').at(-1) === name))
      return begin + size <= tar.length ? tar.subarray(begin, begin + size) : undefined;
    at = begin + Math.ceil(size / block) * block;
  }
  return undefined;
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return textOfUtf8(end === -1 ? field : field.subarray(0, end)).trim();
}
