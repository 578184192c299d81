// The pass of the worker as a list of steps: the first one is at work, perhaps waiting for an answer. Only moves within the list
// are here; what a step does is in machine-start.ts and machine-sync.ts.
import type { Draft } from './draft.ts';
import type { JobError, Step } from './state.ts';

/** The first step is done. */
export function nextStep({ state }: Draft): void {
  const job = state.job!;
  state.job = { ...job, steps: job.steps.slice(1), awaiting: undefined, acted: true };
}

/** The first step had nothing to do. */
export function skipStep({ state }: Draft): void {
  const job = state.job!;
  state.job = { ...job, steps: job.steps.slice(1), awaiting: undefined };
}

export function replaceStep({ state }: Draft, step: Step): void {
  const job = state.job!;
  state.job = { ...job, steps: [step, ...job.steps.slice(1)] };
}

/** The first step goes on when the call is answered. */
export function awaitCall({ state }: Draft, call: number): void {
  state.job = { ...state.job!, awaiting: call };
}

/** The first step has failed; the pass goes on with the next and ends with the error. */
export function failStep({ state }: Draft, error: JobError): void {
  const job = state.job!;
  state.job = { ...job, steps: job.steps.slice(1), awaiting: undefined, errors: [...job.errors, error] };
}

/** The pass ends here with the error. */
export function failJob({ state }: Draft, error: JobError): void {
  const job = state.job!;
  state.job = { ...job, steps: [], awaiting: undefined, errors: [...job.errors, error] };
}
