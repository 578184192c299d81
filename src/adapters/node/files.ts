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
      return String(error);
    }
  },
  remove: (path) => rmSync(path, { force: true }),
};

function writeWhole(path: string, content: string | Uint8Array, mode: number): void {
  // A device or a mount (/dev/termination-log) can be written but not replaced.
  if (path.startsWith('/dev/')) return writeFileSync(path, content);
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.new`;
  writeFileSync(partial, content, { mode });
  renameSync(partial, path);
}
