// One container's status out of the runtime's records and the status before: which state is shown, what lastState and
// restartCount are when records are missing, and when a failed start hides the end of a run (kubelet_pods.go, convertToAPIContainerStatuses).
import { restartingAll } from './phase.ts';
import { newestRun } from './records.ts';
import { type RestartGates, shouldStart } from './restart.ts';
import type { PodShape, Slot } from './shape.ts';
import type { Instance, RuntimeView, StartError } from './state.ts';
import type { ContainerState, ContainerStatus, TerminatedState } from './status.ts';

export interface StatusContext {
  readonly shape: PodShape;
  readonly view: RuntimeView;
  readonly previousOf: (container: string) => ContainerStatus | undefined;
  readonly startErrorOf: (container: string) => StartError | undefined;
  readonly deleting: boolean;
  /** RestartAllContainers is under way, judged by records or by the status before. */
  readonly restartAll: boolean;
  /** Some main has been started in the active sandbox. */
  readonly mainStarted: boolean;
  readonly gates: RestartGates & { readonly ContainerStopSignals: boolean };
}

export const statusUnknown = 'ContainerStatusUnknown';
export const goneAtTermination = 'The container could not be located when the pod was terminated';
const goneAtDeletion = 'The container could not be located when the pod was deleted.  The container used to be Running';
const initRecordGone =
  'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';
const restartedByRule = 'The container is removed because RestartAllContainers in place';

/** Ready and started are what the status before said; probes are merged by readiness.ts. */
export function containerStatus(slot: Slot, context: StatusContext): ContainerStatus {
  const { name } = slot.container;
  const previous = context.previousOf(name);
  const newest = newestRun(context.view, name);
  const status =
    newest === undefined ? withoutRecord(slot, previous, context) : withRecord(slot, newest, previous, context);
  return asWaiting(slot, status, context);
}

function blank({ container, role }: Slot, shape: PodShape): ContainerStatus {
  const reason = shape.inits.length > 0 && role !== 'ephemeral' ? 'PodInitializing' : 'ContainerCreating';
  return {
    name: container.name,
    image: container.image,
    state: { waiting: { reason } },
    restartCount: 0,
    ready: false,
    started: false,
  };
}

function withoutRecord(slot: Slot, previous: ContainerStatus | undefined, context: StatusContext): ContainerStatus {
  if (context.restartAll && slot.role !== 'ephemeral' && hasRun(previous)) return restartingStatus(previous);
  if (previous?.state.terminated) return previous;
  const empty = blank(slot, context.shape);
  if (slot.role === 'init' && context.mainStarted) {
    return {
      ...empty,
      ...carried(previous),
      state: { terminated: { exitCode: 0, reason: 'Completed', message: initRecordGone } },
    };
  }
  if (!previous?.state.running) return { ...empty, ...carried(previous) };
  return {
    ...empty,
    restartCount: previous.restartCount + (context.deleting ? 0 : 1),
    lastState: { terminated: { exitCode: 137, reason: statusUnknown, message: goneAtDeletion } },
  };
}

function carried(previous: ContainerStatus | undefined): Partial<ContainerStatus> {
  return previous === undefined ? {} : { restartCount: previous.restartCount, lastState: previous.lastState };
}

/** It had a record until now: it ran, ended, or waited after a failed start. */
function hasRun(previous: ContainerStatus | undefined): previous is ContainerStatus {
  if (previous === undefined) return false;
  const { waiting } = previous.state;
  if (waiting === undefined) return true;
  return previous.lastState?.terminated !== undefined && !waitsFirst(waiting.reason);
}

function waitsFirst(reason: string | undefined): boolean {
  return reason === 'PodInitializing' || reason === 'ContainerCreating';
}

/** Removed by RestartAllContainers and not yet started again. Counted once, however often it is looked at. */
function restartingStatus(previous: ContainerStatus): ContainerStatus {
  if (previous.state.waiting?.reason === restartingAll) return previous;
  return {
    ...previous,
    containerID: undefined,
    restartCount: previous.restartCount + 1,
    started: false,
    state: { waiting: { reason: restartingAll, message: restartedByRule } },
    lastState: { terminated: { exitCode: 137, reason: restartingAll, message: restartedByRule } },
  };
}

function withRecord(
  slot: Slot,
  newest: Instance,
  previous: ContainerStatus | undefined,
  context: StatusContext,
): ContainerStatus {
  const older = secondRun(context.view, newest);
  const id = newest.containerID ?? newest.id;
  const other = previous !== undefined && previous.containerID !== id;
  const ended = other ? previous.state.terminated : undefined;
  const state = stateOf(newest, previous);
  return {
    name: newest.container,
    image: slot.container.image,
    containerID: id,
    state,
    lastState: older === undefined ? (ended ? { terminated: ended } : previous?.lastState) : stateOf(older, undefined),
    restartCount: Math.max(newest.restartCount, previous?.restartCount ?? 0, ended ? previous!.restartCount + 1 : 0),
    ready: false,
    started: state.running !== undefined && previous?.started === true && !other,
    stopSignal: context.gates.ContainerStopSignals ? slot.container.lifecycle?.stopSignal : undefined,
    allocatedResources: previous?.allocatedResources,
    resources: newest.state === 'running' ? newest.resources : previous?.resources,
  };
}

function secondRun(view: RuntimeView, newest: Instance): Instance | undefined {
  let seen = 0;
  for (const instance of view.instances) if (instance.container === newest.container && seen++ === 1) return instance;
  return undefined;
}

function stateOf(run: Instance, previous: ContainerStatus | undefined): ContainerState {
  if (run.state === 'running') return { running: { startedAt: wholeSecond(run.startedAtMs) } };
  if (run.state === 'exited') return { terminated: terminated(run) };
  return run.state === 'unknown' && previous?.state.running
    ? { terminated: { exitCode: 137, reason: statusUnknown, message: goneAtTermination } }
    : { waiting: {} };
}

function terminated(run: Instance): TerminatedState {
  return {
    exitCode: run.exitCode,
    signal: run.signal,
    reason: run.reason,
    message: run.message,
    startedAt: wholeSecond(run.startedAtMs),
    finishedAt: wholeSecond(run.finishedAtMs),
    containerID: run.containerID ?? run.id,
  };
}

/** The API keeps times to the second. */
export function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

/**
 * A container that is to start and could not lately waits, and what ended before becomes its last state. Not so an init
 * container that ended with 0, and a sidecar counts as one here: it stays terminated while it waits.
 */
function asWaiting(slot: Slot, status: ContainerStatus, context: StatusContext): ContainerStatus {
  const error = context.startErrorOf(slot.container.name);
  if (error === undefined || slot.role === 'ephemeral') return status;
  const newest = newestRun(context.view, slot.container.name);
  if (slot.role !== 'main' && newest?.state === 'exited' && newest.exitCode === 0) return status;
  const question = {
    container: slot.container,
    podPolicy: context.shape.restartPolicy,
    newest,
    deleting: context.deleting,
  };
  if (!shouldStart(question, context.gates)) return status;
  return {
    ...status,
    state: { waiting: { reason: error.reason, message: error.message } },
    lastState: status.state.terminated ? { terminated: status.state.terminated } : status.lastState,
    started: false,
  };
}
