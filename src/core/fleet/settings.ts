// What the settings of a fleet mean for one namespace and revision, and by when an upgrade ends at the latest.
import { createMatcher } from '../pattern/index.ts';
import type { Fleet } from './fleet.ts';

/** How long after its last deploy a workload is labelled anew: of all that apply, the shortest. */
export function remutateAfterMs(fleet: Fleet, bucket: string, revision: string): number {
  const own = fleet.revisions?.get(revision)?.remutateAfterMs ?? fleet.buckets.get(bucket)?.remutateAfterMs;
  return own ?? fleet.remutateAfterMs;
}

/** What admission does with a pod without the label, by namespace: the longest pattern that matches decides. */
export function unlabelledAction(fleet: Fleet): (namespace: string) => 'label' | 'leave' {
  const matcher = createMatcher(fleet.unlabelled);
  return (namespace) => matcher.longest(namespace)[0]?.action ?? 'leave';
}

/** Karpenter's default expireAfter: what a node's life is where nobody set it. */
export const usualNodeLifetimeMs = 720 * 3_600_000;

/** When every pod follows an edit at the latest, after the edit. */
export interface CompletionBound {
  /** A: the longest age at which a workload is labelled anew. */
  readonly ageMs: number;
  /** L: the longest life of a node. */
  readonly nodeLifetimeMs: number;
  /** The longest time that a node takes to drain. */
  readonly drainMs: number;
  readonly totalMs: number;
  /** Nobody set the node's life: Karpenter's default is counted. */
  readonly assumedLifetime: boolean;
}

/** A + L + drain (docs/reference/fleet-file.md): after A every new pod is labelled anew, and within L every pod is a new one. */
export function completionBound(fleet: Fleet, drainMs: number): CompletionBound {
  const overrides = [...fleet.buckets.values(), ...(fleet.revisions?.values() ?? [])].flatMap(
    (one) => one.remutateAfterMs ?? [],
  );
  const ageMs = Math.max(fleet.remutateAfterMs, ...overrides);
  const nodeLifetimeMs = fleet.maxNodeLifetimeMs ?? usualNodeLifetimeMs;
  return {
    ageMs,
    nodeLifetimeMs,
    drainMs,
    totalMs: ageMs + nodeLifetimeMs + drainMs,
    assumedLifetime: fleet.maxNodeLifetimeMs === undefined,
  };
}
