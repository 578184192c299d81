// The termination budget of a pod: when each container gets its signal at worst, and how long it then has (docs/explanation/pod-lifecycle.md).
//
//   deletion      all preStop hooks begin                           grace over          + 2 s
//      0 ├── preStop of a main ──┤ SIGTERM … its own time … ──────────▶│ SIGKILL
//        ├── preStop of a sidecar ┤ waits for its turn …… SIGTERM ────▶│ SIGTERM at the latest ──▶│ SIGKILL
import { type Container, type PodSpec, shapeOf } from '../pod/index.ts';
import type { HookTime } from './start.ts';

export interface StopStep {
  readonly container: string;
  readonly role: 'init' | 'sidecar' | 'main';
  readonly preStop:
    | { readonly kind: 'none' }
    | { readonly kind: 'known'; readonly ms: number }
    | { readonly kind: 'unknown' };
  /** Whose end it waits for before its signal. */
  readonly waitsFor: readonly string[];
  /** When its signal comes at the earliest (nobody needs any time) and at the latest. */
  readonly termMs: readonly [earliest: number, latest: number];
  /** When it is killed at the latest. */
  readonly killMs: number;
  readonly signal: string;
}

export interface Budget {
  /** The grace period that counts: at least 1 s. */
  readonly graceMs: number;
  readonly steps: readonly StopStep[];
  /** When nothing of the pod runs any more, at the latest. */
  readonly overMs: number;
}

/** The window between SIGTERM and SIGKILL that nobody goes below. */
export const leastWindowMs = 2000;

/** The budget of a deletion with the pod's own grace period, everything running. */
export function budgetOf(spec: PodSpec, hookTime: HookTime): Budget {
  const { inits, mains } = shapeOf(spec);
  const graceMs = Math.max(1, spec.terminationGracePeriodSeconds ?? 30) * 1000;
  const sidecars = inits.flatMap(({ container, role }) => (role === 'sidecar' ? [container] : []));
  const mainSteps = mains.map(({ container }) =>
    stepOf(container, 'main', { waitsFor: [], graceMs, earliestMs: 0, hookTime }),
  );
  const mainsEndMs = Math.max(0, ...mainSteps.map(({ termMs: [earliest] }) => earliest));
  const later = (index: number) => sidecars.slice(index + 1).map(({ name }) => name);
  let turnMs = mainsEndMs;
  const sidecarSteps = sidecars
    .map((container, index) => [container, later(index)] as const)
    .toReversed()
    .map(([container, after]) => {
      const waitsFor = [...mains.map(({ container: { name } }) => name), ...after.toReversed()];
      const step = stepOf(container, 'sidecar', { waitsFor, graceMs, earliestMs: turnMs, hookTime });
      turnMs = Math.max(turnMs, step.termMs[0]);
      return step;
    });
  const steps = [...mainSteps, ...sidecarSteps];
  return { graceMs, steps, overMs: Math.max(...steps.map(({ killMs }) => killMs)) };
}

interface Turn {
  readonly waitsFor: readonly string[];
  readonly graceMs: number;
  readonly earliestMs: number;
  readonly hookTime: HookTime;
}

function stepOf(
  container: Container,
  role: 'sidecar' | 'main',
  { waitsFor, graceMs, earliestMs, hookTime }: Turn,
): StopStep {
  const preStop = preStopOf(container, hookTime);
  const hookMs = preStop.kind === 'none' ? 0 : preStop.kind === 'known' ? Math.min(preStop.ms, graceMs) : graceMs;
  const shortest = preStop.kind === 'unknown' ? 0 : hookMs;
  const earliest = Math.min(graceMs, Math.max(shortest, earliestMs));
  const latest = waitsFor.length > 0 ? graceMs : hookMs;
  return {
    container: container.name,
    role,
    preStop,
    waitsFor,
    termMs: [earliest, latest],
    killMs: Math.max(graceMs, latest + leastWindowMs),
    signal: container.lifecycle?.stopSignal ?? 'SIGTERM',
  };
}

function preStopOf(container: Container, hookTime: HookTime): StopStep['preStop'] {
  if (container.lifecycle?.preStop === undefined) return { kind: 'none' };
  const ms = hookTime(container, 'preStop');
  return ms === undefined ? { kind: 'unknown' } : { kind: 'known', ms };
}
