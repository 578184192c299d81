// The last status of a pod whose containers have all ended: what has no record counts as failed, and the phase becomes terminal
// (status/status_manager.go, TerminatePod).
import { goneAtTermination, statusUnknown } from './container-status.ts';
import type { PodShape } from './shape.ts';
import type { ContainerStatus, PodPhase, PodStatus } from './status.ts';

export interface TerminatedInput {
  readonly shape: PodShape;
  /** The status to finish. */
  readonly status: PodStatus;
  /** What decides whether the pod had been initialized: the worker's copy, as of the last change of spec or metadata. */
  readonly seen: PodStatus;
  readonly isStatic: boolean;
}

export function terminatedStatus({ shape, status, seen, isStatic }: TerminatedInput): PodStatus {
  const mains = status.containerStatuses;
  const inits = status.initContainerStatuses;
  return {
    ...status,
    phase: isStatic ? status.phase : finalPhase(status.phase),
    containerStatuses: mains && wasInitialized(shape, seen) ? mains.map(ended) : mains,
    initContainerStatuses: inits && endedInits(inits),
  };
}

/** Whatever is not terminal yet has failed. */
export function finalPhase(phase: PodPhase): PodPhase {
  return phase === 'Succeeded' ? 'Succeeded' : 'Failed';
}

function ended(status: ContainerStatus): ContainerStatus {
  if (status.state.terminated) return status;
  const terminated = { exitCode: 137, reason: statusUnknown, message: goneAtTermination };
  return { ...status, state: { terminated }, ready: false, started: false };
}

function wasInitialized(shape: PodShape, seen: PodStatus): boolean {
  if (shape.inits.length === 0) return true;
  if (seen.containerStatuses?.some((main) => main.lastState?.terminated || !main.state.waiting)) return true;
  const last = seen.initContainerStatuses?.at(-1);
  if (last === undefined) return false;
  if (shape.byName.get(last.name)?.role === 'sidecar') return last.state.running !== undefined && last.started;
  return last.state.terminated?.exitCode === 0 || last.lastState?.terminated?.exitCode === 0;
}

/** All but the trailing ones that never started; the first one always. */
function endedInits(inits: readonly ContainerStatus[]): readonly ContainerStatus[] {
  const last = inits.findLastIndex((init) => !init.state.waiting || init.lastState?.terminated);
  return inits.map((init, index) => (index <= Math.max(last, 0) ? ended(init) : init));
}
