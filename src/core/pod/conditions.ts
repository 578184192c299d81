// The pod conditions that the kubelet owns, each from statuses and phase (kubelet: status/generate.go). Reasons and messages are the API's. When a
// condition changed is set by `withTransitionTimes`; which writer wins is status-merge.ts.

import type { SandboxVerdict } from './sandbox.ts';
import type { PodShape, Slot } from './shape.ts';
import type { ContainerStatus, PodCondition, PodPhase } from './status.ts';

/** Statuses undefined: the kubelet knows nothing yet, which is not the same as a pod without containers. */
export interface ConditionInput {
  readonly shape: PodShape;
  readonly statusOf: ((container: string) => ContainerStatus | undefined) | undefined;
  readonly phase: PodPhase;
}

const trueCondition = (type: string): PodCondition => ({ type, status: 'True' });
const falseCondition = (type: string, reason: string, message?: string): PodCondition => ({
  type,
  status: 'False',
  reason,
  message,
});

export const podScheduled: PodCondition = trueCondition('PodScheduled');

export function containersReady(input: ConditionInput): PodCondition {
  return readyOf('ContainersReady', input);
}

function readyOf(type: string, { shape, statusOf, phase }: ConditionInput): PodCondition {
  if (statusOf === undefined) return falseCondition(type, 'UnknownContainerStatuses');
  const unknown: string[] = [];
  const unready: string[] = [];
  const look = ({ container: { name } }: Slot) => {
    const status = statusOf(name);
    if (status === undefined) unknown.push(name);
    else if (!status.ready) unready.push(name);
  };
  for (const slot of shape.inits) if (slot.role === 'sidecar') look(slot);
  for (const slot of shape.mains) look(slot);
  if (phase === 'Succeeded' && unknown.length === 0) return falseCondition(type, 'PodCompleted');
  if (phase === 'Failed') return falseCondition(type, 'PodFailed');
  const messages = [...named('unknown', unknown), ...named('unready', unready)];
  return messages.length === 0 ? trueCondition(type) : falseCondition(type, 'ContainersNotReady', messages.join(', '));
}

function named(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`containers with ${what} status: [${names.join(' ')}]`];
}

/** Ready: ContainersReady, and every readiness gate True among the conditions that the API object has. */
export function ready(
  input: ConditionInput,
  gates: readonly { readonly conditionType: string }[] | undefined,
  apiConditions: readonly PodCondition[],
): PodCondition {
  const containers = readyOf('Ready', input);
  if (containers.status !== 'True' || gates === undefined) return containers;
  const messages = gates.flatMap(({ conditionType }) => {
    const condition = apiConditions.find(({ type }) => type === conditionType);
    if (condition === undefined) {
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    }
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  return messages.length === 0 ? containers : falseCondition('Ready', 'ReadinessGatesNotReady', messages.join(', '));
}

export function initialized({ shape, statusOf, phase }: ConditionInput): PodCondition {
  const type = 'Initialized';
  if (statusOf === undefined && shape.inits.length > 0) return falseCondition(type, 'UnknownContainerStatuses');
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const { container, role } of shape.inits) {
    const status = statusOf?.(container.name);
    if (status === undefined) unknown.push(container.name);
    else if (role === 'sidecar' ? !status.started : !status.ready) incomplete.push(container.name);
  }
  if (phase === 'Succeeded' && unknown.length === 0) return { type, status: 'True', reason: 'PodCompleted' };
  if (unknown.length + incomplete.length === 0 || anyMainRan(shape, statusOf)) return trueCondition(type);
  const messages = [...named('unknown', unknown), ...named('incomplete', incomplete)];
  return falseCondition(type, 'ContainersNotInitialized', messages.join(', '));
}

/** A main that runs or ran proves that the pod was initialized, also after its inits' records are gone. */
function anyMainRan(shape: PodShape, statusOf: ConditionInput['statusOf']): boolean {
  return shape.mains.some(({ container }) => {
    const status = statusOf?.(container.name);
    if (status === undefined) return false;
    return status.state.running || status.state.terminated || status.lastState?.terminated;
  });
}

export function readyToStartContainers(verdict: SandboxVerdict): PodCondition {
  const type = 'PodReadyToStartContainers';
  return verdict.needed ? falseCondition(type, 'PodSandboxNotReady', verdict.because) : trueCondition(type);
}

export interface RestartAllInput {
  /** The condition's name, see Policy. */
  readonly type: string;
  readonly old: PodCondition | undefined;
  /** A source has ended, or the condition is True. */
  readonly due: boolean;
  /** Records of mains or inits still exist in the runtime. */
  readonly recordsExist: boolean;
  readonly phase: PodPhase;
}

/** Only for pods with such a rule: True from the source's end until all records are removed. */
export function allContainersRestarting({ type, old, due, recordsExist, phase }: RestartAllInput): PodCondition {
  if (phase === 'Failed') return falseCondition(type, 'PodFailed');
  if (phase === 'Succeeded') return falseCondition(type, 'PodCompleted');
  if (!due || !recordsExist) return { type, status: 'False' };
  if (old?.status === 'True') return { type, status: 'True', reason: old.reason, message: old.message };
  return {
    type,
    status: 'True',
    reason: 'RestartAllContainersStarted',
    message: 'container exited with restart policy rule',
  };
}

/** A condition's time changes with its status only, and is kept to the second. */
export function withTransitionTime(
  condition: PodCondition,
  old: PodCondition | undefined,
  { nowMs, generation }: { readonly nowMs: number; readonly generation: number | undefined },
): PodCondition {
  const same = old !== undefined && old.status === condition.status;
  const lastTransitionTime = same ? old.lastTransitionTime : Math.floor(nowMs / 1000) * 1000;
  const kept = same && old.reason === condition.reason && old.message === condition.message;
  if (kept && old.observedGeneration === generation) return old;
  return { ...condition, lastTransitionTime, observedGeneration: generation };
}
