// What the server knows of its cluster: owners, namespaces, injectors; kept in step by watches, and asked by every review without waiting.
import {
  type Knowledge,
  type OwnerIndex,
  type OwnerRecord,
  type OwnerReference,
  ownerIndex,
  ownerRecord,
  type Served,
} from '../../core/admission/index.ts';
import type { FleetKind } from '../../core/fleet/index.ts';
import { matching } from '../../core/injectors/index.ts';
import type { Cluster, Following, Resource, Sink } from '../../ports/cluster.ts';
import { followConfigurations, followLabels, type Labels } from './follow-mesh.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

export interface Caches {
  /** Undefined until the first complete copy: an injector that was not read yet would count as not there. */
  readonly served: () => Served | undefined;
  /** Nothing is known until the first complete copy: a sibling that was not read yet would make a workload look old. */
  readonly facts: Knowledge['facts'];
  readonly namespaceLabels: (namespace: string) => Labels | undefined;
  /** Whether an injector takes such a pod; false until the first complete copy. */
  readonly injects: (namespace: string, pod: Labels) => boolean;
  /** Follows the kinds that fairway.yml adds; those that are followed already stay. */
  readonly followKinds: (kinds: readonly FleetKind[]) => Promise<void>;
  readonly synced: () => boolean;
  readonly stop: () => void;
}

interface Surroundings {
  readonly cluster: Cluster;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
}

interface OwnerType extends Resource {
  readonly kind: string;
  /** Whole objects where a selector has to be seen; metadata alone of what is many and never tops a chain with a selector. */
  readonly what: 'metadata' | 'objects';
}

const owner = (group: string, plural: string, kind: string, what: OwnerType['what']): OwnerType => ({
  group,
  version: 'v1',
  plural,
  kind,
  what,
});
const builtIn: readonly OwnerType[] = [
  owner('apps', 'replicasets', 'ReplicaSet', 'metadata'),
  owner('apps', 'deployments', 'Deployment', 'objects'),
  owner('apps', 'statefulsets', 'StatefulSet', 'objects'),
  owner('apps', 'daemonsets', 'DaemonSet', 'objects'),
  owner('apps', 'controllerrevisions', 'ControllerRevision', 'metadata'),
  owner('batch', 'jobs', 'Job', 'metadata'),
  owner('batch', 'cronjobs', 'CronJob', 'metadata'),
  owner('', 'replicationcontrollers', 'ReplicationController', 'objects'),
];
/** Starts every watch. */
export function startCaches(world: Surroundings): Caches {
  const index = ownerIndex(builtIn);
  const followings = new Map<string, Following>();
  const follow = (resource: Resource, what: 'metadata' | 'objects', sink: Sink): void => {
    followings.set(`${resource.plural}.${resource.group}`, world.cluster.follow(resource, what, sink));
  };
  const followOwners = (type: OwnerType): void => follow(type, type.what, ownerSink(type, index, world.cluster));
  for (const type of builtIn) followOwners(type);
  const labels = followLabels(follow, () => {});
  const mesh = followConfigurations(follow, () => {});
  const firstSight = firstSights(world.nowMs);
  // What fairway.yml adds later may be forbidden or gone: it never keeps the server from being ready.
  const needed = [...followings.values()];
  const synced = (): boolean => needed.every((following) => following.synced());
  measure(world.metrics, followings, () => index.size);
  return {
    served: () => (synced() ? mesh.served() : undefined),
    facts: (controller, dryRun) => (synced() ? index.facts(controller, firstSight(dryRun)) : unknownOwners(controller)),
    namespaceLabels: (namespace) => labels.get(namespace),
    injects: (namespace, pod) => {
      const of = labels.get(namespace);
      return of !== undefined && synced() && matching(mesh.injectors(), of, pod).length > 0;
    },
    followKinds: async (kinds) => {
      for (const kind of kinds) {
        const type = await discover(kind, world).catch((error: unknown) => {
          world.log.warn({ kind: kind.kind, error: String(error) }, 'a kind of fairway.yml could not be looked up');
          return undefined;
        });
        if (type === undefined || followings.has(`${type.plural}.${type.group}`)) continue;
        index.watch(type);
        followOwners(type);
      }
    },
    synced,
    stop: () => {
      for (const following of followings.values()) following.stop();
    },
  };
}

