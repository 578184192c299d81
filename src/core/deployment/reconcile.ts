// What a Deployment does next: from its spec, its replica sets and their pods to pods to create and to delete. Kubernetes' rolling update
// by counting, without its objects: a set is a template's hash with a wanted number of pods. Pure; the pods' own lives are `pod/`'s.
import { compareCodePoints } from '../std/order.ts';
import { budgetOf, type DeploymentSpec } from './spec.ts';

/** The pods of one template. */
export interface ReplicaSet {
  readonly hash: string;
  readonly wanted: number;
}

export interface Replica {
  readonly name: string;
  readonly hash: string;
  /** A pod that is being deleted, or has ended, is no replica any more. */
  readonly at: 'starting' | 'ready' | 'deleting' | 'ended';
  /** Since when it is ready. */
  readonly readySinceMs: number;
  readonly createdAtMs: number;
}

export interface Observed {
  readonly spec: DeploymentSpec;
  /** The hash of the template that is wanted. */
  readonly hash: string;
  readonly sets: readonly ReplicaSet[];
  readonly replicas: readonly Replica[];
  readonly nowMs: number;
}

export interface Decision {
  readonly sets: readonly ReplicaSet[];
  /** One entry a pod: the hash of its template. */
  readonly create: readonly string[];
  readonly remove: readonly string[];
  readonly status: DeploymentStatus;
  /** When to ask again though nothing has changed: a pod is available by then. Infinity: never. */
  readonly wakeAtMs: number;
}

export interface DeploymentStatus {
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  readonly complete: boolean;
}

interface Count {
  readonly hash: string;
  readonly wanted: number;
  readonly available: number;
}

/** One round; the caller carries it out and asks again whenever a pod changes. */
export function reconcile(observed: Observed): Decision {
  const active = observed.replicas.filter(({ at }) => at === 'starting' || at === 'ready');
  const sets = wantedSets(observed, active);
  const create = sets.flatMap(({ hash, wanted }) =>
    Array<string>(Math.max(0, wanted - countOf(active, hash))).fill(hash),
  );
  const remove = removedFrom(sets, active);
  const kept = sets.filter(({ hash, wanted }) => wanted > 0 || observed.replicas.some((one) => one.hash === hash));
  return { sets: kept, create, remove, status: statusOf(observed, active), wakeAtMs: wakeAt(observed, active) };
}

function wantedSets(observed: Observed, active: readonly Replica[]): readonly ReplicaSet[] {
  const { spec, hash } = observed;
  const others = observed.sets.filter((set) => set.hash !== hash);
  const current = observed.sets.find((set) => set.hash === hash) ?? { hash, wanted: 0 };
  if (spec.strategy.type === 'Recreate') return recreated(observed, others);
  const counts = others.map((set) => ({ ...set, available: availableOf(observed, active, set.hash) }));
  const grown = grownNew(spec, current, others);
  const own = { hash, wanted: grown, available: availableOf(observed, active, hash) };
  // As in Kubernetes a round either grows the new set or shrinks the old ones.
  return [...(grown > current.wanted ? others : shrunkOld(spec, own, counts)), { hash, wanted: grown }];
}

/** The new set begins only when the last old pod is gone. */
function recreated(observed: Observed, others: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const { spec, hash, replicas } = observed;
  const oldLives = replicas.some((one) => one.hash !== hash && one.at !== 'ended');
  return [...others.map((set) => ({ ...set, wanted: 0 })), { hash, wanted: oldLives ? 0 : spec.replicas }];
}

function grownNew(spec: DeploymentSpec, current: ReplicaSet, others: readonly ReplicaSet[]): number {
  if (current.wanted >= spec.replicas) return spec.replicas;
  const { maxSurge } = budgetOf(spec);
  const room = spec.replicas + maxSurge - current.wanted - others.reduce((sum, { wanted }) => sum + wanted, 0);
  return current.wanted + Math.min(Math.max(0, room), spec.replicas - current.wanted);
}

/** Pods that never became available go first, at no cost; then available ones, down to the least that must stay. */
function shrunkOld(spec: DeploymentSpec, own: Count, old: readonly Count[]): readonly ReplicaSet[] {
  const least = spec.replicas - budgetOf(spec).maxUnavailable;
  const all = [own, ...old];
  const spare = total(all, 'wanted') - least - (own.wanted - own.available);
  const [afterUnhealthy, cleaned] = takeFrom(old, Math.max(0, spare), ({ wanted, available }) => wanted - available);
  const surplus = Math.min(spare - cleaned, total(all, 'available') - least);
  return takeFrom(afterUnhealthy, Math.max(0, surplus), ({ wanted }) => wanted)[0];
}

function takeFrom(
  sets: readonly Count[],
  most: number,
  takable: (set: Count) => number,
): readonly [sets: readonly Count[], taken: number] {
  let left = most;
  const after = sets.map((set) => {
    const taken = Math.min(left, Math.max(0, takable(set)));
    left -= taken;
    return { ...set, wanted: set.wanted - taken };
  });
  return [after, most - left];
}

/** Surplus pods of each set: the unready first, then the youngest. */
function removedFrom(sets: readonly ReplicaSet[], active: readonly Replica[]): readonly string[] {
  const hashes = new Set([...sets.map(({ hash }) => hash), ...active.map(({ hash }) => hash)]);
  return [...hashes].flatMap((hash) => {
    const own = active.filter((one) => one.hash === hash).toSorted(compareForRemoval);
    const wanted = sets.find((set) => set.hash === hash)?.wanted ?? 0;
    return own.slice(0, Math.max(0, own.length - wanted)).map(({ name }) => name);
  });
}

function compareForRemoval(a: Replica, b: Replica): number {
  if (a.at !== b.at) return a.at === 'starting' ? -1 : 1;
  return b.readySinceMs - a.readySinceMs || b.createdAtMs - a.createdAtMs || compareCodePoints(a.name, b.name);
}

function statusOf({ spec, hash, replicas, nowMs }: Observed, active: readonly Replica[]): DeploymentStatus {
  const updated = countOf(active, hash);
  const ready = active.filter(({ at }) => at === 'ready').length;
  const available = active.filter((one) => isAvailable(one, spec, nowMs)).length;
  const gone = replicas.every((one) => one.hash === hash || one.at === 'ended');
  const complete = gone && updated === spec.replicas && available === spec.replicas && active.length === spec.replicas;
  return { replicas: active.length, updated, ready, available, complete };
}

function wakeAt({ spec, nowMs }: Observed, active: readonly Replica[]): number {
  const soon = active
    .filter(({ at }) => at === 'ready')
    .map(({ readySinceMs }) => readySinceMs + spec.minReadySeconds * 1000)
    .filter((atMs) => atMs > nowMs);
  return Math.min(Number.POSITIVE_INFINITY, ...soon);
}

function availableOf({ spec, nowMs }: Observed, active: readonly Replica[], hash: string): number {
  return active.filter((one) => one.hash === hash && isAvailable(one, spec, nowMs)).length;
}

function isAvailable(one: Replica, spec: DeploymentSpec, nowMs: number): boolean {
  return one.at === 'ready' && one.readySinceMs + spec.minReadySeconds * 1000 <= nowMs;
}

function countOf(active: readonly Replica[], hash: string): number {
  return active.filter((one) => one.hash === hash).length;
}

function total(counts: readonly Count[], key: 'wanted' | 'available'): number {
  return counts.reduce((sum, count) => sum + count[key], 0);
}
