// Keeps the tables of the policy as the rules and the cluster say: looks each second for what changed, and writes what is missing. Of several
// replicas the elected one writes. What somebody else writes into a table is overwritten.
import { tableObject, tableResource } from '../../core/install/index.ts';
import {
  missingWrites,
  type PolicyTable,
  type StoredTable,
  shards,
  type Write,
} from '../../core/policy-table/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Leader } from './leader.ts';
import type { Log } from './log.ts';
import { startRounds } from './rounds.ts';

export interface TableOptions {
  readonly cluster: Pick<Cluster, 'send'>;
  readonly leader: Leader;
  /** The table of now; undefined while not all of it is known. */
  readonly wanted: () => PolicyTable | undefined;
  /** The tables that the cluster holds, as far as they are known. */
  readonly stored: () => readonly StoredTable[] | undefined;
  /** Changes with everything that the two above depend on, so that nothing is computed in vain. */
  readonly version: () => string;
  readonly everyMs: number;
  readonly log: Log;
  readonly onWritten: (tables: number) => void;
}

/** Works in rounds until stopped. A round that fails is logged, and the next one tries again. */
export function startTables(options: TableOptions): { readonly stop: () => Promise<void> } {
  const { leader, version, everyMs, log } = options;
  let settled: string | undefined;
  const round = async (): Promise<void> => {
    const now = version();
    if (!(await leader.round()) || now === settled) return;
    settled = (await writeMissing(options)) ? now : undefined;
  };
  const rounds = startRounds(round, everyMs, (error) => {
    settled = undefined;
    log.warn({ error: String(error) }, 'the tables of the policy could not be written');
  });
  return {
    stop: async () => {
      await rounds.stop();
      await leader.release();
    },
  };
}

/** Whether nothing was missing. What was written is seen as stored a moment later, in another round. */
async function writeMissing({ cluster, wanted, stored, log, onWritten }: TableOptions): Promise<boolean> {
  const [table, there] = [wanted(), stored()];
  if (table === undefined || there === undefined) return false;
  const parts = shards(table);
  const writes = missingWrites(parts, there);
  for (const write of writes) await send(cluster, write);
  if (writes.length === 0) onWritten(parts.length);
  else {
    const namespaces = Object.keys(table.revisions).length;
    log.info({ namespaces, tables: parts.length, writes: writes.length }, 'tables of the policy written');
  }
  return writes.length === 0;
}

const collection = `/apis/${tableResource.group}/${tableResource.version}/${tableResource.plural}`;

async function send(cluster: TableOptions['cluster'], write: Write): Promise<void> {
  const { status, body } = await cluster.send(requestOf(write));
  // Another replica was faster, or somebody deletes by hand: the next round knows more.
  if (status < 300 || status === 404 || status === 409) return;
  throw new Error(
    `${write.kind} ${write.name}: HTTP ${status} ${(body as { message?: string } | null)?.message ?? ''}`,
  );
}

function requestOf(write: Write): Parameters<Cluster['send']>[0] {
  const path = `${collection}/${write.name}`;
  switch (write.kind) {
    case 'create':
      return { method: 'POST', path: collection, body: tableObject(write.name, write.spec) };
    case 'replace':
      return { method: 'PUT', path, body: tableObject(write.name, write.spec, write.resourceVersion) };
    case 'delete':
      return { method: 'DELETE', path };
  }
}

interface Table {
  readonly metadata?: {
    readonly uid?: string;
    readonly name?: string;
    readonly resourceVersion?: string;
  };
  readonly spec?: unknown;
}

export interface FollowedTables {
  readonly stored: () => readonly StoredTable[] | undefined;
  readonly version: () => number;
  readonly stop: () => void;
}

/** A copy of the tables that the cluster holds. */
export function followTables(cluster: Cluster): FollowedTables {
  const byUid = new Map<string, StoredTable>();
  let version = 0;
  const following = cluster.follow(tableResource, 'objects', {
    put: (object) => {
      const { metadata: { uid = '', name = '', resourceVersion = '' } = {}, spec } = object as Table;
      byUid.set(uid, { name, resourceVersion, spec });
      version++;
    },
    remove: (uid) => {
      byUid.delete(uid);
      version++;
    },
  });
  return {
    stored: () => (following.synced() ? [...byUid.values()] : undefined),
    version: () => version,
    stop: following.stop,
  };
}
