// Small files, read and written at once: configuration, a pid, a bootstrap. Written beside and renamed, so that no reader sees half of one.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { gunzip } from 'node:zlib';
import type { HostFiles } from '../../ports/host.ts';

export const nodeFiles: HostFiles = {
  read: (path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return undefined;
    }
  },
  exists: existsSync,
  stamp: (path) => {
    try {
      const { dev, ino, size, ctimeNs } = statSync(path, { bigint: true });
      return [dev, ino, size, ctimeNs].join(' ');
    } catch {
      return undefined;
    }
  },
  gunzip: (bytes, maxBytes) =>
    new Promise((resolve) => {
      gunzip(bytes, { maxOutputLength: maxBytes }, (error, whole) => resolve(error === null ? whole : undefined));
    }),
  write: (path, content, mode = 0o644) => {
    try {
      writeWhole(path, content, mode);
      return undefined;
    } catch (error) {
      return `${path}: ${String(error)}`;
    }
  },
  remove: removeIfPossible,
};

/** What a folder does not let go (read-only by now) stays. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Nothing depends on it.
  }
}

function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  if (path.startsWith('/dev/')) return writeFileSync(path, content); // a device
  const partial = `${path}.${process.pid}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(partial, content, { mode });
    renameSync(partial, path);
  } catch (error) {
    removeIfPossible(partial);
    if (!isInPlaceOnly(path, error)) throw error;
    writeFileSync(path, content);
  }
}

/** A file that is mounted alone (a termination message's path) can be written but not replaced. Never on a full disk: that would cost the old content. */
function isInPlaceOnly(path: string, error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return ['EBUSY', 'EROFS', 'EACCES', 'EPERM'].includes(code) && existsSync(path);
}
