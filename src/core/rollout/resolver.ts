// Which revision a namespace is on: the longest pattern that matches names the bucket, the slot names the revision
// (docs/explanation/slots.md). The command line, the webhook and the VM controller all ask here. Knows the namespace only by its name.
import type { Fleet } from '../fleet/index.ts';
import { createMatcher, type Pattern } from '../pattern/index.ts';
import { compareCodePoints } from '../std/order.ts';
import { handOver, layOut, ownerOf, quotaOf, type Run } from './hand-over.ts';
import type { Lock, LockBucket } from './lock.ts';
import type { Bucket, Rollouts } from './rollouts.ts';
import { type SlotOf, slotCount, slots } from './slot.ts';

export type Assignment = Assigned | Outside | Tie;

export interface Assigned {
  readonly kind: 'assigned';
  readonly namespace: string;
  readonly revision: string;
  /** The bucket's name: its pattern, or the default's name. */
  readonly bucket: string;
  readonly slot: number;
  /** `pinned`: the pattern is this name. `only`: the bucket has one revision. `name`: kept by the lock of an exact bucket. */
  readonly reason: 'pinned' | 'only' | 'slot' | 'name';
  /** Whether the lock remembers the bucket. */
  readonly remembered: boolean;
}

/** Not in the mesh, whatever its workloads are. */
export interface Outside {
  readonly kind: 'outside';
  readonly namespace: string;
  readonly reason: 'system-namespace' | 'excluded';
  /** The pattern of fairway.yml's `exclude`, or the name itself. */
  readonly pattern: string;
}

/** Two patterns of equal length match: this name alone has no revision. */
export interface Tie {
  readonly kind: 'tie';
  readonly namespace: string;
  readonly buckets: readonly string[];
}

export interface ResolverInput {
  readonly rollouts: Rollouts;
  readonly lock?: Lock | undefined;
  readonly fleet?: Fleet | undefined;
  /** To share the hashes of two resolvers of one run; of the same salt. */
  readonly slotOf?: SlotOf;
}

export interface Resolver {
  readonly resolve: (namespace: string) => Assignment;
  /** Every bucket whose pattern matches, longest first; the default is not among them. */
  readonly matching: (namespace: string) => readonly Bucket[];
  readonly ownership: (bucket: Bucket) => Ownership;
  readonly slotOf: SlotOf;
}

/** Who owns the slots of a bucket now, and which names an exact bucket keeps. */
export interface Ownership {
  readonly runs: readonly Run[];
  readonly names: ReadonlyMap<string, string>;
  readonly remembered: boolean;
}

/** Namespaces of Kubernetes and Istio, which are never in the mesh. */
export const systemNamespaces: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'istio-system',
]);

type Patterned = Bucket & { readonly pattern: Pattern };

export function createResolver({ rollouts, lock, fleet, slotOf = slots(fleet?.salt ?? '') }: ResolverInput): Resolver {
  const matcher = createMatcher(rollouts.buckets.filter((bucket): bucket is Patterned => bucket.pattern !== undefined));
  const owners = new Map<Bucket, Ownership>();
  const ownership = (bucket: Bucket): Ownership => {
    const known = owners.get(bucket) ?? ownershipOf(bucket, lock?.get(bucket.name), slotOf);
    owners.set(bucket, known);
    return known;
  };
  const resolve = (namespace: string): Assignment => {
    const out = outside(namespace, fleet?.exclude ?? []);
    if (out !== undefined) return out;
    const [first, ...equals] = matcher.longest(namespace);
    if (first !== undefined && equals.length > 0)
      return { kind: 'tie', namespace, buckets: [first, ...equals].map(({ name }) => name).sort() };
    const bucket = first ?? rollouts.defaultBucket;
    return assign(namespace, bucket, ownership(bucket), slotOf(namespace));
  };
  return { resolve, matching: matcher.all, ownership, slotOf };
}

function outside(namespace: string, exclude: readonly Pattern[]): Outside | undefined {
  if (systemNamespaces.has(namespace))
    return { kind: 'outside', namespace, reason: 'system-namespace', pattern: namespace };
  const pattern = exclude.find(({ matches }) => matches(namespace));
  return pattern === undefined ? undefined : { kind: 'outside', namespace, reason: 'excluded', pattern: pattern.text };
}

function assign(namespace: string, bucket: Bucket, owned: Ownership, slot: number): Assigned {
  const kept = owned.names.get(namespace);
  const revision = kept ?? ownerOf(owned.runs, slot) ?? '';
  const single = owned.runs.length === 1;
  const reason =
    kept !== undefined && !single ? 'name' : !single ? 'slot' : bucket.pattern?.literal === true ? 'pinned' : 'only';
  return { kind: 'assigned', namespace, revision, bucket: bucket.name, slot, reason, remembered: owned.remembered };
}

/** hand-over(lock, rollouts.yml), so that the lock may be one edit behind. */
function ownershipOf(bucket: Bucket, lock: LockBucket | undefined, slotOf: SlotOf): Ownership {
  const runs = lock === undefined ? layOut(bucket.shares) : handOver(lock.runs, bucket.shares);
  const names = bucket.mode === 'exact' && lock !== undefined ? handOverNames(lock.names, bucket, slotOf) : new Map();
  return { runs, names, remembered: lock !== undefined };
}

/** The names that the lock keeps for an exact bucket, after the shares became what the bucket says. */
export function handOverNames(
  names: ReadonlyMap<string, string>,
  bucket: Bucket,
  slotOf: SlotOf,
): ReadonlyMap<string, string> {
  const ranked = [...names.keys()].sort((a, b) => slotOf(a) - slotOf(b) || compareCodePoints(a, b));
  const runs = ranked.map((name, unit) => ({ revision: names.get(name) ?? '', from: unit, to: unit + 1 }));
  const after = handOver(runs, quotaOf(bucket.shares, ranked.length, slotCount));
  return new Map(
    after.flatMap(({ revision, from, to }) => ranked.slice(from, to).map((name) => [name, revision] as const)),
  );
}
