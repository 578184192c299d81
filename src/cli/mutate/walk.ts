// The manifests below a folder, in an order that does not depend on the disk, without what .fairwayignore leaves out.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { compareCodePoints } from '../../core/std/order.ts';
import { type Ignores, ignoresOf, isIgnored } from './ignore.ts';

const manifestName = /\.(?:ya?ml|json)$/i;

/** The files below a folder, named as the folder is. */
export function filesBelow(folder: string, cwd: string): readonly string[] {
  return walk(folder, cwd, ignoresOf(resolve(cwd, folder)));
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
