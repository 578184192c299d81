// Which status is written: the guards between what the kubelet computed, what it has cached, and what the API object says
// (kubelet: kubelet_pods.go, status/status_manager.go). A terminal phase is never left, and never shown while a container may still run.

import { restartingAll } from './phase.ts';
import { type RestartGates, restartsAfterExit } from './restart.ts';
import type { PodShape } from './shape.ts';
import type { ContainerStatus, PodCondition, PodPhase, PodStatus } from './status.ts';

const kubeletOwns = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodReadyToStartContainers',
  'PodResizePending',
  'PodResizeInProgress',
  'AllContainersRestarting',
  'PodRestartInPlace',
]);

/** The other conditions survive every write of the kubelet; DisruptionTarget is shared. */
export function isKubeletCondition(type: string): boolean {
  return kubeletOwns.has(type);
}

export function isTerminal(phase: PodPhase): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

export interface PhaseSource {
  readonly phase: PodPhase;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The computed phase, unless the cached status or, last, the API object is terminal already. */
export function protectedPhase(computed: PodPhase, cached: PhaseSource | undefined, api: PhaseSource): PhaseSource {
  let phase = computed;
  if (cached !== undefined && isTerminal(cached.phase)) phase = cached.phase;
  if (isTerminal(api.phase)) phase = api.phase;
  if (cached?.phase === phase) return { phase, reason: cached.reason, message: cached.message };
  return { phase };
}

export interface RegressionInput {
  readonly shape: PodShape;
  readonly oldOf: (container: string) => ContainerStatus | undefined;
  readonly newOf: (container: string) => ContainerStatus | undefined;
  readonly gates: RestartGates;
}

/**
 * A container that has ended but shows as not ended although nothing allows it another run: such an update is dropped as a
 * whole. Answers the first such container. Sidecars are exempt.
 */
export function illegalRegression({ shape, oldOf, newOf, gates }: RegressionInput): string | undefined {
  if (shape.restartPolicy === 'Always' || shape.hasRestartAllRule) return undefined;
  for (const { container, role } of [...shape.mains, ...shape.inits]) {
    const ended = oldOf(container.name)?.state.terminated;
    const now = newOf(container.name);
    if (role === 'sidecar' || ended === undefined || now === undefined || now.state.terminated) continue;
    if (ended.reason === restartingAll) continue;
    if (!restartsAfterExit(container, shape.restartPolicy, ended.exitCode, gates)) return container.name;
  }
  return undefined;
}

/**
 * The status to write over the API's: conditions of others are kept; a terminal phase, its reason and DisruptionTarget wait
 * until nothing can run; with a terminal phase the pod is not ready.
 */
export function mergedStatus(api: PodStatus, computed: PodStatus, mayStillRun: boolean): PodStatus {
  const becomesTerminal = !isTerminal(api.phase) && isTerminal(computed.phase);
  const conditions = mergedConditions(api, computed, becomesTerminal && !mayStillRun);
  const merged: PodStatus =
    becomesTerminal && mayStillRun
      ? { ...computed, conditions, phase: api.phase, reason: api.reason, message: api.message }
      : { ...computed, conditions };
  return isTerminal(merged.phase) ? notReady(merged) : merged;
}

function mergedConditions(api: PodStatus, computed: PodStatus, sendsDisruption: boolean): readonly PodCondition[] {
  const others = api.conditions.filter(({ type }) => !isKubeletCondition(type));
  const disruption = sendsDisruption ? computed.conditions.find(({ type }) => type === 'DisruptionTarget') : undefined;
  const own = computed.conditions.filter(({ type }) => isKubeletCondition(type));
  if (disruption === undefined) return others.length === 0 ? own : [...others, ...own];
  const kept = others.some(({ type }) => type === 'DisruptionTarget')
    ? others.map((condition) => (condition.type === 'DisruptionTarget' ? disruption : condition))
    : [...others, disruption];
  return [...kept, ...own];
}

/** Ready and ContainersReady of a terminal pod, rewritten only where one of them still says True. */
function notReady(status: PodStatus): PodStatus {
  const isReadyKind = ({ type }: PodCondition) => type === 'Ready' || type === 'ContainersReady';
  if (!status.conditions.some((condition) => isReadyKind(condition) && condition.status === 'True')) return status;
  const reason = status.phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const conditions = status.conditions.map((condition) =>
    isReadyKind(condition) ? { ...condition, status: 'False' as const, reason, message: undefined } : condition,
  );
  return { ...status, conditions };
}

/** Whether the kubelet may remove the API object: all ended, terminal phase shown, deletion asked for, not a mirror pod. */
export function canBeDeleted(input: {
  readonly deleting: boolean;
  readonly isMirror: boolean;
  readonly apiPhase: PodPhase;
  readonly workerFinished: boolean;
}): boolean {
  return input.deleting && !input.isMirror && isTerminal(input.apiPhase) && input.workerFinished;
}
