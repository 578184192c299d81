// The pod's whole status as the kubelet computes it: container statuses, phase, conditions, put together in the API's order
// (kubelet_pods.go, generateAPIPodStatus). What of it is written is status-merge.ts.
import { narrowing } from '../std/narrow.ts';
import {
  allContainersRestarting,
  containersReady,
  initialized,
  podScheduled,
  ready,
  readyToStartContainers,
  withTransitionTime,
} from './conditions.ts';
import { containerStatus, type StatusContext } from './container-status.ts';
import type { InstanceId } from './effect.ts';
import { podPhase } from './phase.ts';
import type { Policy } from './policy.ts';
import { type ProbeVerdicts, withReadiness } from './readiness.ts';
import { hasActiveMain, newestRun } from './records.ts';
import { shouldRestartAll } from './restart.ts';
import { exitCodeOfNewest } from './restart-all.ts';
import { sandboxVerdict } from './sandbox.ts';
import { type Slot, shapeOf } from './shape.ts';
import type { RuntimeView, StartError } from './state.ts';
import type { ContainerStatus, Pod, PodCondition, PodPhase, PodStatus } from './status.ts';
import { isKubeletCondition, protectedPhase } from './status-merge.ts';

export interface PodStatusInput {
  readonly policy: Policy;
  readonly api: Pod;
  readonly cached: PodStatus;
  readonly view: RuntimeView;
  readonly startErrors: Readonly<Record<string, StartError>>;
  readonly verdictsOf: (slot: Slot, run: InstanceId) => ProbeVerdicts;
  /** The worker has ended all containers. */
  readonly terminal: boolean;
  readonly isStatic: boolean;
  /** A pass, an eviction or the deadline overrules the phase. */
  readonly forced: { readonly phase: PodPhase; readonly reason: string; readonly message: string } | undefined;
  /** DisruptionTarget, where the kubelet itself ends the pod. */
  readonly extra: readonly PodCondition[];
  readonly resize: readonly PodCondition[];
  readonly nowMs: number;
}

export function podStatus(input: PodStatusInput): PodStatus {
  const { api, cached, policy } = input;
  const shape = shapeOf(api.spec);
  const previousOf = statusLookup(cached);
  const context = statusContext(input, previousOf);
  const inits = shape.inits.map((slot) => containerStatus(slot, context));
  const mains = shape.mains.map((slot) => containerStatus(slot, context));
  const computed = podPhase({
    shape,
    statusOf: lookup(inits, mains),
    terminal: input.terminal,
    initialized: hasActiveMain(input.view, shape.mains),
    isStatic: input.isStatic,
    gates: policy.gates,
  });
  const phase = input.forced ?? protectedPhase(computed, cached, api.status);
  const withProbes = (slots: readonly Slot[], statuses: readonly ContainerStatus[]) =>
    share(
      statuses.map((status, index) => probed(slots[index]!, status, input)),
      previousOf,
    );
  const status: PodStatus = {
    ...cached,
    phase: phase.phase,
    reason: phase.reason,
    message: phase.message,
    startTime: cached.startTime ?? Math.floor(input.nowMs / 1000) * 1000,
    observedGeneration: observedGeneration(input),
    hostIP: policy.hostIP,
    podIP: input.view.sandboxes[0]?.ip ?? cached.podIP,
    initContainerStatuses: shape.inits.length === 0 ? undefined : withProbes(shape.inits, inits),
    containerStatuses: withProbes(shape.mains, mains),
    ephemeralContainerStatuses: ephemerals(shape.ephemerals, context, previousOf),
  };
  return { ...status, conditions: conditionsOf(status, input, context.restartAll) };
}

function statusContext(input: PodStatusInput, previousOf: StatusContext['previousOf']): StatusContext {
  const { api, view, startErrors, policy, cached } = input;
  const shape = shapeOf(api.spec);
  const conditionIsTrue = isTrue(cached.conditions, policy.restartAllCondition);
  const exitCodeOf = (name: string) =>
    exitCodeOfNewest(view, name) ?? (newestRun(view, name) ? undefined : previousOf(name)?.state.terminated?.exitCode);
  return {
    shape,
    view,
    previousOf,
    startErrorOf: (name) => startErrors[name],
    deleting: api.metadata.deletionTimestamp !== undefined,
    restartAll: shape.hasRestartAllRule && shouldRestartAll(shape, conditionIsTrue, exitCodeOf, policy.gates),
    mainStarted: hasActiveMain(view, shape.mains),
    gates: policy.gates,
  };
}

function ephemerals(slots: readonly Slot[], context: StatusContext, previousOf: StatusContext['previousOf']) {
  return slots.length === 0
    ? undefined
    : share(
        slots.map((slot) => containerStatus(slot, context)),
        previousOf,
      );
}

