// A fleet as one of its clusters sees it: fairway.yml's `clusters.NAME` names a rollouts.yml of its own, and what more is not in the mesh there.
import type { Fleet } from './fleet.ts';

export type ClusterView =
  /** `rollouts`: the path of the cluster's own file, beside fairway.yml; absent: the fleet's. */
  | { readonly kind: 'known'; readonly fleet: Fleet; readonly rollouts?: string }
  /** fairway.yml lists clusters, and this one is not among them. */
  | { readonly kind: 'unknown'; readonly message: string; readonly hint: string };

/** The same everywhere unless fairway.yml says otherwise; a file that lists no clusters knows every name. */
export function fleetOfCluster(fleet: Fleet, name: string): ClusterView {
  if (fleet.clusters === undefined) return { kind: 'known', fleet };
  const cluster = fleet.clusters.get(name);
  if (cluster === undefined) {
    const message = `fairway.yml lists no cluster ${JSON.stringify(name)}`;
    return { kind: 'unknown', message, hint: `it lists ${[...fleet.clusters.keys()].join(', ')}` };
  }
  const here = { ...fleet, exclude: [...fleet.exclude, ...cluster.exclude] };
  return { kind: 'known', fleet: here, ...(cluster.rollouts === undefined ? {} : { rollouts: cluster.rollouts }) };
}
