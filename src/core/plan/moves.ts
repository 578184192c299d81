// The namespaces that an edit moves, each with its reason. A move is needless where the shares did not ask for it: its bucket
// is the same, and its old revision does not lose or its new one does not gain.
import type { Inventory } from '../inventory/index.ts';
import { type Assignment, type Bucket, compareRevisions, type Resolver, type Rollouts } from '../rollout/index.ts';
import { meshedWorkloads, podsOf } from './scale.ts';
import type { Side } from './side.ts';

export interface Move {
  readonly namespace: string;
  /** Absent: it was not in the mesh, had no revision, or there was no rollouts.yml. */
  readonly from?: string;
  /** Absent: it is no longer in the mesh, or two patterns of equal length match it. */
  readonly to?: string;
  readonly direction: 'forward' | 'backward' | 'entering' | 'leaving';
  /** `share`: the slot changed hands. `bucket`: another pattern catches it now. `mesh`: it enters or leaves. `salt`: another slot. */
  readonly because: 'share' | 'bucket' | 'mesh' | 'salt' | 'tie';
  readonly bucket?: { readonly from?: string; readonly to?: string };
  readonly slot?: number;
  readonly needless: boolean;
  readonly workloads: number;
  readonly pods: number;
}

interface MovesInput {
  readonly names: readonly string[];
  readonly before: Resolver | undefined;
  readonly resolved: ReadonlyMap<string, Assignment>;
  readonly from: Side | undefined;
  readonly to: Side;
  readonly inventory: Inventory;
}

/** In the order of the names. */
export function movesOf({ names, before, resolved, from, to, inventory }: MovesInput): readonly Move[] {
  const workloads = meshedWorkloads(inventory);
  const sides = {
    from: from === undefined ? undefined : sharesByBucket(from.rollouts),
    to: sharesByBucket(to.rollouts),
    sameSalt: from?.fleet.salt === to.fleet.salt,
  };
  return names.flatMap((namespace) => {
    const new_ = resolved.get(namespace);
    const move = new_ === undefined ? undefined : moveOf(before?.resolve(namespace), new_, sides);
    const touched = workloads.get(namespace) ?? [];
    return move === undefined ? [] : [{ namespace, ...move, workloads: touched.length, pods: podsOf(touched) }];
  });
}

interface Sides {
  readonly from: ReadonlyMap<string, Bucket['shares']> | undefined;
  readonly to: ReadonlyMap<string, Bucket['shares']>;
  readonly sameSalt: boolean;
}

function sharesByBucket({ buckets, defaultBucket }: Rollouts): ReadonlyMap<string, Bucket['shares']> {
  return new Map([...buckets, defaultBucket].map(({ name, shares }) => [name, shares]));
}

function moveOf(
  before: Assignment | undefined,
  after: Assignment,
  sides: Sides,
): Omit<Move, 'namespace' | 'workloads' | 'pods'> | undefined {
  const [from, to] = [revisionOf(before), revisionOf(after)];
  if (from === to) return undefined;
  const [oldBucket, newBucket] = [bucketOf(before), bucketOf(after)];
  const bucket = {
    ...(oldBucket === undefined ? {} : { from: oldBucket }),
    ...(newBucket === undefined ? {} : { to: newBucket }),
  };
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    direction:
      from === undefined
        ? 'entering'
        : to === undefined
          ? 'leaving'
          : compareRevisions(to, from) > 0
            ? 'forward'
            : 'backward',
    because: reasonOf(before, after, sides),
    bucket,
    ...(after.kind === 'assigned' ? { slot: after.slot } : {}),
    needless:
      from !== undefined && to !== undefined && oldBucket === newBucket && isNeedless(from, to, sides, oldBucket),
  };
}

function revisionOf(assignment: Assignment | undefined): string | undefined {
  return assignment?.kind === 'assigned' ? assignment.revision : undefined;
}

function bucketOf(assignment: Assignment | undefined): string | undefined {
  return assignment?.kind === 'assigned' ? assignment.bucket : undefined;
}

function reasonOf(before: Assignment | undefined, after: Assignment, { sameSalt }: Sides): Move['because'] {
  if (after.kind === 'tie' || before?.kind === 'tie') return 'tie';
  if (after.kind === 'outside' || before?.kind !== 'assigned') return 'mesh';
  if (before.bucket !== after.bucket) return 'bucket';
  return sameSalt ? 'share' : 'salt';
}

function isNeedless(from: string, to: string, sides: Sides, bucket = ''): boolean {
  const share = (side: Sides['from'], revision: string): number => side?.get(bucket)?.get(revision) ?? 0;
  const loses = share(sides.to, from) < share(sides.from, from);
  const gains = share(sides.to, to) > share(sides.from, to);
  return !loses || !gains;
}
