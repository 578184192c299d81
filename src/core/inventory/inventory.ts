// What runs where, in one shape whatever it was read from: manifests, a snapshot of a cluster, a list of namespaces.
import type { Unreached } from '../reach/index.ts';
import { compareCodePoints } from '../std/order.ts';
import type { Namespace } from './namespaces.ts';

export interface InventoryWorkload {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** Pods that it wants. */
  readonly pods: number;
  readonly owner?: string;
  /** The revision its pod template names now. */
  readonly revision?: string;
  /** Why it does not move by itself, as far as a manifest or a snapshot says it. */
  readonly stuck?: Unreached;
  /** Its pods get no sidecar, whatever its namespace is: hostNetwork, or injection switched off. */
  readonly outsideMesh: boolean;
  /** terminationGracePeriodSeconds of its pods. */
  readonly graceSeconds?: number;
}

export interface Inventory {
  /** Sorted by name, each once; also those that only a workload names. */
  readonly namespaces: readonly Namespace[];
  readonly workloads: readonly InventoryWorkload[];
}

/** Shared: most namespaces of a long list say nothing of their labels. */
const noLabels: ReadonlyMap<string, string> = new Map();

/** Several inventories as one. Labels of a namespace that stands in several are joined; a workload counts once. */
export function joinInventories(parts: readonly Inventory[]): Inventory {
  const labels = new Map<string, ReadonlyMap<string, string>>();
  const workloads = new Map<string, InventoryWorkload>();
  for (const part of parts) {
    for (const workload of part.workloads) {
      workloads.set(`${workload.namespace}/${workload.kind}/${workload.name}`, workload);
      if (!labels.has(workload.namespace)) labels.set(workload.namespace, noLabels);
    }
    for (const { name, labels: more } of part.namespaces) {
      const known = labels.get(name) ?? noLabels;
      labels.set(name, known.size === 0 ? more : new Map([...known, ...more]));
    }
  }
  const namespaces = Array.from(labels, ([name, own]) => ({ name, labels: own }));
  return {
    namespaces: namespaces.sort((a, b) => compareCodePoints(a.name, b.name)),
    workloads: [...workloads.values()],
  };
}

/** Workloads without an owner belong to whom a label of their namespace names. */
export function withOwners({ namespaces, workloads }: Inventory, ownerLabel: string | undefined): Inventory {
  if (ownerLabel === undefined) return { namespaces, workloads };
  const owners = new Map(namespaces.map(({ name, labels }) => [name, labels.get(ownerLabel)]));
  return {
    namespaces,
    workloads: workloads.map((workload) => {
      const owner = workload.owner ?? owners.get(workload.namespace);
      return owner === undefined ? workload : { ...workload, owner };
    }),
  };
}
