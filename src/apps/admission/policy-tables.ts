// Keeps the tables of the policy as the rules and the cluster say: soon after each change it writes what is missing. Of several replicas the
// elected one writes. What somebody else writes into a table is overwritten.
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
import type { Metrics } from './metrics.ts';
import { type Pace, type Rounds, startRounds } from './rounds.ts';

export interface TableOptions {
  readonly cluster: Pick<Cluster, 'send'>;
  readonly leader: Leader;
  /** The table of now; undefined while not all of it is known. */
  readonly wanted: () => PolicyTable | undefined;
  /** The tables that the cluster holds, as far as they are known. */
  readonly stored: () => readonly StoredTable[] | undefined;
  /** Changes with everything that the two above depend on, so that nothing is computed in vain. */
  readonly version: () => string;
  readonly pace: Pace;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'policyTables' | 'policyDelay'>;
}

/** A fifth of a second for a flock of changes, two writings a second at most; without a change it looks whether it is the elected one, and tries again. */
export const tablePace = { idleMs: 2000, settleMs: 200, restMs: 500 } as const satisfies Pace;

export interface Tables {
  /** Something changed that the tables depend on. */
  readonly changed: () => void;
  readonly stop: () => Promise<void>;
}

/** Works in rounds until stopped. A round that fails is logged, and the next one tries again. */
export function startTables(options: TableOptions): Tables {
  const { leader, pace, log } = options;
  const state: Written = { settled: undefined, seenMs: undefined };
  const rounds = startRounds(
    () => writeChanges(state, options),
    pace,
    (error) => log.warn({ error: String(error) }, 'the tables of the policy could not be written'),
  );
  const changed = (): void => {
    state.seenMs ??= performance.now();
    rounds.soon();
  };
  const term = serveTerm(leader, pace.idleMs, rounds.soon);
  return {
    changed,
    stop: async () => {
      await Promise.all([rounds.stop(), term.stop()]);
      await leader.release();
    },
  };
}

interface Written {
  /** The version of which nothing is missing. */
  settled: string | undefined;
  /** When the first change was seen that is not written yet. */
  seenMs: number | undefined;
}

async function writeChanges(state: Written, options: TableOptions): Promise<void> {
  const now = options.version();
  if (now === state.settled || !options.leader.holds()) return;
  const { seenMs } = state;
  state.seenMs = undefined;
  try {
    state.settled = (await writeMissing(options, seenMs)) ? now : undefined;
  } catch (error) {
    Object.assign(state, { settled: undefined, seenMs });
    throw error;
  }
}

function serveTerm(leader: Leader, everyMs: number, elected: () => void): Rounds {
  const round = async (): Promise<void> => {
    const held = leader.holds();
    if ((await leader.round()) && !held) elected();
  };
  return startRounds(round, { idleMs: everyMs }, () => {});
}

/** Whether nothing was missing. What was written is seen as stored a moment later, in another round. */
async function writeMissing(options: TableOptions, sinceMs: number | undefined): Promise<boolean> {
  const { cluster, wanted, stored, log, metrics } = options;
  const [table, there] = [wanted(), stored()];
  if (table === undefined || there === undefined) return false;
  const parts = shards(table);
  const writes = missingWrites(parts, there);
  for (const write of writes) await send(cluster, write);
  if (writes.length === 0) {
    metrics.policyTables.set(parts.length);
    return true;
  }
  const delayMs = sinceMs === undefined ? 0 : Math.round(performance.now() - sinceMs);
  metrics.policyDelay.observe(delayMs / 1000);
  const namespaces = Object.keys(table.revisions).length;
  log.info({ namespaces, tables: parts.length, writes: writes.length, delayMs }, 'tables of the policy written');
  return false;
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
export function followTables(cluster: Cluster, changed: () => void): FollowedTables {
  const byUid = new Map<string, StoredTable>();
  let version = 0;
  const count = (): void => {
    version++;
    changed();
  };
  const following = cluster.follow(tableResource, 'objects', {
    put: (object) => {
      const { metadata: { uid = '', name = '', resourceVersion = '' } = {}, spec } = object as Table;
      byUid.set(uid, { name, resourceVersion, spec });
      count();
    },
    remove: (uid) => {
      byUid.delete(uid);
      count();
    },
  });
  return {
    stored: () => (following.synced() ? [...byUid.values()] : undefined),
    version: () => version,
    stop: following.stop,
  };
}
