// Workloads as doctor looks at them: what their templates name, how they age, and ordered sets that wait for what will not come.
import { ownerRecord, parseTimeMs } from '../../core/admission/index.ts';
import type { WorkloadFacts } from '../../core/injectors/index.ts';
import { unreachedBecause } from '../../core/reach/index.ts';
import { type StatefulSetFacts, stuckFinding } from '../../core/stateful-set/index.ts';
import type { Problem } from '../../core/std/errors.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { list, type Named } from './list.ts';

const templated = [
  { group: 'apps', plural: 'deployments', kind: 'Deployment' },
  { group: 'apps', plural: 'statefulsets', kind: 'StatefulSet' },
  { group: 'apps', plural: 'daemonsets', kind: 'DaemonSet' },
  { group: 'batch', plural: 'jobs', kind: 'Job' },
] as const;

export interface Workload extends Named {
  readonly kind: string;
  readonly spec?: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly podManagementPolicy?: string;
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: {
      readonly metadata?: Partial<Named['metadata']>;
      readonly spec?: { readonly hostNetwork?: boolean };
    };
  };
  readonly status?: {
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export async function readWorkloads(cluster: Cluster): Promise<readonly Workload[]> {
  const found = await Promise.all(
    templated.map(async ({ group, plural, kind }) => {
      const listed = (await list(cluster, `/apis/${group}/v1/${plural}`)) as readonly Omit<Workload, 'kind'>[];
      return listed.map((object): Workload => ({ ...object, kind }));
    }),
  );
  return found.flat().filter((each) => !isOver(each));
}

/** A Job that ended has no pods that run, and its labels mean nothing any more. */
function isOver({ kind, status }: Workload): boolean {
  const ends: readonly string[] = ['Complete', 'Failed'];
  return (
    kind === 'Job' && (status?.conditions ?? []).some(({ type, status: is }) => ends.includes(type) && is === 'True')
  );
}

export function workloadFacts(object: Workload): WorkloadFacts {
  const { namespace = '', creationTimestamp } = object.metadata;
  const { template, updateStrategy, paused } = object.spec ?? {};
  const { labels = {}, annotations = {} } = template?.metadata ?? {};
  const owner = ownerRecord({ group: object.kind === 'Job' ? 'batch' : 'apps', kind: object.kind }, object);
  const selectsRevision = owner?.selectsRevision === true;
  return {
    key: keyOf(object),
    namespace,
    revision: labels['istio.io/rev'],
    selectsRevision,
    createdMs: parseTimeMs(creationTimestamp),
    stamped: owner?.stamp !== undefined,
    restartedMs: parseTimeMs(annotations['kubectl.kubernetes.io/restartedAt']),
    isOutside: template?.spec?.hostNetwork === true || isSwitchedOff(labels) || isSwitchedOff(annotations),
    unreached: unreachedBecause({
      kind: object.kind,
      isWatched: true,
      selectsRevision,
      strategy: updateStrategy?.type,
      isPaused: paused,
      annotations,
    }),
  };
}

function isSwitchedOff(map: Readonly<Record<string, string>>): boolean {
  return map['sidecar.istio.io/inject'] === 'false';
}

function keyOf({ kind, metadata }: Workload): string {
  return `${metadata.namespace ?? ''}/${kind}/${metadata.name}`;
}

/** Sets in the middle of an update that will not end by itself. */
export async function readStuck(cluster: Cluster, workloads: readonly Workload[]): Promise<readonly Problem[]> {
  const updating = workloads.filter(
    ({ kind, status }) => kind === 'StatefulSet' && status?.updateRevision !== status?.currentRevision,
  );
  const found = await Promise.all(
    updating.map(async (set) => stuckFinding(keyOf(set), setFacts(set, await podsOf(cluster, set)))),
  );
  return found.filter((each) => each !== undefined);
}

interface Pod extends Named {
  readonly metadata: Named['metadata'] & { readonly deletionTimestamp?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

async function podsOf(cluster: Cluster, { metadata, spec }: Workload): Promise<readonly Pod[]> {
  const labels = Object.entries(spec?.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const path = `/api/v1/namespaces/${metadata.namespace}/pods?labelSelector=${encodeURIComponent(labels.join())}`;
  const pods = (await list(cluster, path)) as readonly Pod[];
  return pods.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.some(({ kind, controller }) => controller === true && kind === 'StatefulSet'),
  );
}

function setFacts({ metadata, spec = {}, status = {} }: Workload, pods: readonly Pod[]): StatefulSetFacts {
  const { podManagementPolicy, updateStrategy = {}, replicas = 1 } = spec;
  return {
    name: metadata.name,
    isOrdered: podManagementPolicy !== 'Parallel',
    updates: updateStrategy.type === 'OnDelete' ? 'OnDelete' : 'RollingUpdate',
    replicas,
    partition: updateStrategy.rollingUpdate?.partition ?? 0,
    currentRevision: status.currentRevision ?? '',
    updateRevision: status.updateRevision ?? '',
    pods: pods.map((pod) => ({
      name: pod.metadata.name,
      ordinal: Number(pod.metadata.name.slice(metadata.name.length + 1)),
      revision: pod.metadata.labels?.['controller-revision-hash'] ?? '',
      isReady: pod.status?.conditions?.some(({ type, status: held }) => type === 'Ready' && held === 'True') === true,
      isTerminating: pod.metadata.deletionTimestamp !== undefined,
    })),
  };
}
