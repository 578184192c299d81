// Where a plan's inventory comes from: a list of namespaces, a snapshot, manifests; several are joined.
import type { Fleet } from '../../core/fleet/index.ts';
import {
  fromManifests,
  type Inventory,
  joinInventories,
  parseSnapshot,
  withOwners,
} from '../../core/inventory/index.ts';
import { ManifestError, type Problem, SpecError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import { loadNamespaces, readText, shownPath } from '../rollout-files.ts';

export interface InventoryFlags {
  readonly manifests?: readonly string[];
  readonly namespace?: string;
  readonly namespaces?: string;
  readonly snapshot?: string;
}

const limitBytes = 2 ** 28;

export async function readInventory(flags: InventoryFlags, fleet: Fleet, io: Io): Promise<Inventory> {
  const parts: Inventory[] = [];
  if (flags.namespaces !== undefined)
    parts.push({ namespaces: await loadNamespaces(flags.namespaces, io), workloads: [] });
  if (flags.snapshot !== undefined) parts.push(await readSnapshot(flags.snapshot, io));
  if (flags.manifests !== undefined) parts.push(...(await readManifests(flags.manifests, flags, fleet, io)));
  return withOwners(joinInventories(parts), fleet.ownerLabel);
}

async function readSnapshot(path: string, io: Io): Promise<Inventory> {
  const text = await readText(path, io);
  if (text === undefined) throw new UsageError(`there is no ${path}`);
  const read = parseSnapshot(text, { file: shownPath(path) });
  if (read.kind === 'invalid') throw new SpecError(read.problems);
  return read.value;
}

/** Files and folders, in the same way as `fairway mutate` reads them. Throws all problems of all files. */
async function readManifests(
  paths: readonly string[],
  { namespace }: InventoryFlags,
  fleet: Fleet,
  io: Io,
): Promise<Inventory[]> {
  const { findFiles, readSource } = await import('../mutate/sources.ts');
  const { readWorkloads } = await import('../../core/manifest/index.ts');
  const problems: Problem[] = [];
  const parts: Inventory[] = [];
  for (const file of await findFiles(paths, io.cwd)) {
    const source = await readSource(file, io, limitBytes);
    const facts = readWorkloads(source, fleet.kinds);
    const read = fromManifests(facts, { namespace, ownerLabel: fleet.ownerLabel });
    problems.push(...[...facts.problems, ...read.problems].map((problem) => ({ ...problem, file: source.name })));
    parts.push(read.inventory);
  }
  if (problems.some(({ severity }) => severity === 'error')) throw new ManifestError(problems);
  return parts;
}
