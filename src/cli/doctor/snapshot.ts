// Everything that `fairway doctor` looks at, read from a cluster.
import { X509Certificate } from 'node:crypto';
import { ownerRecord, type ReadRules, servedBy, servedByAll } from '../../core/admission/index.ts';
import {
  type Configuration,
  injectorsOf,
  krisprsOf,
  namedRevisions,
  type RuleFacts,
  type Snapshot,
} from '../../core/injectors/index.ts';
import type { ClusterFacts } from '../../core/policy-table/index.ts';
import { isWatchedKind } from '../../core/reach/index.ts';
import { UsageError } from '../../core/std/errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { list, metadataOnly, type Named } from './list.ts';
import { readChoices, readNodes } from './native.ts';
import { readPolicy } from './policy.ts';
import { tryPods } from './probes.ts';
import { readTrust } from './trust.ts';
import { readStuck, readWorkloads, type Workload, workloadFacts } from './workloads.ts';

export interface DoctorOptions {
  readonly cluster: Cluster;
  /** Where the dry-run pods are tried; absent: the first namespace that looks ordinary. */
  readonly namespace: string | undefined;
  /** Undefined without rollouts.yml. */
  readonly read: ReadRules | undefined;
  readonly nowMs: number;
}

export async function readSnapshot(options: DoctorOptions): Promise<Snapshot> {
  const { cluster, read, nowMs } = options;
  const [configurations, namespaces, workloads, owners] = await Promise.all([
    configurationsOf(cluster),
    namespacesOf(cluster),
    readWorkloads(cluster),
    ownersOf(options),
  ]);
  const facts = clusterFacts(configurations, namespaces, workloads);
  const hasWebhook = krisprsOf(configurations).length > 0;
  const [nodes, choices, trust, policy, stuck, probes] = await Promise.all([
    readNodes(cluster),
    readChoices(cluster, configurations),
    readTrust(cluster, configurations),
    readPolicy(cluster, { read, facts, hasWebhook }),
    readStuck(cluster, workloads),
    probesOf(options, configurations, namespaces),
  ]);
  const looked = { configurations, namespaces, nodes, choices, trust, policy, stuck, probes };
  const rules = read === undefined ? undefined : ruleFacts(read);
  return { ...looked, ...owners, workloads: workloads.map(workloadFacts), rules, bundleEnd, nowMs };
}

function ruleFacts({ rules }: ReadRules): RuleFacts {
  return {
    isRetired: rules.isRetired,
    revisionOf: (namespace) => {
      const wanted = rules.wanted(namespace);
      return wanted.kind === 'revision' ? wanted.revision : undefined;
    },
    ageLimitMs: (namespace, revision) => {
      const wanted = rules.wanted(namespace);
      return rules.remutateAfterMs(wanted.kind === 'revision' ? wanted.bucket : '', revision);
    },
    labelsUnlabelled: (namespace) => rules.unlabelled(namespace) === 'label',
  };
}

function clusterFacts(
  configurations: readonly Configuration[],
  namespaces: Snapshot['namespaces'],
  workloads: readonly Workload[],
): Omit<ClusterFacts, 'rules'> {
  const records = workloads
    .filter(({ kind }) => kind !== 'Job')
    .flatMap((each) => ownerRecord({ group: 'apps', kind: each.kind }, each) ?? []);
  return {
    served: servedByAll(configurations.map(servedBy)),
    namespaces: namespaces.map(({ name, labels }) => [name, labels] as const),
    selecting: records.filter(({ selectsRevision }) => selectsRevision === true),
  };
}

async function configurationsOf(cluster: Cluster): Promise<readonly Configuration[]> {
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  return (await list(cluster, path)) as readonly Configuration[];
}

async function namespacesOf(cluster: Cluster): Promise<Snapshot['namespaces']> {
  const found = (await list(cluster, '/api/v1/namespaces', metadataOnly)) as readonly Named[];
  return found.map(({ metadata }) => ({ name: metadata.name, labels: metadata.labels ?? {} }));
}

/** Who owns the pods: kinds that nobody watches, and pods of the mesh that nobody owns. */
async function ownersOf({ cluster, read }: DoctorOptions): Promise<Pick<Snapshot, 'unwatched' | 'barePods'>> {
  const pods = (await list(cluster, '/api/v1/pods', metadataOnly)) as readonly Named[];
  const sets = (await list(cluster, '/apis/apps/v1/replicasets', metadataOnly)) as readonly Named[];
  const above = new Map(sets.map((set) => [`${set.metadata.namespace}/${set.metadata.name}`, ownerOf(set)]));
  const owned = pods.map((pod) => {
    const owner = ownerOf(pod);
    const top = owner?.kind === 'ReplicaSet' ? above.get(`${pod.metadata.namespace}/${owner.name}`) : undefined;
    const inMesh = pod.metadata.labels?.['istio.io/rev'] !== undefined;
    return { pod: `${pod.metadata.namespace}/Pod/${pod.metadata.name}`, inMesh, kind: (top ?? owner)?.kind };
  });
  // A node owns the mirror pods of its static pods.
  const unwatched = owned.flatMap(({ kind = 'Pod' }) =>
    kind === 'Node' || isWatchedKind(kind, read?.fleet.kinds ?? []) ? [] : kind,
  );
  const counts = Map.groupBy(unwatched, (kind) => kind);
  return {
    unwatched: Array.from(counts, ([kind, found]) => ({ kind, pods: found.length })),
    barePods: owned.filter(({ kind, inMesh }) => kind === undefined && inMesh).map(({ pod }) => pod),
  };
}

function ownerOf({ metadata }: Named): { readonly kind: string; readonly name?: string } | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

async function probesOf(
  { cluster, namespace: asked, read }: DoctorOptions,
  configurations: readonly Configuration[],
  namespaces: Snapshot['namespaces'],
): Promise<Snapshot['probes']> {
  if (asked !== undefined && !namespaces.some(({ name }) => name === asked))
    throw new UsageError(`there is no namespace ${asked} in the cluster`, { hint: 'name one of the cluster with -n' });
  const namespace = asked ?? namespaces.find(isOrdinary)?.name;
  if (namespace === undefined) return [];
  const revisions = namedRevisions(injectorsOf(configurations));
  const wanted = read === undefined ? undefined : ruleFacts(read).revisionOf(namespace);
  const isServed = wanted !== undefined && revisions.includes(wanted) && read?.rules.isRetired(wanted) !== true;
  return tryPods({ cluster, namespace, revisions, wanted: isServed ? wanted : undefined });
}

function isOrdinary({ name, labels }: Snapshot['namespaces'][number]): boolean {
  return (
    !/^kube-|^istio-|-system$/.test(name) &&
    ['istio.io/rev', 'istio-injection', 'istio.io/dataplane-mode'].every((label) => labels[label] === undefined)
  );
}

/** The end of the root that lives longest. */
function bundleEnd(caBundle: string): number | string {
  try {
    const text = Buffer.from(caBundle, 'base64').toString('utf8');
    const ends = text
      .split(/(?<=-----END CERTIFICATE-----)/)
      .filter((each) => each.trim() !== '')
      .map((pem) => Date.parse(new X509Certificate(pem).validTo));
    return ends.length === 0 ? 'it is empty' : Math.max(...ends);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
