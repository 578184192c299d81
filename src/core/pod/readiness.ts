// `started` and `ready` of a container's status: state and probe results together (kubelet: prober_manager.go, UpdatePodStatus).
import type { Slot } from './shape.ts';
import type { ProbeResult } from './state.ts';
import type { ContainerStatus } from './status.ts';

export interface ProbeVerdicts {
  /** undefined: no result for this run yet. */
  readonly startup: ProbeResult | undefined;
  readonly readiness: ProbeResult | undefined;
  /** The run was up before the kubelet was: it keeps what its status said until a probe has spoken. */
  readonly kept: { readonly started: boolean; readonly ready: boolean } | undefined;
}

/** The status with both flags set; the same object where nothing changes. */
export function withReadiness(slot: Slot, status: ContainerStatus, verdicts: ProbeVerdicts): ContainerStatus {
  if (slot.role === 'ephemeral') return status;
  const started = isStarted(slot, status, verdicts);
  const ready = isReady(slot, status, { started, verdicts });
  return started === status.started && ready === status.ready ? status : { ...status, started, ready };
}

function isStarted({ container }: Slot, status: ContainerStatus, { startup, kept }: ProbeVerdicts): boolean {
  if (!status.state.running) return false;
  if (container.startupProbe === undefined || startup === 'success') return true;
  return startup === undefined && kept?.started === true;
}

function isReady(
  { container, role }: Slot,
  status: ContainerStatus,
  { started, verdicts }: { readonly started: boolean; readonly verdicts: ProbeVerdicts },
): boolean {
  if (role === 'init') {
    if (status.state.terminated) return status.state.terminated.exitCode === 0;
    return status.state.waiting !== undefined && status.ready;
  }
  if (!status.state.running || !started) return false;
  if (container.readinessProbe === undefined || verdicts.readiness === 'success') return true;
  return verdicts.readiness === undefined && verdicts.kept?.ready === true;
}
