// The Pod lifecycle machine: createPod makes the first state, transition takes one input. Pure; see runtime.ts for how a shell
// drives it. This file is only the door of the machine; the decisions live in the files that it imports.
import { InvariantError } from '../std/errors.ts';
import type { Effect } from './effect.ts';
import type { Input } from './input.ts';
import type { Policy } from './policy.ts';
import type { ObjectMeta, PodSpec } from './spec.ts';
import type { PodState } from './state.ts';

export type Transition = readonly [state: PodState, effects: readonly Effect[]];

export interface Manifest {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** A pod as the API server has just stored it. The manifest is taken as valid (see validation). */
export function createPod(policy: Policy, manifest: Manifest, nowMs: number): Transition {
  throw new InvariantError(`not there yet: ${policy.version} ${manifest.metadata.name} ${nowMs}`);
}

/** One step: total, deterministic, `nowMs` never less than in the step before. */
export function transition(policy: Policy, state: PodState, input: Input, nowMs: number): Transition {
  throw new InvariantError(`not there yet: ${policy.version} ${state.worker} ${input.kind} ${nowMs}`);
}

/** When to feed `tick` if nothing else comes; Infinity: never. */
export function wakeAtMs(state: PodState): number {
  return state.wakeAtMs;
}

/** Nothing can happen any more: the kubelet is done with the pod, and the object is gone or in a terminal phase. */
export function isOver(state: PodState): boolean {
  return (
    state.worker === 'finished' &&
    (state.gone || state.api.status.phase === 'Failed' || state.api.status.phase === 'Succeeded')
  );
}
