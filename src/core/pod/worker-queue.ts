// When the pod's worker looks at it again after a pass, by how the pass ended (kubelet: pod_workers.go, completeWork).

export interface QueueLimits {
  readonly resyncMs: number;
  readonly errorMs: number;
  readonly networkMs: number;
}

export const kubeletQueue: QueueLimits = { resyncMs: 60_000, errorMs: 10_000, networkMs: 1000 };

export type PassError =
  | { readonly kind: 'error' }
  | { readonly kind: 'network' }
  | { readonly kind: 'backoff'; readonly remainingMs: number };

export interface PassResult {
  /** The pass moved the pod on (to terminating, to terminated). */
  readonly phaseTransition: boolean;
  readonly errors: readonly PassError[];
}

export interface Requeue {
  readonly delayMs: number;
  /** Multiplied by 1 … 1.5. */
  readonly jitter: boolean;
}

/** A phase transition at once; trouble with the network soonest, then the earliest back-off to end, then other errors. */
export function requeue({ phaseTransition, errors }: PassResult, limits: QueueLimits): Requeue {
  if (phaseTransition) return { delayMs: 0, jitter: false };
  if (errors.length === 0) return { delayMs: limits.resyncMs, jitter: true };
  if (errors.some(({ kind }) => kind === 'network')) return { delayMs: limits.networkMs, jitter: true };
  const remaining = errors.flatMap((error) => (error.kind === 'backoff' ? [error.remainingMs] : []));
  if (remaining.length === 0) return { delayMs: limits.errorMs, jitter: true };
  return { delayMs: Math.min(Math.max(Math.min(...remaining), 0), limits.resyncMs), jitter: true };
}
