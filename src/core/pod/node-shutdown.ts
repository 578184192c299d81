// Graceful node shutdown: which pods end together, in which order, and with how much time (pkg/kubelet/nodeshutdown). The node's own condition
// and the inhibitor lock are the shell's.
import type { Pod } from './status.ts';

/** Pods of a priority from this on up to the next group's have this long, all together. */
export interface ShutdownGroup {
  readonly priority: number;
  readonly seconds: number;
}

/** From here on a pod is critical. */
export const criticalPriority = 2_000_000_000;

/** The older pair of settings as groups; no groups where it asks for nothing, or for more critical time than there is. */
export function shutdownGroups(totalSeconds: number, criticalSeconds: number): readonly ShutdownGroup[] {
  if (totalSeconds === 0 || criticalSeconds > totalSeconds) return [];
  return [
    { priority: 0, seconds: totalSeconds - criticalSeconds },
    { priority: criticalPriority, seconds: criticalSeconds },
  ];
}

export interface ShutdownStep {
  readonly group: ShutdownGroup;
  readonly pods: readonly Pod[];
}

/** Groups from low to high priority, each with its pods: a pod is in the highest group not above it, or else in the lowest. */
export function shutdownSteps(groups: readonly ShutdownGroup[], pods: readonly Pod[]): readonly ShutdownStep[] {
  const ordered = groups.toSorted((a, b) => a.priority - b.priority);
  const groupOf = (pod: Pod) => ordered.findLast(({ priority }) => priority <= (pod.spec.priority ?? 0)) ?? ordered[0];
  return ordered.map((group) => ({ group, pods: pods.filter((pod) => groupOf(pod) === group) }));
}

/** The grace of one pod in its group. */
export function shutdownGrace(pod: Pod, { seconds }: ShutdownGroup): number {
  return Math.min(pod.spec.terminationGracePeriodSeconds ?? seconds, seconds);
}
