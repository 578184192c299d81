// .fairwayignore: what a walk leaves out, by the rules of .gitignore (the package `ignore`). A file speaks for its folder and all below;
// deeper files win.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ignore, { type Ignore } from 'ignore';

const fileName = '.fairwayignore';

/** The rules that hold in a folder, those of the folders above first. */
export type Ignores = readonly { readonly folder: string; readonly rules: Ignore }[];

/** The rules of a folder after those of the folders above it. */
export function ignoresOf(folder: string, above: Ignores = []): Ignores {
  const text = readIfThere(join(folder, fileName));
  return text === undefined ? above : [...above, { folder, rules: ignore().add(text) }];
}

export function isIgnored(ignores: Ignores, path: string, isFolder: boolean): boolean {
  let ignored = false;
  for (const { folder, rules } of ignores) {
    const verdict = rules.test(`${relative(folder, path)}${isFolder ? '/' : ''}`);
    if (verdict.ignored || verdict.unignored) ignored = verdict.ignored;
  }
  return ignored;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
