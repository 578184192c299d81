// The words between deciding and doing: what a pass is decided on, and the plan that comes out. Filled by actions.ts and
// init-actions.ts, read by the machine.
import type { InstanceId, ProbeKind } from './effect.ts';
import type { Gates } from './policy.ts';
import type { PodShape } from './shape.ts';
import type { Container } from './spec.ts';
import type { Instance, KillReason, ProbeResult, RuntimeView } from './state.ts';

export interface ActionsInput {
  readonly shape: PodShape;
  readonly view: RuntimeView;
  readonly hostNetwork: boolean;
  readonly deleting: boolean;
  /** The condition AllContainersRestarting of the status just computed. */
  readonly restartingAll: boolean;
  readonly gates: Gates;
  readonly probeResult: (instance: InstanceId, kind: ProbeKind) => ProbeResult | undefined;
  readonly restarts: (container: Container, exitCode: number) => boolean;
  readonly changed: (container: Container, run: Instance) => boolean;
  readonly resizeOf?: ((run: Instance) => ResizeAction | undefined) | undefined;
}

export type ResizeAction = { readonly kind: 'inPlace' } | { readonly kind: 'restart' };

export interface PlannedKill {
  readonly instance: InstanceId;
  readonly reason: KillReason;
  readonly message: string;
}

export interface PodActions {
  /** End all that runs and the sandbox. */
  readonly killPod: boolean;
  readonly createSandbox: boolean;
  readonly attempt: number;
  readonly startInits: readonly number[];
  readonly startMains: readonly number[];
  readonly startEphemerals: readonly number[];
  readonly kill: readonly PlannedKill[];
  readonly resets: readonly Reset[];
  readonly resize: readonly InstanceId[];
}

export interface MutableActions {
  killPod: boolean;
  createSandbox: boolean;
  attempt: number;
  startInits: number[];
  startMains: number[];
  startEphemerals: number[];
  kill: PlannedKill[];
  resets: readonly Reset[];
  resize: InstanceId[];
}

/** A run of the reset list of RestartAllContainers. */
export interface Reset {
  readonly instance: Instance;
  /** It runs: end it first, without preStop. */
  readonly kill: boolean;
}