/** What is known of owners without a cache: only that a bare pod has none. */
export function unknownOwners(controller: OwnerReference | undefined): ReturnType<Knowledge['facts']> {
  return { chain: [], end: controller === undefined ? { kind: 'top' } : { kind: 'missing', reference: controller } };
}

function ownerSink(type: OwnerType, index: OwnerIndex, cluster: Cluster): Sink {
  const reading = new Set<string>();
  const put = (object: unknown): void => {
    const record = ownerRecord({ group: type.group, kind: type.kind }, object);
    if (record === undefined) return;
    if (type.kind === 'ReplicaSet' && record.controller === undefined)
      void putBare(record, { type, index, cluster, reading });
    else index.put(record);
  };
  return {
    put,
    remove: (uid) => {
      reading.delete(uid);
      index.remove(uid);
    },
  };
}

interface Reading {
  readonly type: OwnerType;
  readonly index: OwnerIndex;
  readonly cluster: Cluster;
  readonly reading: Set<string>;
}

/** A ReplicaSet without a Deployment has a selector of its own, which its metadata does not show: until it was read, it is not known. */
async function putBare(
  { uid, namespace, name }: OwnerRecord,
  { type, index, cluster, reading }: Reading,
): Promise<void> {
  reading.add(uid);
  try {
    const { status, body } = await cluster.send({
      method: 'GET',
      path: `/apis/apps/v1/namespaces/${namespace}/replicasets/${name}`,
    });
    const record = status === 200 ? ownerRecord({ group: type.group, kind: type.kind }, body) : undefined;
    if (record?.uid === uid && reading.has(uid)) index.put(record);
  } catch {
    // It stays unknown, and its pods as they are, until its next change.
  }
}

/** Owners of kinds that nobody watches age from when this replica first saw a reference to them. */
const mostSights = 100_000;

function firstSights(nowMs: () => number): (dryRun: boolean) => (reference: OwnerReference) => number {
  const seen = new Map<string, number>();
  return (dryRun) => (reference) => {
    const known = seen.get(reference.uid);
    if (known !== undefined) return known;
    const now = nowMs();
    if (dryRun) return now;
    const oldest = seen.size >= mostSights ? seen.keys().next().value : undefined;
    if (oldest !== undefined) seen.delete(oldest);
    seen.set(reference.uid, now);
    return now;
  };
}

/** The plural and the version that the cluster serves of a kind; undefined, with a warning, where it has none. */
async function discover(
  { apiVersion, kind }: FleetKind,
  { cluster, log }: Surroundings,
): Promise<OwnerType | undefined> {
  const [group = '', version] = apiVersion.split('/');
  const served = version ?? (await preferredVersion(cluster, group));
  const answer =
    served === undefined ? undefined : await cluster.send({ method: 'GET', path: `/apis/${group}/${served}` });
  const resources =
    answer?.status === 200 ? ((answer.body as { resources?: readonly ApiResource[] }).resources ?? []) : [];
  const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
  if (served !== undefined && found !== undefined)
    return { group, version: served, plural: found.name, kind, what: 'objects' };
  log.warn({ apiVersion, kind }, 'the cluster does not serve a kind of fairway.yml; its pods age from first sight');
  return undefined;
}

interface ApiResource {
  readonly name: string;
  readonly kind: string;
}

async function preferredVersion(cluster: Cluster, group: string): Promise<string | undefined> {
  const { status, body } = await cluster.send({ method: 'GET', path: `/apis/${group}` });
  return status === 200 ? (body as { preferredVersion?: { version?: string } }).preferredVersion?.version : undefined;
}

function measure(metrics: Metrics, followings: ReadonlyMap<string, Following>, size: () => number): void {
  metrics.beforeScrape(() => {
    metrics.owners.set(size());
    for (const [resource, following] of followings) {
      metrics.cacheSynced.set({ resource }, following.synced() ? 1 : 0);
      metrics.cacheSilence.set({ resource }, following.silentMs() / 1000);
    }
  });
}
