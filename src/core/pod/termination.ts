// How long a kill may take and who waits for whom: grace of the pod and of one container, the order of sidecars, the stop
// window (kubelet: pod_workers.go, kuberuntime_container.go, kuberuntime_termination_order.go). Durations in seconds, because the API and the kubelet count whole ones.
import type { PodShape, Slot } from './shape.ts';
import type { Container } from './spec.ts';
import type { Instance, KillReason } from './state.ts';

/** The runtime is always given this long between the signal and KILL. */
export const minimumStopSeconds = 2;
/** A pod's effective grace is never less. */
export const minimumGraceSeconds = 1;

export interface GraceSources {
  readonly specSeconds: number | undefined;
  readonly deletionSeconds: number | undefined;
  /** Of an eviction, preemption or node shutdown: replaces the others. */
  readonly overrideSeconds?: number | undefined;
}

/** The pod's grace as its worker counts it: override, else deletion's, else the spec's; never below 1. */
export function podGraceSeconds({ specSeconds, deletionSeconds, overrideSeconds }: GraceSources): number {
  return Math.max(minimumGraceSeconds, overrideSeconds ?? deletionSeconds ?? specSeconds ?? 0);
}

/** The grace of one container's kill where its pod goes on: deletion's, else the failed probe's own, else the spec's. */
export function killGraceSeconds(
  reason: KillReason,
  container: Container,
  { specSeconds, deletionSeconds }: GraceSources,
): number {
  if (deletionSeconds !== undefined) return deletionSeconds;
  if (specSeconds === undefined) return minimumStopSeconds;
  return probeGrace(reason, container) ?? specSeconds;
}

function probeGrace(reason: KillReason, container: Container): number | undefined {
  if (reason === 'startup') return container.startupProbe?.terminationGracePeriodSeconds;
  return reason === 'liveness' ? container.livenessProbe?.terminationGracePeriodSeconds : undefined;
}

/** Whether preStop runs at all, and what is left of the grace after a part of it was spent: whole seconds, rounded down. */
export function runsPreStop(container: Container, graceSeconds: number): boolean {
  return container.lifecycle?.preStop !== undefined && graceSeconds > 0;
}

export function remainingSeconds(graceSeconds: number, spentMs: number): number {
  return graceSeconds - Math.floor(spentMs / 1000);
}

export function stopWindowSeconds(remaining: number): number {
  return Math.max(minimumStopSeconds, remaining);
}

/**
 * Whom a container's signal waits for. Only sidecars wait, and only in a pod that has one: for every running main and for the
 * next later running sidecar, which waits in turn; so sidecars end in reverse order.
 */
export function endsAfter(slot: Slot, shape: PodShape, running: readonly Instance[]): readonly Instance[] {
  if (slot.role !== 'sidecar') return [];
  const roleOf = ({ container }: Instance) => shape.byName.get(container)?.role;
  const mains = running.filter((instance) => roleOf(instance) === 'main');
  const later = shape.inits.slice(shape.inits.indexOf(slot) + 1);
  const next = later
    .map(({ container }) =>
      running.find((instance) => instance.container === container.name && roleOf(instance) === 'sidecar'),
    )
    .find((instance) => instance !== undefined);
  return next === undefined ? mains : [...mains, next];
}
