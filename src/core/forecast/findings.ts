// What a pod's spec alone says will go wrong when the pod ends: hooks longer than the grace period, and no grace for a hook at all.
import type { PodSpec } from '../pod/index.ts';
import type { Problem } from '../std/errors.ts';
import { type Budget, leastWindowMs, type StopStep } from './budget.ts';

/** Findings about the termination, worst first; `path` is the spec's place in the manifest. */
export function budgetFindings(spec: PodSpec, budget: Budget, path = 'spec'): readonly Problem[] {
  return budget.steps.flatMap((step) => {
    const found = findingOf(spec, step, budget.graceMs);
    return found === undefined ? [] : [{ ...found, path: `${path}.${placeOf(spec, step)}.lifecycle.preStop` }];
  });
}

function findingOf(
  spec: PodSpec,
  { container, preStop, signal }: StopStep,
  graceMs: number,
): Omit<Problem, 'path'> | undefined {
  if (preStop.kind === 'none') return undefined;
  const grace = graceMs / 1000;
  const raise =
    'raise terminationGracePeriodSeconds above the hook and what the process needs after it, or shorten the hook';
  if ((spec.terminationGracePeriodSeconds ?? 30) <= 0)
    return {
      code: 'prestop-without-grace',
      severity: 'error',
      message: `hook will not finish: ${container} has a preStop hook, but the grace period is ${spec.terminationGracePeriodSeconds} s, it is cut after 1 s`,
      hint: raise,
    };
  if (preStop.kind === 'unknown') return undefined;
  const hook = preStop.ms === Number.POSITIVE_INFINITY ? 'for ever' : `${preStop.ms / 1000} s`;
  if (preStop.ms > graceMs)
    return {
      code: 'prestop-exceeds-grace',
      severity: 'error',
      message: `preStop ${hook} > grace ${grace} s: the hook of ${container} is cut at ${grace} s, ${signal} comes only then, and SIGKILL at ${(graceMs + leastWindowMs) / 1000} s`,
      hint: raise,
    };
  if (preStop.ms > graceMs - leastWindowMs)
    return {
      code: 'prestop-takes-all-grace',
      severity: 'warning',
      message: `preStop ${hook} of grace ${grace} s: ${container} has ${leastWindowMs / 1000} s after ${signal}, whatever it needs`,
      hint: raise,
    };
  return undefined;
}

function placeOf(spec: PodSpec, { container, role }: StopStep): string {
  const field = role === 'main' ? 'containers' : 'initContainers';
  return `${field}[${(spec[field] ?? []).findIndex(({ name }) => name === container)}]`;
}
