// When was a workload last deployed? From facts about its owners, never from the pod, which is always new, and never from a
// Deployment's creation alone, by which every old Deployment would move on the first day.
//
//   stamp there     the later of the stamp and the moment it was written: an old build deployed again, or an undo, is a deploy of
//                   that moment; a rollout restart writes no stamp and so keeps no workload young
//   no stamp        the newest creation among the workload and what its roll-outs leave: all its ReplicaSets or
//                   ControllerRevisions, since an undo re-uses an old one while the sibling that it replaced is young
//   CronJob         the newest write of its spec, else its creation: its Jobs are seconds old
//   kinds of users  that leave neither ReplicaSets nor ControllerRevisions: as CronJob
//   other owners    the first sight of the owner's reference
//   bare pod        now
import type { OwnerRecord, OwnerReference } from './owner.ts';

/** What a cache knows of the owners of one pod. */
export interface OwnerFacts {
  /** From the pod's controller upwards, as far as it is known. */
  readonly chain: readonly OwnerRecord[];
  /** The newest creation among the ReplicaSets and ControllerRevisions of the topmost known owner. */
  readonly newestRolloutMs?: number;
  readonly end: ChainEnd;
}

/** Why the chain ends where it ends. */
export type ChainEnd =
  /** The last of the chain has no controller; with an empty chain: the pod has none. */
  | { readonly kind: 'top' }
  /** A controller of a kind that is watched, but that the cache lacks: just created, or the cache is behind. */
  | { readonly kind: 'missing'; readonly reference: OwnerReference }
  /** A controller of a kind that nobody watches, and when its reference was first seen. */
  | { readonly kind: 'unwatched'; readonly reference: OwnerReference; readonly firstSeenMs: number };

export type LastDeploy =
  | { readonly kind: 'at'; readonly atMs: number; readonly by: Evidence }
  | { readonly kind: 'unknown'; readonly reference: OwnerReference };

export type Evidence = 'stamp' | 'stamp-written' | 'rollout' | 'spec-written' | 'created' | 'first-sight' | 'bare-pod';

/** The last deploy of the pod's workload, or the owner that would have to be known first. */
export function lastDeploy(facts: OwnerFacts, nowMs: number): LastDeploy {
  const { chain, end } = facts;
  if (end.kind === 'missing') return { kind: 'unknown', reference: end.reference };
  const top = chain.at(-1);
  const known = top === undefined ? [] : [deployOf(top, facts.newestRolloutMs)];
  if (end.kind === 'unwatched') return newest([...known, { kind: 'at', atMs: end.firstSeenMs, by: 'first-sight' }]);
  return newest(known.length > 0 ? known : [{ kind: 'at', atMs: nowMs, by: 'bare-pod' }]);
}

/** Age in milliseconds; a deploy in the future (a clock that is ahead) has age 0. */
export function ageMs(deploy: { readonly atMs: number }, nowMs: number): number {
  return Math.max(0, nowMs - deploy.atMs);
}

type Known = Extract<LastDeploy, { kind: 'at' }>;

function deployOf(top: OwnerRecord, newestRolloutMs: number | undefined): Known {
  if (top.stamp !== undefined) {
    const { atMs, writtenMs = atMs } = top.stamp;
    return writtenMs > atMs ? { kind: 'at', atMs: writtenMs, by: 'stamp-written' } : { kind: 'at', atMs, by: 'stamp' };
  }
  const created: Known = { kind: 'at', atMs: top.createdMs, by: 'created' };
  if (newestRolloutMs !== undefined) return newest([created, { kind: 'at', atMs: newestRolloutMs, by: 'rollout' }]);
  if (agesBySpec(top) && top.specWrittenMs !== undefined)
    return { kind: 'at', atMs: top.specWrittenMs, by: 'spec-written' };
  return created;
}

/** The built-in kinds whose roll-outs leave objects, or whose template cannot be edited to effect; their spec is also written by a scale. */
const agesByCreation: ReadonlySet<string> = new Set([
  'ReplicaSet',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'ReplicationController',
]);

function agesBySpec({ group, kind }: OwnerRecord): boolean {
  const builtIn = group === 'apps' || group === 'batch' || group === '';
  return !(builtIn && agesByCreation.has(kind));
}

function newest(deploys: readonly Known[]): Known {
  return deploys.reduce((best, each) => (each.atMs > best.atMs ? each : best));
}
