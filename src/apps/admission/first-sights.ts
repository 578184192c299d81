// When an owner of a kind that nobody watches was first seen. Kept in a ConfigMap that all replicas read and add to, because the age rule counts
// weeks and a server lives days: in memory alone such owners would never grow old. No review waits for it: a sight is noted in memory, and
// written a moment later. Of two replicas' sights the earlier counts.
import type { OwnerReference } from '../../core/admission/index.ts';
import type { Cluster } from '../../ports/cluster.ts';
import type { Log } from './log.ts';
import { startRounds } from './rounds.ts';

export interface FirstSights {
  /** A dry run must leave no trace. */
  readonly of: (dryRun: boolean) => (reference: OwnerReference) => number;
  /** Writes what is left to write. */
  readonly stop: () => Promise<void>;
}

export interface KeptIn {
  readonly namespace: string;
  /** Of the ConfigMap. */
  readonly name: string;
  readonly everyMs: number;
}

interface World {
  readonly cluster: Cluster;
  readonly nowMs: () => number;
  readonly log: Log;
}

interface Sight {
  firstMs: number;
  /** Days since 1970 when a pod of the owner last came. */
  lastDay: number;
  isWritten: boolean;
}

type Sights = Map<string, Sight>;

const mostRemembered = 100_000;
/** Some 60 bytes each: far below what a ConfigMap may hold. What comes beyond is known until the restart. */
const mostWritten = 8000;
const dayMs = 86_400_000;
/** Whose owner made no pod for so long may be forgotten: if one comes after all, its age starts anew. */
const forgottenAfterDays = 60;

/** Remembers; with `kept` beyond the life of this process. */
export function startFirstSights(world: World, kept: KeptIn | undefined): FirstSights {
  const sights: Sights = new Map();
  const keeper = kept === undefined ? undefined : startKeeper(sights, world, kept);
  return {
    of: (dryRun) => (reference) => note(sights, reference.uid, { nowMs: world.nowMs(), dryRun }),
    stop: async () => keeper?.stop(),
  };
}

function note(sights: Sights, uid: string, { nowMs, dryRun }: { nowMs: number; dryRun: boolean }): number {
  const known = sights.get(uid);
  const today = Math.floor(nowMs / dayMs);
  if (known === undefined) {
    if (dryRun) return nowMs;
    const oldest = sights.size >= mostRemembered ? sights.keys().next().value : undefined;
    if (oldest !== undefined) sights.delete(oldest);
    sights.set(uid, { firstMs: nowMs, lastDay: today, isWritten: false });
    return nowMs;
  }
  if (!dryRun && known.lastDay < today) Object.assign(known, { lastDay: today, isWritten: false });
  return known.firstMs;
}

function startKeeper(sights: Sights, world: World, kept: KeptIn): { readonly stop: () => Promise<void> } {
  const { cluster, log } = world;
  const { namespace, name, everyMs } = kept;
  const stored = new Set<string>();
  const following = cluster.follow({ group: '', version: 'v1', plural: 'configmaps', namespace, name }, 'objects', {
    put: (object) => merge(sights, stored, (object as { data?: Record<string, string> }).data ?? {}),
    remove: () => stored.clear(),
  });
  const write = (): Promise<void> => writeNew(sights, stored, { ...world, ...kept });
  const rounds = startRounds(write, { idleMs: everyMs }, (error) =>
    log.warn({ error: String(error) }, 'first sights of owners could not be written'),
  );
  return {
    stop: async () => {
      await rounds.stop();
      following.stop();
      await write().catch(() => {});
    },
  };
}

/** "SECONDS DAY": the first sight, and the day of the last. */
function merge(sights: Sights, stored: Set<string>, data: Readonly<Record<string, string>>): void {
  stored.clear();
  for (const [uid, text] of Object.entries(data)) {
    const [seconds = Number.NaN, lastDay = 0] = text.split(' ').map(Number);
    if (!Number.isFinite(seconds)) continue;
    stored.add(uid);
    const known = sights.get(uid);
    if (known === undefined) sights.set(uid, { firstMs: seconds * 1000, lastDay, isWritten: true });
    else if (seconds * 1000 < known.firstMs) known.firstMs = seconds * 1000;
  }
}

async function writeNew(sights: Sights, stored: ReadonlySet<string>, world: World & KeptIn): Promise<void> {
  const { cluster, namespace, name, nowMs } = world;
  const before = Math.floor(nowMs() / dayMs) - forgottenAfterDays;
  const [data, written]: [Record<string, string | null>, Sight[]] = [{}, []];
  for (const [uid, sight] of sights) {
    if (sight.lastDay < before) {
      sights.delete(uid);
      if (stored.has(uid)) data[uid] = null;
    } else if (!sight.isWritten && isKey(uid) && (stored.has(uid) || stored.size + written.length < mostWritten)) {
      data[uid] = `${Math.ceil(sight.firstMs / 1000)} ${sight.lastDay}`;
      written.push(sight);
    }
  }
  if (Object.keys(data).length === 0) return;
  for (const sight of written) sight.isWritten = true;
  await send(cluster, { namespace, name, data }).catch((error: unknown) => {
    for (const sight of written) sight.isWritten = false;
    throw error;
  });
}

/** Uids of the API are; what somebody forged need not be. */
function isKey(uid: string): boolean {
  return /^[-._a-zA-Z0-9]{1,253}$/.test(uid);
}

interface Change {
  readonly namespace: string;
  readonly name: string;
  readonly data: object;
}

/** A merge patch: replicas add their own entries, and take away no other's. */
async function send(cluster: Cluster, { namespace, name, data }: Change): Promise<void> {
  const collection = `/api/v1/namespaces/${namespace}/configmaps`;
  const contentType = 'application/merge-patch+json';
  const patched = await cluster.send({ method: 'PATCH', path: `${collection}/${name}`, body: { data }, contentType });
  if (patched.status < 300) return;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  const made = patched.status === 404 ? await cluster.send({ method: 'POST', path: collection, body }) : patched;
  if (made.status >= 300) throw new Error(`HTTP ${made.status}`);
}
