// What an edit does to the slots of each bucket, whatever runs where.
import { type Bucket, compareRevisions, ownerOf, type Resolver, type Rollouts, type Run } from '../rollout/index.ts';
import type { Side } from './side.ts';

export interface BucketChange {
  readonly bucket: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Slots that change hands, of 10,000. Of an added or removed bucket: nothing, its namespaces come from or go to others. */
  readonly moved: readonly { readonly from: string; readonly to: string; readonly slots: number }[];
  /** How many of these the shares did not ask for. */
  readonly needless: number;
  /** Whether the lock remembers the bucket. */
  readonly remembered: boolean;
}

/** Only the buckets that change, in the order of the new file, removed ones last. */
export function bucketChanges(
  from: Side | undefined,
  before: Resolver | undefined,
  to: Side,
  after: Resolver,
): readonly BucketChange[] {
  const old = new Map(from === undefined ? [] : all(from.rollouts).map((bucket) => [bucket.name, bucket]));
  const now = all(to.rollouts);
  const changes = now.flatMap((bucket): BucketChange[] => {
    const earlier = old.get(bucket.name);
    const { runs, remembered } = after.ownership(bucket);
    if (earlier === undefined || before === undefined)
      return [{ bucket: bucket.name, change: 'added', moved: [], needless: 0, remembered }];
    const moved = movedSlots(before.ownership(earlier).runs, runs);
    const needless = total(moved) - leastMoves(earlier, bucket);
    return moved.length === 0 ? [] : [{ bucket: bucket.name, change: 'changed', moved, needless, remembered }];
  });
  const names = new Set(now.map(({ name }) => name));
  const removed: BucketChange[] = Array.from(old.keys())
    .filter((name) => !names.has(name))
    .map((bucket) => ({ bucket, change: 'removed', moved: [], needless: 0, remembered: false }));
  return [...changes, ...removed];
}

function all({ buckets, defaultBucket }: Rollouts): readonly Bucket[] {
  return [...buckets, defaultBucket];
}

/** Slots by old and new owner, where they differ. */
function movedSlots(before: readonly Run[], after: readonly Run[]): BucketChange['moved'] {
  const edges = [...new Set([...before, ...after].flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
  const moved = new Map<string, { from: string; to: string; slots: number }>();
  for (const [index, edge] of edges.slice(0, -1).entries()) {
    const [from = '', to = ''] = [ownerOf(before, edge), ownerOf(after, edge)];
    if (from === to) continue;
    const key = `${from} ${to}`;
    const slots = (moved.get(key)?.slots ?? 0) + (edges[index + 1] ?? edge) - edge;
    moved.set(key, { from, to, slots });
  }
  return [...moved.values()].sort((a, b) => compareRevisions(a.from, b.from) || compareRevisions(a.to, b.to));
}

function total(moved: BucketChange['moved']): number {
  return moved.reduce((sum, { slots }) => sum + slots, 0);
}

/** What the shares ask for: as much as the losers lose. */
function leastMoves(before: Bucket, after: Bucket): number {
  return [...before.shares].reduce(
    (sum, [revision, share]) => sum + Math.max(0, share - (after.shares.get(revision) ?? 0)),
    0,
  );
}
