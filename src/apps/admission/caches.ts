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
import { type ClusterFacts, selectingKeys } from '../../core/policy-table/index.ts';
import { type WatchedType, watchedTypes } from '../../core/reach/index.ts';
import type { Cluster, Following, Resource, Sink } from '../../ports/cluster.ts';
import type { FirstSights } from './first-sights.ts';
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
  /** What of the cluster a policy's tables say; undefined until the first complete copy. */
  readonly tableFacts: () => Omit<ClusterFacts, 'rules'> | undefined;
  /** Changes with it. */
  readonly version: () => string;
  readonly synced: () => boolean;
  readonly stop: () => void;
}

interface Surroundings {
  readonly cluster: Cluster;
  readonly log: Log;
  readonly metrics: Metrics;
  /** When an owner of a kind that nobody watches was first seen. */
  readonly firstSight: FirstSights['of'];
  /** `selectors`: only owners whose selectors count; ages are not told then. */
  readonly owners?: 'all' | 'selectors';
  /** Told of each change. */
  readonly changed?: () => void;
}

/** Starts every watch. */
export function startCaches(world: Surroundings): Caches {
  const index = ownerIndex(watchedTypes);
  const followings = new Map<string, Following>();
  const follow = (resource: Resource, what: 'metadata' | 'objects', sink: Sink): void => {
    followings.set(`${resource.plural}.${resource.group}`, world.cluster.follow(resource, what, sink));
  };
  const followOwners = (type: WatchedType): void => follow(type, type.what, ownerSink({ type, index, ...world }));
  for (const type of watchedTypes) if (world.owners !== 'selectors' || mayCarrySelector(type)) followOwners(type);
  let meshVersion = 0;
  const meshChanged = (): void => {
    meshVersion++;
    world.changed?.();
  };
  const labels = followLabels(follow, meshChanged);
  const mesh = followConfigurations(follow, meshChanged);
  // What fairway.yml adds later may be forbidden or gone: it never keeps the server from being ready.
  const needed = [...followings.values()];
  const synced = (): boolean => needed.every((following) => following.synced());
  measure(world.metrics, followings, () => index.size);
  return {
    served: () => (synced() ? mesh.served() : undefined),
    facts: (controller, dryRun) =>
      synced() ? index.facts(controller, world.firstSight(dryRun)) : unknownOwners(controller),
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
    tableFacts: () =>
      synced() ? { namespaces: labels, served: mesh.served(), selecting: index.selecting() } : undefined,
    version: () => [synced(), meshVersion, ...Array.from(index.selecting(), selectingKeys)].join(),
    synced,
    stop: () => {
      for (const following of followings.values()) following.stop();
    },
  };
}

/** Revisions, Jobs and their makers never select pods by a label of users. */
function mayCarrySelector({ group, kind }: WatchedType): boolean {
  return group !== 'batch' && kind !== 'ControllerRevision';
}

/** What is known of owners without a cache: only that a bare pod has none. */
export function unknownOwners(controller: OwnerReference | undefined): ReturnType<Knowledge['facts']> {
  return { chain: [], end: controller === undefined ? { kind: 'top' } : { kind: 'missing', reference: controller } };
}

interface OwnerSinkOptions {
  readonly type: WatchedType;
  readonly index: OwnerIndex;
  readonly cluster: Cluster;
  readonly changed?: () => void;
}

function ownerSink({ type, index, cluster, changed = () => {} }: OwnerSinkOptions): Sink {
  const reading = new Set<string>();
  const put = (object: unknown): void => {
    const record = ownerRecord({ group: type.group, kind: type.kind }, object);
    if (record === undefined) return;
    if (type.kind === 'ReplicaSet' && record.controller === undefined)
      void putBare(record, { type, index, cluster, reading }).then(changed);
    else {
      index.put(record);
      changed();
    }
  };
  return {
    put,
    remove: (uid) => {
      reading.delete(uid);
      index.remove(uid);
      changed();
    },
  };
}

interface Reading {
  readonly type: WatchedType;
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

/** The plural and the version that the cluster serves of a kind; undefined, with a warning, where it has none. */
async function discover(
  { apiVersion, kind }: FleetKind,
  { cluster, log }: Surroundings,
): Promise<WatchedType | undefined> {
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
