// Why a kubelet ends a pod by itself, and what that means for grace, reason and DisruptionTarget (kubelet: eviction, preemption, nodeshutdown). Such a pod has no
// deletionTimestamp: its object remains, Failed, until somebody removes it. The deadline is not here: the machine keeps it.
import type { EndPodInput } from './input.ts';
import type { PodSpec } from './spec.ts';

export type EndCause =
  | { readonly kind: 'hardEviction'; readonly message: string }
  | { readonly kind: 'softEviction'; readonly message: string; readonly maxGraceSeconds: number }
  /** Ephemeral storage or an emptyDir beyond its limit: the pod's own doing, so no disruption. */
  | { readonly kind: 'localStorage'; readonly message: string }
  | { readonly kind: 'preemption'; readonly message: string }
  | { readonly kind: 'nodeShutdown'; readonly groupSeconds: number };

export function endPodInput(cause: EndCause, spec: PodSpec): EndPodInput {
  const own = spec.terminationGracePeriodSeconds ?? 30;
  const evicted = { kind: 'endPod', reason: 'Evicted' } as const;
  switch (cause.kind) {
    case 'hardEviction':
      return { ...evicted, message: cause.message, graceSeconds: 1, disruptionTarget: true };
    case 'softEviction': {
      const graceSeconds = Math.min(cause.maxGraceSeconds, own);
      return { ...evicted, message: cause.message, graceSeconds, disruptionTarget: true };
    }
    case 'localStorage':
      return { ...evicted, message: cause.message, graceSeconds: 1, disruptionTarget: false };
    case 'preemption': {
      const { message } = cause;
      return { kind: 'endPod', reason: 'Preempting', message, graceSeconds: undefined, disruptionTarget: true };
    }
    default:
      return {
        kind: 'endPod',
        reason: 'Terminated',
        message: 'Pod was terminated in response to imminent node shutdown.',
        graceSeconds: Math.min(own, cause.groupSeconds),
        disruptionTarget: true,
        keepsSuccess: true,
      };
  }
}
