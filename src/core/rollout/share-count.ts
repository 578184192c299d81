// Wanted and actual shares: slots meet a share only on average, so what came out is counted and shown.
import type { Assigned } from './resolver.ts';
import type { Bucket, Rollouts } from './rollouts.ts';
import { compareRevisions } from './version-order.ts';

export interface ShareCount {
  readonly bucket: string;
  readonly revision: string;
  /** Slots of 10,000. */
  readonly wanted: number;
  /** Namespaces of the bucket on this revision, and in the bucket. */
  readonly count: number;
  readonly of: number;
}

/** A row for each revision of each bucket that has a namespace, the default last, revisions oldest first. */
export function countShares(rollouts: Rollouts, assignments: readonly Assigned[]): readonly ShareCount[] {
  const byBucket = Map.groupBy(assignments, ({ bucket }) => bucket);
  return [...rollouts.buckets, rollouts.defaultBucket].flatMap((bucket) =>
    rowsOf(bucket, byBucket.get(bucket.name) ?? []),
  );
}

function rowsOf(bucket: Bucket, assigned: readonly Assigned[]): ShareCount[] {
  if (assigned.length === 0) return [];
  return [...bucket.shares]
    .sort(([a], [b]) => compareRevisions(a, b))
    .map(([revision, wanted]) => ({
      bucket: bucket.name,
      revision,
      wanted,
      count: assigned.filter((one) => one.revision === revision).length,
      of: assigned.length,
    }));
}
