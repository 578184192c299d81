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

export function nextLock(input: NextLockInput): NextLock {
  const { from, to, inventory, forget = false } = input;
  const after = createResolver(to);
  const context: Context = {
    input,
    after,
    before: from === undefined ? undefined : createResolver(from),
    old: new Map(from === undefined ? [] : all(from).map((bucket) => [bucket.name, bucket])),
    listed: new Set(inventory.namespaces.map(({ name }) => name)),
    buckets: bucketsByName(inventory, after),
  };
  const entries = all(to).map((bucket) => nextBucket(bucket, context));
  const known = new Set([...entries.map(({ name }) => name), ...context.old.keys()]);
  const strangers = [...(to.lock ?? [])].filter(([name]) => !known.has(name));
  return {
    lock: new Map([...entries.map(({ name, locked }) => [name, locked] as const), ...(forget ? [] : strangers)]),
    unknown: [...entries.flatMap(({ unknown }) => unknown), ...strangers.map(([name]) => name)],
  };
}

interface Context {
  readonly input: NextLockInput;
  readonly before: Resolver | undefined;
  readonly after: Resolver;
  readonly old: ReadonlyMap<string, Bucket>;
  /** The names of the inventory. */
  readonly listed: ReadonlySet<string>;
  /** The bucket of each name of the inventory that has one. */
  readonly buckets: ReadonlyMap<string, string>;
}

interface NextBucket {
  readonly name: string;
  readonly locked: LockBucket;
  readonly unknown: readonly string[];
}

function nextBucket(bucket: Bucket, { input, before, after, old, listed, buckets }: Context): NextBucket {
  const earlier = old.get(bucket.name);
  const owned = earlier === undefined || before === undefined ? after.ownership(bucket) : before.ownership(earlier);
  const runs = handOver(owned.runs, bucket.shares);
  const remembered = bucket.mode === 'exact' ? owned.names : (input.to.lock?.get(bucket.name)?.names ?? new Map());
  const lost = [...remembered.keys()].filter((name) => bucket.mode === 'slots' || !listed.has(name));
  const unknown = lost.map((name) => `${bucket.name}: ${name}`);
  const kept = input.forget === true ? [] : lost;
  if (bucket.mode === 'slots')
    return {
      name: bucket.name,
      locked: { runs, names: new Map(kept.map((name) => [name, remembered.get(name) ?? ''])) },
      unknown,
    };
  const here = [...listed].filter((name) => buckets.get(name) === bucket.name);
  const names = new Map(
    [...here, ...kept].map((name) => [name, owned.names.get(name) ?? ownerOf(owned.runs, after.slotOf(name)) ?? '']),
  );
  return { name: bucket.name, locked: { runs, names: handOverNames(names, bucket, after.slotOf) }, unknown };
}

function bucketsByName({ namespaces }: Inventory, after: Resolver): ReadonlyMap<string, string> {
  const assigned = namespaces.flatMap(({ name }) => after.resolve(name)).filter((one) => one.kind === 'assigned');
  return new Map(assigned.map(({ namespace, bucket }) => [namespace, bucket]));
}

function all({ rollouts: { buckets, defaultBucket } }: Side): readonly Bucket[] {
  return [...buckets, defaultBucket];
}
