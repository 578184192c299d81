// In-place resize: whether a new size is admitted now, later or never, and what it takes to get a running container
// there (kubelet: allocation/allocation_manager.go). Whether the API accepts the change at all is validation.
import { parseQuantity } from '../std/quantity.ts';
import type { Container, PodSpec, ResourceRequirements } from './spec.ts';
import type { QosClass } from './status.ts';

const resizable = ['cpu', 'memory'] as const;
type Resizable = (typeof resizable)[number];

/** Zero counts as unset, as in the API's own reckoning. */
function sizeOf(resources: ResourceRequirements | undefined, name: Resizable) {
  const value = (quantity: string | number | undefined) =>
    (quantity === undefined ? undefined : parseQuantity(String(quantity))) || undefined;
  return { request: value(resources?.requests?.[name]), limit: value(resources?.limits?.[name]) };
}

export interface NodeRoom {
  /** All that the node could ever give to pods. */
  readonly allocatable: Readonly<Record<string, string>> | undefined;
  /** What it can give to this pod now, its present size included. */
  readonly available: Readonly<Record<string, string>> | undefined;
}

export type ResizeVerdict =
  | { readonly kind: 'admitted' }
  | { readonly kind: 'Deferred' | 'Infeasible'; readonly message: string };

/** More than the node could ever hold is Infeasible; more than it can hold now is Deferred. */
export function resizeVerdict(spec: PodSpec, { allocatable, available }: NodeRoom): ResizeVerdict {
  for (const name of resizable) {
    if (exceeds(spec, allocatable, name)) return { kind: 'Infeasible', message: shortage(name, 'capacity') };
  }
  for (const name of resizable) {
    if (exceeds(spec, available, name)) return { kind: 'Deferred', message: shortage(name, 'resource') };
  }
  return { kind: 'admitted' };
}

function shortage(name: Resizable, what: 'capacity' | 'resource'): string {
  return `Node didn't have enough ${what}: ${name}`;
}

/** Whether the pod asks for more than there is; what is not told has no limit. */
function exceeds(spec: PodSpec, room: Readonly<Record<string, string>> | undefined, name: Resizable): boolean {
  const quantity = room?.[name];
  const limit = quantity === undefined ? undefined : parseQuantity(quantity);
  return limit !== undefined && requested(spec, name) > limit;
}

/** What the pod asks of its node: mains and sidecars together, or its largest regular init. */
function requested({ resources, containers, initContainers = [] }: PodSpec, name: Resizable): bigint {
  const own = resources && sizeOf(resources, name).request;
  if (own !== undefined) return own;
  const of = (container: Container) => sizeOf(container.resources, name).request ?? 0n;
  const staying = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  const sum = staying.reduce((total, container) => total + of(container), 0n);
  return initContainers.map(of).reduce((largest, each) => (each > largest ? each : largest), sum);
}

/** What a running container needs to get from one size to another. */
export function resizeAction(
  container: Container,
  from: ResourceRequirements | undefined,
  to: ResourceRequirements | undefined,
): 'none' | 'inPlace' | 'restart' {
  const changed = resizable.filter((name) => {
    const before = sizeOf(from, name);
    const after = sizeOf(to, name);
    return before.request !== after.request || before.limit !== after.limit;
  });
  if (changed.length === 0) return 'none';
  const restarts = changed.some((name) =>
    container.resizePolicy?.some(
      (policy) => policy.resourceName === name && policy.restartPolicy === 'RestartContainer',
    ),
  );
  return restarts ? 'restart' : 'inPlace';
}

/** The order in which deferred resizes of a node are tried again. */
export interface DeferredResize {
  readonly grows: boolean;
  readonly priority: number;
  readonly qosClass: QosClass;
  readonly sinceMs: number;
}

/** What does not grow first, then priority, Guaranteed before Burstable, and who waits longest. */
export function compareDeferred(a: DeferredResize, b: DeferredResize): number {
  const guaranteed = ({ qosClass }: DeferredResize) => (qosClass === 'Guaranteed' ? 0 : 1);
  return (
    Number(a.grows) - Number(b.grows) ||
    b.priority - a.priority ||
    guaranteed(a) - guaranteed(b) ||
    a.sinceMs - b.sinceMs
  );
}

/** A deferred resize is looked at again this often, and whenever room may have been made. */
export const resizeRetryMs = 180_000;
