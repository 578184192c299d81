// The probe worker's rules: when it probes, what an answer does to its counters and to the published result, when it ends
// (kubelet: prober/worker.go). One worker a container and kind. The ticks are the caller's.
import type { ProbeKind } from './effect.ts';
import type { ProbeAnswer } from './input.ts';
import { restartingAll } from './phase.ts';
import { type RestartGates, restartsAfterExit } from './restart.ts';
import type { Slot } from './shape.ts';
import type { Container, Probe, RestartPolicy } from './spec.ts';
import type { ProbeResult, ProbeWorker } from './state.ts';
import type { ContainerStatus, PodPhase } from './status.ts';

export const probeKinds = ['startup', 'liveness', 'readiness'] as const;

export function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  if (kind === 'startup') return container.startupProbe;
  return kind === 'liveness' ? container.livenessProbe : container.readinessProbe;
}

/** Zero and unset mean the default, as the API server fills them in. */
export const probePeriodMs = ({ periodSeconds }: Probe): number => (periodSeconds || 10) * 1000;
export const probeTimeoutMs = ({ timeoutSeconds }: Probe): number => (timeoutSeconds || 1) * 1000;
export const failureThresholdOf = ({ failureThreshold }: Probe): number => failureThreshold || 3;
export const successThresholdOf = ({ successThreshold }: Probe): number => successThreshold || 1;

/** What a new run counts as before its first verdict. */
export const initialResult: Readonly<Record<ProbeKind, ProbeResult>> = {
  startup: 'unknown',
  liveness: 'success',
  readiness: 'failure',
};

export interface RoundInput {
  readonly kind: ProbeKind;
  readonly slot: Slot;
  readonly spec: Probe;
  /** undefined: the kubelet has no status of the pod yet. */
  readonly phase: PodPhase | undefined;
  readonly status: ContainerStatus | undefined;
  readonly onHold: boolean;
  readonly deleting: boolean;
  readonly podPolicy: RestartPolicy;
  readonly gates: RestartGates;
  readonly nowMs: number;
}

export type Round =
  | { readonly does: 'end'; readonly publish?: ProbeResult }
  | { readonly does: 'wait'; readonly publish?: ProbeResult }
  | { readonly does: 'probe' };

/** One tick of one worker. */
export function probeRound(input: RoundInput): Round {
  const { kind, status, phase } = input;
  if (phase === 'Failed' || phase === 'Succeeded') return { does: 'end' };
  if (phase === undefined || status === undefined || !hasRun(status) || input.onHold) return { does: 'wait' };
  if (!status.state.running) {
    return { does: goesOn(input, status) ? 'wait' : 'end', publish: 'failure' };
  }
  if (input.deleting && kind !== 'readiness') return { does: 'end', publish: 'success' };
  if (input.nowMs < firstProbeMs(input.spec, status.state.running.startedAt)) return { does: 'wait' };
  if (status.started === (kind === 'startup')) return { does: 'wait' };
  return { does: 'probe' };
}

function hasRun(status: ContainerStatus): boolean {
  return status.containerID !== undefined;
}

/** initialDelaySeconds counts whole seconds since the start. */
export function firstProbeMs(spec: Probe, startedAtMs: number): number {
  return startedAtMs + (spec.initialDelaySeconds ?? 0) * 1000;
}

function goesOn({ slot, podPolicy, gates }: RoundInput, status: ContainerStatus): boolean {
  const ended = status.state.terminated;
  return ended === undefined || outlivesEnd(slot, ended, podPolicy, gates);
}

/** Whether a worker waits for another run after its container ended. */
export function outlivesEnd(
  { container, role }: Slot,
  ended: { readonly exitCode: number; readonly reason?: string | undefined },
  podPolicy: RestartPolicy,
  gates: RestartGates,
): boolean {
  if (role === 'sidecar' || ended.reason === restartingAll) return true;
  return restartsAfterExit(container, podPolicy, ended.exitCode, gates);
}

/** The worker after an answer: counters, and the published result where a threshold was reached. */
export function afterAnswer(worker: ProbeWorker, answer: ProbeAnswer, spec: Probe): ProbeWorker {
  if (answer === 'unknown') return { ...worker, call: undefined };
  const result: ProbeResult = answer === 'failure' ? 'failure' : 'success';
  const resultRun = worker.lastResult === result ? worker.resultRun + 1 : 1;
  const needed = result === 'failure' ? failureThresholdOf(spec) : successThresholdOf(spec);
  const counted: ProbeWorker = { ...worker, call: undefined, lastResult: result, resultRun };
  if (resultRun < needed) return counted;
  const isVerdict = worker.kind === 'startup' || (worker.kind === 'liveness' && result === 'failure');
  return isVerdict ? { ...counted, published: result, onHold: true, resultRun: 0 } : { ...counted, published: result };
}

/** A worker that sees another run: probing goes on, the published result starts over, the counters do not. */
export function adoptRun(worker: ProbeWorker, instance: string, published: ProbeResult | undefined): ProbeWorker {
  return { ...worker, instance, published, onHold: false };
}

/** The first tick after `nowMs` and not before `notBeforeMs`. */
export function nextTickMs(
  { baseMs, periodMs }: Pick<ProbeWorker, 'baseMs' | 'periodMs'>,
  nowMs: number,
  notBeforeMs: number,
): number {
  const next = baseMs + (Math.floor((nowMs - baseMs) / periodMs) + 1) * periodMs;
  if (next >= notBeforeMs) return next;
  return baseMs + Math.ceil((notBeforeMs - baseMs) / periodMs) * periodMs;
}
