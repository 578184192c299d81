// The files of a folder that say what admission does; those that are not there are left out.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RuleFiles, ruleFileNames } from '../core/admission/index.ts';

const fleetFile = 'fairway.yml';

/** Their contents by name, as `cluster` sees them. Rejects where a file is there and cannot be read. */
export async function readRuleFiles(folder: string, cluster?: string): Promise<RuleFiles> {
  const fleet = await readIfThere(join(folder, fleetFile));
  const names = Object.values(ruleFileNames(fleet, cluster) ?? {}) as readonly string[];
  const rest = await Promise.all(names.map(async (name) => [name, await readIfThere(join(folder, name))] as const));
  const found = [...rest, [fleetFile, fleet] as const];
  return Object.fromEntries(found.filter((each): each is [string, string] => each[1] !== undefined));
}

/** The file that must be there and is not. */
export function missingRollouts(files: RuleFiles, cluster?: string): string | undefined {
  const names = ruleFileNames(files[fleetFile], cluster);
  return names === undefined || files[names.rollouts] !== undefined ? undefined : names.rollouts;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
