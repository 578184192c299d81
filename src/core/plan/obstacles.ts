// What keeps a namespace or workload on its revision although rollouts.yml moves it.
import type { FleetKind } from '../fleet/index.ts';
import type { Inventory } from '../inventory/index.ts';
import { isWatchedKind, type UnreachedWorkload, unreachedBecause } from '../reach/index.ts';

/** A workload of a moving namespace that does not follow by itself. */
export interface StuckWorkload extends UnreachedWorkload {
  readonly pods: number;
}

/** A namespace whose own label decides, so that the pods' label is ignored. */
export interface Shadowed {
  readonly namespace: string;
  readonly label: string;
  readonly value: string;
}

export function stuckIn(
  { workloads }: Inventory,
  moving: ReadonlySet<string>,
  kinds: readonly FleetKind[],
): readonly StuckWorkload[] {
  return workloads.flatMap(({ namespace, kind, name, stuck, pods, outsideMesh }) => {
    if (outsideMesh || !moving.has(namespace)) return [];
    const because = stuck ?? unreachedBecause({ kind, isWatched: isWatchedKind(kind, kinds) });
    return because === undefined ? [] : [{ workload: `${namespace}/${kind}/${name}`, pods, because }];
  });
}

/** The injector looks at istio-injection first, then at istio.io/rev. */
export function shadowedBy({ namespaces }: Inventory): readonly Shadowed[] {
  return namespaces.flatMap(({ name, labels }) => {
    const label = ['istio-injection', 'istio.io/rev'].find((key) => labels.has(key));
    if (labels.get('istio-injection') === 'disabled') return [];
    return label === undefined ? [] : [{ namespace: name, label, value: labels.get(label) ?? '' }];
  });
}

/** The namespaces whose pods may have a sidecar: not those of the ambient mesh, and not those that switched injection off. */
export function sidecarNamespaces({ namespaces }: Inventory): readonly string[] {
  return namespaces
    .filter(
      ({ labels }) =>
        labels.get('istio.io/dataplane-mode') !== 'ambient' && labels.get('istio-injection') !== 'disabled',
    )
    .map(({ name }) => name);
}
