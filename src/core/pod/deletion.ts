// DELETE of a pod as the API server takes it: which grace counts, what a second DELETE changes, when the object goes at once
// (pkg/registry/core/pod/strategy.go).
import type { Pod } from './status.ts';
import { isTerminal } from './status-merge.ts';

export const defaultGraceSeconds = 30;

export type DeletionVerdict =
  /** The object is removed at once; watchers first see it marked. */
  | { readonly kind: 'remove' }
  | {
      readonly kind: 'mark';
      readonly deletionTimestamp: number;
      readonly graceSeconds: number;
      readonly first: boolean;
    }
  /** Already being deleted, and the request would not shorten that. */
  | { readonly kind: 'ignore' };

/** `requested`: gracePeriodSeconds of the DeleteOptions, undefined where unset. */
export function deletionVerdict(pod: Pod, requested: number | undefined, nowMs: number): DeletionVerdict {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  if (deletionTimestamp === undefined) return firstDeletion(pod, requested, nowMs);
  const before = deletionGracePeriodSeconds ?? 0;
  const wanted = requested === undefined ? before : notNegative(requested);
  if (wanted === 0) return { kind: 'remove' };
  if (wanted >= before) return { kind: 'ignore' };
  const moved = deletionTimestamp - before * 1000 + wanted * 1000;
  return moved >= nowMs
    ? { kind: 'mark', deletionTimestamp: moved, graceSeconds: wanted, first: false }
    : { kind: 'mark', deletionTimestamp: Math.floor(nowMs / 1000) * 1000, graceSeconds: 1, first: false };
}

function firstDeletion(pod: Pod, requested: number | undefined, nowMs: number): DeletionVerdict {
  const graceSeconds = notNegative(requested ?? pod.spec.terminationGracePeriodSeconds ?? defaultGraceSeconds);
  const atOnce = graceSeconds === 0 || pod.spec.nodeName === undefined || isTerminal(pod.status.phase);
  if (atOnce) return { kind: 'remove' };
  const deletionTimestamp = Math.floor(nowMs / 1000) * 1000 + graceSeconds * 1000;
  return { kind: 'mark', deletionTimestamp, graceSeconds, first: true };
}

/** The API stores a negative grace as 1, in a spec and in a request. */
export function notNegative(graceSeconds: number): number {
  return graceSeconds < 0 ? 1 : graceSeconds;
}
