// What keeps a namespace or workload on its revision although rollouts.yml moves it.
import type { Inventory, Stuck } from '../inventory/index.ts';

/** A workload of a moving namespace whose pods cannot follow by being replaced. */
export interface StuckWorkload {
  /** namespace/kind/name */
  readonly workload: string;
  readonly because: Stuck;
}

/** A namespace whose own label decides, so that the pods' label is ignored. */
export interface Shadowed {
  readonly namespace: string;
  readonly label: string;
  readonly value: string;
}

export function stuckIn({ workloads }: Inventory, moving: ReadonlySet<string>): readonly StuckWorkload[] {
  return workloads.flatMap(({ namespace, kind, name, stuck }) =>
    stuck !== undefined && moving.has(namespace) ? [{ workload: `${namespace}/${kind}/${name}`, because: stuck }] : [],
  );
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
