// What a pod's spec says about each of its containers, worked out once a spec: roles, order, and whether rules exist. The memo
// is keyed by the spec object, which nobody changes. Nothing here depends on what has happened to the pod.
import type { ContainerRole } from './effect.ts';
import type { Container, PodSpec, RestartPolicy } from './spec.ts';

export interface Slot {
  readonly container: Container;
  readonly role: ContainerRole;
}

export interface PodShape {
  readonly inits: readonly Slot[];
  readonly mains: readonly Slot[];
  readonly ephemerals: readonly Slot[];
  readonly byName: ReadonlyMap<string, Slot>;
  readonly restartPolicy: RestartPolicy;
  readonly hasSidecar: boolean;
  readonly hasRestartAllRule: boolean;
}

const memo = new WeakMap<PodSpec, PodShape>();

export function shapeOf(spec: PodSpec): PodShape {
  const known = memo.get(spec);
  if (known !== undefined) return known;
  const shape = workOut(spec);
  memo.set(spec, shape);
  return shape;
}

function workOut(spec: PodSpec): PodShape {
  const inits = (spec.initContainers ?? []).map((container) =>
    slot(container, isSidecar(container) ? 'sidecar' : 'init'),
  );
  const mains = spec.containers.map((container) => slot(container, 'main'));
  const ephemerals = (spec.ephemeralContainers ?? []).map((container) => slot(container, 'ephemeral'));
  const all = [...inits, ...mains, ...ephemerals];
  return {
    inits,
    mains,
    ephemerals,
    byName: new Map(all.map((each) => [each.container.name, each])),
    restartPolicy: spec.restartPolicy ?? 'Always',
    hasSidecar: inits.some(({ role }) => role === 'sidecar'),
    hasRestartAllRule: all.some(({ container }) => hasRestartAllRule(container)),
  };
}

function slot(container: Container, role: ContainerRole): Slot {
  return { container, role };
}

/** A native sidecar: an init container that stays. */
export function isSidecar(init: Container): boolean {
  return init.restartPolicy === 'Always';
}

export function hasRestartAllRule(container: Container): boolean {
  return container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') ?? false;
}
