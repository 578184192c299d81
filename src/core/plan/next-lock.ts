// The lock to commit with an edit: what is owned before it, handed over to the new shares. Keeps what it does not know
// (buckets that another branch added, names that this inventory lacks), unless it is told to forget.
import type { Inventory } from '../inventory/index.ts';
import {
  type Bucket,
  createResolver,
  handOver,
  handOverNames,
  type Lock,
  type LockBucket,
  ownerOf,
  type Resolver,
} from '../rollout/index.ts';
import type { Side } from './side.ts';

export interface NextLock {
  readonly lock: Lock;
  /** Buckets and `bucket: name`s that neither the files nor the inventory know: kept, or with `forget` dropped. */
  readonly unknown: readonly string[];
}

interface NextLockInput {
  readonly from?: Side | undefined;
  readonly to: Side;
  readonly inventory: Inventory;
  readonly forget?: boolean;
}

export function nextLock({ from, to, inventory, forget = false }: NextLockInput): NextLock {
  const before = from === undefined ? undefined : createResolver(from);
  const after = createResolver(to);
  const old = new Map(from === undefined ? [] : all(from).map((bucket) => [bucket.name, bucket]));
  const now = all(to);
  const inBucket = Map.groupBy(
    inventory.namespaces.flatMap(({ name }) => after.resolve(name)).filter((one) => one.kind === 'assigned'),
    ({ bucket }) => bucket,
  );
  const unknown: string[] = [];
  const entries = now.map((bucket): [string, LockBucket] => {
    const earlier = old.get(bucket.name);
    const owned = earlier === undefined || before === undefined ? after.ownership(bucket) : before.ownership(earlier);
    const runs = handOver(owned.runs, bucket.shares);
    if (bucket.mode === 'slots') return [bucket.name, { runs, names: new Map() }];
    const here = new Set(inBucket.get(bucket.name)?.map(({ namespace }) => namespace));
    const lost = [...owned.names.keys()].filter(
      (name) => !here.has(name) && !isElsewhere(after, bucket, name, inventory),
    );
    unknown.push(...lost.map((name) => `${bucket.name}: ${name}`));
    const kept = forget ? here : here.union(new Set(lost));
    const names = new Map(
      Array.from(kept, (name) => [name, owned.names.get(name) ?? ownerOf(owned.runs, after.slotOf(name)) ?? '']),
    );
    return [bucket.name, { runs, names: handOverNames(names, bucket, after.slotOf) }];
  });
  const known = new Set([...now.map(({ name }) => name), ...old.keys()]);
  const strangers = [...(to.lock ?? [])].filter(([name]) => !known.has(name));
  unknown.push(...strangers.map(([name]) => name));
  return { lock: new Map([...entries, ...(forget ? [] : strangers)]), unknown };
}

function all({ rollouts: { buckets, defaultBucket } }: Side): readonly Bucket[] {
  return [...buckets, defaultBucket];
}

/** A name that the inventory holds and another bucket catches now is known, and gone from this one. */
function isElsewhere(after: Resolver, bucket: Bucket, name: string, { namespaces }: Inventory): boolean {
  if (!namespaces.some((namespace) => namespace.name === name)) return false;
  const assignment = after.resolve(name);
  return assignment.kind !== 'assigned' || assignment.bucket !== bucket.name;
}
