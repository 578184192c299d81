// Where a plan's inventory comes from: a list of namespaces, a snapshot, manifests; several are joined.
import type { Fleet } from '../../core/fleet/index.ts';
import { type Inventory, joinInventories, parseSnapshot } from '../../core/inventory/index.ts';
import { SpecError, UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import { loadNamespaces, readText } from '../rollout-files.ts';

interface InventoryFlags {
  readonly manifests?: readonly string[];
  readonly namespaces?: string;
  readonly snapshot?: string;
}

export async function readInventory(flags: InventoryFlags, _fleet: Fleet, io: Io): Promise<Inventory> {
  const parts: Inventory[] = [];
  if (flags.namespaces !== undefined)
    parts.push({ namespaces: await loadNamespaces(flags.namespaces, io), workloads: [] });
  if (flags.snapshot !== undefined) parts.push(await readSnapshot(flags.snapshot, io));
  if (flags.manifests !== undefined) throw new UsageError('--manifests is not there yet');
  return joinInventories(parts);
}

async function readSnapshot(path: string, io: Io): Promise<Inventory> {
  const text = await readText(path, io);
  if (text === undefined) throw new UsageError(`there is no ${path}`);
  const read = parseSnapshot(text, { file: path === '-' ? 'stdin' : path });
  if (read.kind === 'invalid') throw new SpecError(read.problems);
  return read.value;
}
