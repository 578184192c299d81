// The table of a cluster: what Krispr would decide about a new pod if every workload were old, narrowed to what an expression of the API
// server can look up. Whatever Krispr leaves alone whatever the pod says has no entry.
import type { OwnerRecord, Rules, Served } from '../admission/index.ts';

/** Maps, because an expression finds a key of a map in one step, and walks a list. Values of sets are "". */
export interface PolicyTable {
  /** Today's revision of each namespace that has one that is served. */
  readonly revisions: Readonly<Record<string, string>>;
  /** Namespaces whose pods are labelled though they carry no label. */
  readonly unlabelled: Readonly<Record<string, string>>;
  /** Labels that are revision tags: they stand. */
  readonly tags: Readonly<Record<string, string>>;
  /** Owners that select their pods by the label, by `selectingKeys`: with another label their pods would leave them. */
  readonly selecting: Readonly<Record<string, string>>;
}

export interface ClusterFacts {
  readonly rules: Rules;
  readonly served: Served;
  /** Labels by namespace. */
  readonly namespaces: Iterable<readonly [name: string, labels: Readonly<Record<string, string>>]>;
  readonly selecting: Iterable<OwnerRecord>;
}

/** The table; the same facts give the same one. */
export function policyTable({ rules, served, namespaces, selecting }: ClusterFacts): PolicyTable {
  const [revisions, unlabelled, kept] = [
    new Map<string, string>(),
    new Map<string, string>(),
    new Map<string, string>(),
  ];
  for (const [name, labels] of namespaces) {
    const wanted = rules.wanted(name);
    if (wanted.kind !== 'revision' || labels['istio.io/dataplane-mode'] === 'ambient') continue;
    if (!isUsable(wanted.revision, rules, served)) continue;
    revisions.set(name, wanted.revision);
    if (rules.unlabelled(name) === 'label') unlabelled.set(name, '');
  }
  for (const record of selecting)
    if (revisions.has(record.namespace)) for (const key of selectingKeys(record)) kept.set(key, '');
  const tags = new Map(Array.from(served.tags, (tag) => [tag, ''] as const));
  return { revisions: sorted(revisions), unlabelled: sorted(unlabelled), tags: sorted(tags), selecting: sorted(kept) };
}

/**
 * "namespace/Kind/name" of what a pod's controller reference names, less the hash that a Deployment puts behind its ReplicaSets' names: so that
 * an entry is there before its first ReplicaSet is. A kind of users owns its pods, or has ReplicaSets between.
 */
export function selectingKeys({
  namespace,
  kind,
  name,
}: Pick<OwnerRecord, 'namespace' | 'kind' | 'name'>): readonly string[] {
  const kinds = ownsPods.has(kind) ? [kind] : [kind, 'ReplicaSet'];
  return kinds.map((each) => `${namespace}/${each}/${name}`);
}

const ownsPods: ReadonlySet<string> = new Set(['ReplicaSet', 'StatefulSet', 'DaemonSet', 'ReplicationController']);

function isUsable(revision: string, rules: Rules, { revisions, tags }: Served): boolean {
  return !rules.isRetired(revision) && (revisions.has(revision) || tags.has(revision));
}

function sorted(entries: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const ordered = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(ordered);
}
