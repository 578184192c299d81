// An inventory from manifests: what will run once they are applied. A pod here is a bare pod: nothing owns it.
import { type NamespaceFacts, type StringMap, type Workload, workloadKey } from '../manifest/index.ts';
import { type Unreached, unreachedBecause } from '../reach/index.ts';
import type { Problem } from '../std/errors.ts';
import type { Inventory, InventoryWorkload } from './inventory.ts';

export interface ManifestFacts {
  readonly workloads: readonly Workload[];
  readonly namespaces: readonly NamespaceFacts[];
}

export interface ManifestOptions {
  /** For objects that name no namespace (`-n`). */
  readonly namespace?: string | undefined;
  readonly ownerLabel?: string | undefined;
}

/** Workloads without a namespace are problems: nobody knows which revision is theirs. */
export function fromManifests(
  { workloads, namespaces }: ManifestFacts,
  { namespace: usual, ownerLabel }: ManifestOptions,
): { readonly inventory: Inventory; readonly problems: readonly Problem[] } {
  const placed = workloads
    .filter(({ kind }) => kind !== 'PodTemplate')
    .map((workload) => ({ ...workload, namespace: workload.namespace ?? usual }));
  const problems = placed.filter(({ namespace }) => namespace === undefined).map(withoutNamespace);
  const inventory = {
    namespaces: namespaces.map(({ name, labels }) => ({ name, labels: new Map(Object.entries(labels)) })),
    workloads: placed.flatMap((workload) =>
      workload.namespace === undefined ? [] : [summary(workload, workload.namespace, ownerLabel)],
    ),
  };
  return { inventory, problems };
}

function withoutNamespace(workload: Workload): Problem {
  const message = `${workloadKey(workload).slice(1)} names no namespace`;
  return {
    code: 'no-namespace',
    severity: 'error',
    document: workload.document,
    message,
    hint: 'name one for all of them with -n',
  };
}

function summary(workload: Workload, namespace: string, ownerLabel: string | undefined): InventoryWorkload {
  const { kind, name, replicas = 1, pod } = workload;
  const owner = ownerLabel === undefined ? undefined : (workload.labels[ownerLabel] ?? pod?.labels[ownerLabel]);
  const revision = pod?.labels['istio.io/rev'];
  const stuck = stuckBy(workload);
  return {
    namespace,
    kind,
    name,
    pods: replicas,
    outsideMesh: pod?.hostNetwork === true || isSwitchedOff(pod?.labels) || isSwitchedOff(pod?.annotations),
    ...(owner === undefined ? {} : { owner }),
    ...(revision === undefined ? {} : { revision }),
    ...(stuck === undefined ? {} : { stuck }),
    ...(pod?.graceSeconds === undefined ? {} : { graceSeconds: pod.graceSeconds }),
  };
}

function isSwitchedOff(map: StringMap | undefined): boolean {
  return map?.['sidecar.istio.io/inject'] === 'false';
}

/** Whether its kind is watched is a question for fairway.yml. */
function stuckBy({ kind, selector, strategy, isPaused, pod }: Workload): Unreached | undefined {
  const selectsRevision = selector?.keys.includes('istio.io/rev') === true;
  return unreachedBecause({
    kind,
    isWatched: true,
    selectsRevision,
    strategy,
    isPaused,
    annotations: pod?.annotations ?? {},
  });
}
