// Asked against actual share, by namespaces and by pods: slots meet a share only on average.
import type { Inventory } from '../inventory/index.ts';
import { type Assigned, type Assignment, countShares, type Rollouts, type ShareCount } from '../rollout/index.ts';
import { meshedWorkloads, podsOf } from './scale.ts';

export interface ShareRow extends ShareCount {
  readonly pods: number;
  readonly ofPods: number;
}

/** A row for each revision of each bucket that has a namespace. */
export function shareRows(
  rollouts: Rollouts,
  resolved: ReadonlyMap<string, Assignment>,
  inventory: Inventory,
): readonly ShareRow[] {
  const workloads = meshedWorkloads(inventory);
  const assigned = [...resolved.values()].filter((one): one is Assigned => one.kind === 'assigned');
  const byBucket = Map.groupBy(assigned, ({ bucket }) => bucket);
  const podsIn = (some: readonly Assigned[]): number =>
    some.reduce((sum, { namespace }) => sum + podsOf(workloads.get(namespace) ?? []), 0);
  return countShares(rollouts, assigned).map((row) => {
    const inBucket = byBucket.get(row.bucket) ?? [];
    const pods = podsIn(inBucket.filter(({ revision }) => revision === row.revision));
    return { ...row, pods, ofPods: podsIn(inBucket) };
  });
}
