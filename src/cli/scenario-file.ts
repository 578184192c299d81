// Reads the scenario that a flag names.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SpecError, UsageError } from '../core/std/errors.ts';
import type { Scenario } from '../sim/pod/index.ts';
import type { Io } from './io.ts';

/** The scenario of a file, `{}` without one; all of its problems are thrown at once. */
export async function loadScenario(path: string | undefined, io: Io): Promise<Scenario> {
  if (path === undefined) return {};
  const { readScenario } = await import('../sim/pod/index.ts');
  const text = await readFile(resolve(io.cwd, path), 'utf8').catch((error: unknown) => {
    throw new UsageError(`cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  });
  const read = readScenario(text, path);
  if (read.kind === 'invalid') throw new SpecError(read.problems);
  return read.value;
}