function probed(slot: Slot, status: ContainerStatus, input: PodStatusInput): ContainerStatus {
  const run = newestRun(input.view, slot.container.name);
  if (run === undefined)
    return withReadiness(slot, status, { startup: undefined, readiness: undefined, kept: undefined });
  return withReadiness(slot, status, input.verdictsOf(slot, run.id));
}

function observedGeneration({ api, cached, policy }: PodStatusInput): number | undefined {
  if (!policy.gates.PodObservedGenerationTracking) return undefined;
  return Math.max(api.metadata.generation ?? 1, cached.observedGeneration ?? 0);
}

function conditionsOf(status: PodStatus, input: PodStatusInput, restartAll: boolean): readonly PodCondition[] {
  const { api, view, policy, nowMs } = input;
  const shape = shapeOf(api.spec);
  const statusOf = lookup(status.initContainerStatuses ?? [], status.containerStatuses ?? []);
  const about = { shape, statusOf, phase: status.phase };
  const own: PodCondition[] = [
    ...input.resize,
    ...disruptionOf(input),
    readyToStartContainers(sandboxVerdict(view.sandboxes, api.spec.hostNetwork ?? false)),
    initialized(about),
    ready(about, api.spec.readinessGates, api.status.conditions),
    containersReady(about),
    podScheduled,
  ];
  if (!policy.gates.PodReadyToStartContainersCondition)
    own.splice(
      own.findIndex(({ type }) => type === 'PodReadyToStartContainers'),
      1,
    );
  if (shape.hasRestartAllRule && policy.gates.RestartAllContainersOnContainerExits) {
    const type = policy.restartAllCondition;
    const old = input.cached.conditions.find((condition) => condition.type === type);
    const recordsExist = view.instances.some(({ container }) => shape.byName.get(container)?.role !== 'ephemeral');
    own.push(allContainersRestarting({ type, old, due: restartAll, recordsExist, phase: status.phase }));
  }
  const foreign = api.status.conditions.filter(({ type }) => !isKubeletCondition(type) && type !== 'DisruptionTarget');
  const generation = status.observedGeneration;
  const oldOf = (type: string) =>
    input.cached.conditions.find((each) => each.type === type) ??
    api.status.conditions.find((each) => each.type === type);
  return [...foreign, ...own.map((each) => withTransitionTime(each, oldOf(each.type), { nowMs, generation }))];
}

/** What the kubelet itself is about to do, else what its status said before: the API's own is kept by the merge. */
function disruptionOf({ extra, cached }: PodStatusInput): readonly PodCondition[] {
  return extra.length > 0 ? extra : cached.conditions.filter(({ type }) => type === 'DisruptionTarget');
}

export function isTrue(conditions: readonly PodCondition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

function lookup(inits: readonly ContainerStatus[], mains: readonly ContainerStatus[]) {
  return (name: string): ContainerStatus | undefined => find(mains, name) ?? find(inits, name);
}

export function statusLookup(status: PodStatus): (name: string) => ContainerStatus | undefined {
  return (name) =>
    find(status.containerStatuses, name) ??
    find(status.initContainerStatuses, name) ??
    find(status.ephemeralContainerStatuses, name);
}

const ofName = narrowing(({ name }: ContainerStatus) => name);

function find(statuses: readonly ContainerStatus[] | undefined, name: string): ContainerStatus | undefined {
  if (statuses !== undefined) for (const status of ofName(statuses, name)) if (status.name === name) return status;
  return undefined;
}

/** Keeps the old object where the new one says the same, so that equal statuses are cheap to tell. */
function share(
  statuses: readonly ContainerStatus[],
  previousOf: (name: string) => ContainerStatus | undefined,
): readonly ContainerStatus[] {
  return statuses.map((status) => {
    const previous = previousOf(status.name);
    return previous !== undefined && sameStatus(previous, status) ? previous : status;
  });
}

function sameStatus(a: ContainerStatus, b: ContainerStatus): boolean {
  return (
    a === b ||
    (a.restartCount === b.restartCount &&
      a.ready === b.ready &&
      a.started === b.started &&
      a.containerID === b.containerID &&
      a.image === b.image &&
      a.stopSignal === b.stopSignal &&
      sameState(a.state, b.state) &&
      sameState(a.lastState ?? {}, b.lastState ?? {}) &&
      a.resources === b.resources &&
      a.allocatedResources === b.allocatedResources)
  );
}

function sameState(a: ContainerStatus['state'], b: ContainerStatus['state']): boolean {
  return (
    a === b ||
    (a.running?.startedAt === b.running?.startedAt &&
      a.waiting?.reason === b.waiting?.reason &&
      a.waiting?.message === b.waiting?.message &&
      (a.waiting === undefined) === (b.waiting === undefined) &&
      a.terminated?.exitCode === b.terminated?.exitCode &&
      a.terminated?.reason === b.terminated?.reason &&
      a.terminated?.message === b.terminated?.message &&
      a.terminated?.finishedAt === b.terminated?.finishedAt &&
      a.terminated?.containerID === b.terminated?.containerID)
  );
}
