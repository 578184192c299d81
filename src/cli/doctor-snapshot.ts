// What `fairway doctor` looks at, read from a cluster: lists in pages, metadata where that is enough, and pods by server-side dry run.
import { X509Certificate } from 'node:crypto';
import { ownerRecord } from '../core/admission/index.ts';
import {
  type Configuration,
  injectorsOf,
  namedRevisions,
  type Probe,
  type Snapshot,
  type WorkloadFacts,
} from '../core/injectors/index.ts';
import { TransientError } from '../core/std/errors.ts';
import type { Cluster } from '../ports/cluster.ts';

export interface DoctorOptions {
  readonly cluster: Cluster;
  /** Where the dry-run pods are tried; absent: the first namespace that looks ordinary. */
  readonly namespace: string | undefined;
  readonly isRetired: (revision: string) => boolean;
  /** Kinds that the server watches besides the built-in ones. */
  readonly kinds: ReadonlySet<string>;
  readonly nowMs: number;
}

const revisionLabel = 'istio.io/rev';
/** A label that no injector serves: Krispr has to correct it. */
const unserved = 'fairway-doctor';
const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const templated = { deployments: 'Deployment', statefulsets: 'StatefulSet', daemonsets: 'DaemonSet' } as const;
/** Owners of pods that the server watches, and nodes, which own their mirror pods. */
const watchedKinds: ReadonlySet<string> = new Set([
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'ReplicationController',
  'Node',
]);

export async function readSnapshot(options: DoctorOptions): Promise<Snapshot> {
  const { cluster, isRetired, nowMs } = options;
  const [configurations, namespaces, workloads, unwatched] = await Promise.all([
    list(cluster, '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations') as Promise<
      readonly Configuration[]
    >,
    namespacesOf(cluster),
    workloadsOf(cluster),
    unwatchedOf(options),
  ]);
  const probes = await probe(options, configurations, namespaces);
  return { configurations, namespaces, workloads, unwatched, probes, isRetired, bundleEnd, nowMs };
}

interface Named {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly controller?: boolean }[];
  };
}

async function list(cluster: Cluster, path: string, accept?: string): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  let more = '';
  do {
    const query = `?limit=500${more === '' ? '' : `&continue=${encodeURIComponent(more)}`}`;
    const { status, body } = await cluster.send({
      method: 'GET',
      path: path + query,
      ...(accept === undefined ? {} : { accept }),
    });
    if (status !== 200)
      throw new TransientError(`GET ${path}: HTTP ${status}`, { hint: 'the account needs the right to list it' });
    const page = body as { items?: readonly unknown[]; metadata?: { continue?: string } };
    items.push(...(page.items ?? []));
    more = page.metadata?.continue ?? '';
  } while (more !== '');
  return items;
}

async function namespacesOf(cluster: Cluster): Promise<Snapshot['namespaces']> {
  const found = (await list(cluster, '/api/v1/namespaces', metadataOnly)) as readonly Named[];
  return found.map(({ metadata }) => ({ name: metadata.name, labels: metadata.labels ?? {} }));
}

async function workloadsOf(cluster: Cluster): Promise<readonly WorkloadFacts[]> {
  const found = await Promise.all(
    Object.entries(templated).map(async ([plural, kind]) =>
      (await list(cluster, `/apis/apps/v1/${plural}`)).map((object) => workloadFacts(kind, object as Named)),
    ),
  );
  return found.flat();
}

function workloadFacts(kind: string, object: Named): WorkloadFacts {
  const { namespace = '', name } = object.metadata;
  const { spec } = object as { spec?: { template?: { metadata?: Named['metadata'] } } };
  const revision = spec?.template?.metadata?.labels?.[revisionLabel];
  return {
    key: `${namespace}/${kind}/${name}`,
    revision,
    selectsRevision: ownerRecord({ group: 'apps', kind }, object)?.selectsRevision === true,
  };
}

async function unwatchedOf({ cluster, kinds }: DoctorOptions): Promise<Snapshot['unwatched']> {
  const pods = (await list(cluster, '/api/v1/pods', metadataOnly)) as readonly Named[];
  const owners = pods.flatMap(
    ({ metadata }) => metadata.ownerReferences?.find(({ controller }) => controller === true)?.kind ?? [],
  );
  const counts = Map.groupBy(
    owners.filter((kind) => !watchedKinds.has(kind) && !kinds.has(kind)),
    (kind) => kind,
  );
  return Array.from(counts, ([kind, found]) => ({ kind, pods: found.length }));
}

async function probe(
  options: DoctorOptions,
  configurations: readonly Configuration[],
  namespaces: Snapshot['namespaces'],
): Promise<readonly Probe[]> {
  const namespace = options.namespace ?? namespaces.find(isOrdinary)?.name;
  if (namespace === undefined) return [];
  const revisions = namedRevisions(injectorsOf(configurations));
  const probes: Probe[] = [];
  for (const revision of [...revisions, unserved]) probes.push(await probeOne(options.cluster, namespace, revision));
  // Without Krispr, or where today's revision is not served, the made-up label stays, and nobody promised to inject it.
  return probes.filter((each) => each.kind === 'refused' || each.label !== unserved);
}

function isOrdinary({ name, labels }: Snapshot['namespaces'][number]): boolean {
  return (
    !/^kube-|^istio-|-system$/.test(name) &&
    [revisionLabel, 'istio-injection', 'istio.io/dataplane-mode'].every((label) => labels[label] === undefined)
  );
}

async function probeOne(cluster: Cluster, namespace: string, revision: string): Promise<Probe> {
  const asked = `${revisionLabel}=${revision}`;
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'fairway-doctor-', labels: { [revisionLabel]: revision } },
    spec: { containers: [{ name: 'probe', image: 'fairway.invalid/doctor:0' }] },
  };
  const answer = await cluster.send({ method: 'POST', path: `/api/v1/namespaces/${namespace}/pods?dryRun=All`, body });
  if (answer.status !== 201)
    return {
      kind: 'refused',
      asked,
      message: (answer.body as { message?: string }).message ?? `HTTP ${answer.status}`,
    };
  const { labels = {}, annotations = {} } = (
    answer.body as { metadata: { labels?: Record<string, string>; annotations?: Record<string, string> } }
  ).metadata;
  return {
    kind: 'made',
    asked,
    label: labels[revisionLabel],
    injected: injectedRevision(annotations['sidecar.istio.io/status']),
  };
}

/** As Istio's injector writes it, and every injector that takes its place. */
function injectedRevision(status: string | undefined): string | undefined {
  if (status === undefined) return undefined;
  try {
    return (JSON.parse(status) as { revision?: string }).revision;
  } catch {
    return undefined;
  }
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
