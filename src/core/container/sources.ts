// Where a container's settings come from beside its own spec: config maps and secrets given with the pod, and facts of the pod
// and the node that only the node knows. Pure lookups; a missing thing is told as the kubelet tells it.
import { parseQuantity } from '../std/quantity.ts';
import { formatLabels } from './downward.ts';
import type { ResourceFieldRef } from './shape.ts';

/** What a key holds: text, or bytes where it is no UTF-8. */
export type Content = string | Uint8Array;

/** A config map or secret, its base64 decoded. */
export interface KeyedFiles {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
  readonly data: Readonly<Record<string, Content>>;
}

/** What the node knows of a pod when it sets up a container. */
export interface PodFacts {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly nodeName: string;
  readonly serviceAccountName: string;
  readonly hostIP: string;
  /** Unknown until there is a sandbox; volumes are made before. */
  readonly podIP: string | undefined;
  /** What an unset limit means: the node's own, in cores and bytes. */
  readonly nodeCpus: number;
  readonly nodeMemoryBytes: number;
}

export interface Sources {
  readonly facts: PodFacts;
  readonly objects: readonly KeyedFiles[];
}

/** A value, or why there is none. */
export type Lookup<T> =
  | { readonly found: true; readonly value: T }
  | { readonly found: false; readonly message: string };

export function findObject(sources: Sources, kind: KeyedFiles['kind'], name: string): Lookup<KeyedFiles> {
  const { namespace } = sources.facts;
  const object = sources.objects.find((one) => one.kind === kind && one.name === name && one.namespace === namespace);
  if (object !== undefined) return { found: true, value: object };
  return { found: false, message: `${kind.toLowerCase()} "${name}" not found` };
}

/** The value of a `fieldRef`; whole maps are allowed in volumes only, which is validation's matter. */
export function fieldValue(facts: PodFacts, path: string): Lookup<string> {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed !== null) return { found: true, value: facts[keyed[1] as 'labels' | 'annotations'][keyed[2] ?? ''] ?? '' };
  const value = plainFields[path]?.(facts);
  if (value === undefined) return { found: false, message: `unsupported fieldPath: ${path}` };
  return { found: true, value };
}

const plainFields: Readonly<Record<string, (facts: PodFacts) => string>> = {
  'metadata.name': (facts) => facts.name,
  'metadata.namespace': (facts) => facts.namespace,
  'metadata.uid': (facts) => facts.uid,
  'metadata.labels': (facts) => formatLabels(facts.labels),
  'metadata.annotations': (facts) => formatLabels(facts.annotations),
  'spec.nodeName': (facts) => facts.nodeName,
  'spec.serviceAccountName': (facts) => facts.serviceAccountName,
  'status.hostIP': (facts) => facts.hostIP,
  'status.hostIPs': (facts) => facts.hostIP,
  'status.podIP': (facts) => facts.podIP ?? '',
  'status.podIPs': (facts) => facts.podIP ?? '',
};

/** The resources of a container, as `resourceFieldRef` reads them. */
export interface Resources {
  readonly requests?: Readonly<Record<string, string | number>> | undefined;
  readonly limits?: Readonly<Record<string, string | number>> | undefined;
}

/** A limit or request in units of the divisor, rounded up; what is not set is the node's own. */
export function resourceValue(facts: PodFacts, resources: Resources, ref: ResourceFieldRef): Lookup<string> {
  const [list = '', name = ''] = ref.resource.split(/\.(.*)/);
  if ((list !== 'limits' && list !== 'requests') || name === '') {
    return { found: false, message: `unsupported resource: ${ref.resource}` };
  }
  const written = resources[list]?.[name] ?? (list === 'requests' ? resources.limits?.[name] : undefined);
  const whole = { cpu: facts.nodeCpus, memory: facts.nodeMemoryBytes }[name];
  const amount = quantityIn(written ?? (list === 'limits' ? whole : undefined) ?? 0, ref.divisor ?? 1);
  if (amount === undefined) return { found: false, message: `not a quantity: ${written} in ${ref.divisor ?? 1}` };
  return { found: true, value: String(amount) };
}

/** `amount` in units of `divisor`, rounded up. */
function quantityIn(amount: string | number, divisor: string | number): bigint | undefined {
  const above = parseQuantity(String(amount));
  const below = parseQuantity(String(divisor));
  if (above === undefined || below === undefined || below <= 0n) return undefined;
  return (above + below - 1n) / below;
}
