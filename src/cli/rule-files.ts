// The files of a folder that say what admission does; those that are not there are left out.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuleFiles } from '../core/admission/index.ts';

const fileNames = ['rollouts.yml', 'fairway.yml', 'rollouts.lock'] as const;

/** Their contents by name. Rejects where a file is there and cannot be read. */
export async function readRuleFiles(folder: string): Promise<RuleFiles> {
  const read = await Promise.all(fileNames.map(async (name) => [name, await readIfThere(join(folder, name))] as const));
  return Object.fromEntries(read.filter(([, text]) => text !== undefined));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
