// The user's own mutators: an ES module that exports `mutator`, or a patch declared in YAML or JSON.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { byteText, readDocument } from '../../core/manifest/index.ts';
import { declaredMutator, type Mutator } from '../../core/mutate/index.ts';
import { SpecError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';

/** The mutators of these files, in their order. @throws UsageError, SpecError */
export async function loadMutators(files: readonly string[], { cwd }: Io): Promise<readonly Mutator[]> {
  const mutators: Mutator[] = [];
  for (const file of files) {
    const path = resolve(cwd, file);
    mutators.push(/\.[mc]?[jt]s$/.test(file) ? await fromModule(path, file) : fromDeclaration(path, file));
  }
  return mutators;
}

async function fromModule(path: string, file: string): Promise<Mutator> {
  const module: unknown = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    throw new UsageError(`${file} cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  });
  const found = (module as { readonly mutator?: unknown }).mutator;
  if (!isMutator(found)) {
    throw new UsageError(`${file} exports no mutator`, {
      hint: 'export const mutator = { name, target, scope, applies(subject), mutate(subject) }',
    });
  }
  return guarded(found, file);
}

/** What a user's module throws is told as the module's, not as a bug of this program. */
function guarded(mutator: Mutator, file: string): Mutator {
  const blame = <T>(run: () => T): T => {
    try {
      return run();
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`mutator "${mutator.name}" of ${file} failed: ${message}`, { cause });
    }
  };
  return {
    ...mutator,
    origin: file,
    applies: (subject) => blame(() => mutator.applies(subject)),
    mutate: (subject) => blame(() => mutator.mutate(subject)),
  };
}

function isMutator(value: unknown): value is Mutator {
  if (typeof value !== 'object' || value === null) return false;
  const { name, target, scope, applies, mutate } = value as Partial<Record<keyof Mutator, unknown>>;
  const texts =
    Array.isArray(scope) && scope.every((pointer) => typeof pointer === 'string' && pointer.startsWith('/'));
  const functions = typeof applies === 'function' && typeof mutate === 'function';
  return typeof name === 'string' && (target === 'template' || target === 'workload') && texts && functions;
}

function fromDeclaration(path: string, file: string): Mutator {
  const { value, problems } = readDocument(byteText(readText(path, file)));
  if (value === undefined) {
    throw new SpecError(problems.map((problem) => ({ ...problem, file })));
  }
  const mutator = declaredMutator(value, file);
  if ('name' in mutator) return mutator;
  throw new SpecError(mutator);
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
