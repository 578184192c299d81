// How much a set of namespaces is: workloads, pods, owners. Only what is in the mesh counts.
import type { Inventory, InventoryWorkload } from '../inventory/index.ts';

export interface Scale {
  readonly namespaces: number;
  readonly workloads: number;
  readonly pods: number;
  /** Sorted. */
  readonly owners: readonly string[];
}

/** The workloads in the mesh, by namespace. */
export function meshedWorkloads({ workloads }: Inventory): ReadonlyMap<string, readonly InventoryWorkload[]> {
  return Map.groupBy(
    workloads.filter(({ outsideMesh }) => !outsideMesh),
    ({ namespace }) => namespace,
  );
}

export function podsOf(workloads: readonly InventoryWorkload[]): number {
  return workloads.reduce((sum, { pods }) => sum + pods, 0);
}

export function scaleOf(inventory: Inventory, namespaces: ReadonlySet<string>): Scale {
  const touched = inventory.workloads.filter(({ namespace, outsideMesh }) => !outsideMesh && namespaces.has(namespace));
  const owners = new Set(touched.flatMap(({ owner }) => owner ?? []));
  return { namespaces: namespaces.size, workloads: touched.length, pods: podsOf(touched), owners: [...owners].sort() };
}
