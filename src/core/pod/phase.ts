// The pod's phase out of its containers' statuses (kubelet_pods.go, getPhase). Which computed phase is then kept, withheld or overruled
// is the business of status-merge.ts.
import { type RestartGates, restartsAfterExit } from './restart.ts';
import type { PodShape, Slot } from './shape.ts';
import type { ContainerStatus, PodPhase, TerminatedState } from './status.ts';

export interface PhaseInput {
  readonly shape: PodShape;
  /** Regular inits, sidecars and mains; `started` as it was in the status before this one. */
  readonly statusOf: (container: string) => ContainerStatus | undefined;
  /** The worker has ended all containers. */
  readonly terminal: boolean;
  /** Some main has a record in the active sandbox. */
  readonly initialized: boolean;
  readonly isStatic: boolean;
  readonly gates: RestartGates;
}

/** What happened to a container because all of its pod's containers were restarted. */
export const restartingAll = 'RestartingAllContainers';

interface Count {
  pendingInit: number;
  failedInit: number;
  pendingSidecar: number;
  waiting: number;
  unknown: number;
  running: number;
  stopped: number;
  succeeded: number;
  stoppedForGood: number;
}

export function podPhase(input: PhaseInput): PodPhase {
  const count = countContainers(input);
  if (count.failedInit > 0) return 'Failed';
  if (count.pendingInit > 0 || (count.pendingSidecar > 0 && !input.initialized) || count.waiting > 0) return 'Pending';
  if (count.unknown > 0) return 'Pending';
  if (count.running > 0) return 'Running';
  return count.stopped > 0 ? phaseOfStopped(count, input) : 'Pending';
}

function phaseOfStopped(count: Count, { terminal, isStatic }: PhaseInput): PodPhase {
  const allSucceeded = count.stopped === count.succeeded;
  if (terminal && !isStatic) return allSucceeded ? 'Succeeded' : 'Failed';
  if (count.stopped > count.stoppedForGood) return 'Running';
  return allSucceeded ? 'Succeeded' : 'Failed';
}

function countContainers(input: PhaseInput): Count {
  const count: Count = {
    pendingInit: 0,
    failedInit: 0,
    pendingSidecar: 0,
    waiting: 0,
    unknown: 0,
    running: 0,
    stopped: 0,
    succeeded: 0,
    stoppedForGood: 0,
  };
  for (const slot of input.shape.inits) {
    if (slot.role === 'sidecar') countSidecar(count, input.statusOf(slot.container.name));
    else countInit(count, slot, input);
  }
  for (const slot of input.shape.mains) countMain(count, slot, input);
  return count;
}

function countInit(count: Count, slot: Slot, input: PhaseInput): void {
  const status = input.statusOf(slot.container.name);
  const ended = status?.state.terminated ?? (status?.state.waiting ? status.lastState?.terminated : undefined);
  if (ended === undefined) count.pendingInit++;
  else if (ended.exitCode !== 0 && !startsAgain(slot, ended, input)) count.failedInit++;
}

function countSidecar(count: Count, status: ContainerStatus | undefined): void {
  if (status === undefined) {
    count.pendingSidecar++;
    count.unknown++;
  } else if (status.state.running) {
    count.running++;
    if (!status.started) count.pendingSidecar++;
  } else if (status.state.waiting && status.lastState?.terminated === undefined) {
    count.pendingSidecar++;
    count.waiting++;
  }
}

function countMain(count: Count, slot: Slot, input: PhaseInput): void {
  const status = input.statusOf(slot.container.name);
  if (status === undefined) count.unknown++;
  else if (status.state.running) count.running++;
  else if (status.state.terminated) countStopped(count, slot, { ended: status.state.terminated, own: true }, input);
  else if (status.lastState?.terminated) {
    countStopped(count, slot, { ended: status.lastState.terminated, own: false }, input);
  } else count.waiting++;
}

/** `own`: it is terminated, not waiting to run again; only then may it count as succeeded. */
function countStopped(
  count: Count,
  slot: Slot,
  { ended, own }: { readonly ended: TerminatedState; readonly own: boolean },
  input: PhaseInput,
): void {
  count.stopped++;
  if (own && ended.exitCode === 0) count.succeeded++;
  if (!startsAgain(slot, ended, input)) count.stoppedForGood++;
}

function startsAgain({ container }: Slot, ended: TerminatedState, { shape, gates }: PhaseInput): boolean {
  return ended.reason === restartingAll || restartsAfterExit(container, shape.restartPolicy, ended.exitCode, gates);
}
