// The status side of the machine: compute, guard, cache, write. Every change of the API object goes through `writeApi`.

import { narrowing } from '../std/narrow.ts';
import { containersReady, ready, readyToStartContainers, withTransitionTime } from './conditions.ts';
import { type Draft, enqueue, event, shape } from './draft.ts';
import type { InstanceId, ProbeKind } from './effect.ts';
import { parkProbes, triggerReadiness } from './machine-probe.ts';
import { resizeConditions } from './machine-resize.ts';
import { isTrue, podStatus, statusLookup } from './pod-status.ts';
import { type ProbeVerdicts, withReadiness } from './readiness.ts';
import { sandboxVerdict } from './sandbox.ts';
import type { Slot } from './shape.ts';
import type { Instance, ProbeResult, ProbeWorker } from './state.ts';
import type { ContainerStatus, Pod, PodCondition, PodStatus } from './status.ts';
import { illegalRegression, isTerminal, mergedStatus } from './status-merge.ts';

/** Computes the pod's status and lets it through the guards. Answers what was computed, written or not. */
export function refreshStatus(draft: Draft, { terminal }: { readonly terminal: boolean }): PodStatus {
  const { state, policy, nowMs } = draft;
  const computed = podStatus({
    policy,
    api: state.api,
    cached: state.cached,
    view: state.runtime,
    startErrors: state.startErrors,
    verdictsOf: (slot, run) => verdictsOf(draft, slot, run),
    terminal,
    isStatic: isStatic(state.api),
    forced: forcedPhase(draft),
    extra: kubeletDisruption(draft),
    resize: resizeConditions(draft),
    nowMs,
  });
  const before = statusLookup(state.cached);
  setStatus(draft, computed);
  triggerReadiness(draft, before);
  return computed;
}

export function isStatic({ metadata }: Pod): boolean {
  const source = metadata.annotations?.['kubernetes.io/config.source'];
  return source !== undefined && source !== 'api';
}

function forcedPhase(draft: Draft) {
  const { ending, worker, cached } = draft.state;
  if (ending?.reason === undefined || worker === 'syncing') return deadlinePhase(draft);
  if (ending.keepsSuccess && cached.phase === 'Succeeded') return undefined;
  return { phase: 'Failed' as const, reason: ending.reason, message: ending.message };
}

const deadlineMessage = 'Pod was active on the node longer than the specified deadline';

/**
 * Past its activeDeadlineSeconds a pod counts as failed each time it is looked at, with an event each time. A pod that had ended
 * before stays what it was.
 */
function deadlinePhase(draft: Draft) {
  const { phase, reason } = draft.state.cached;
  if (draft.nowMs < deadlineMs(draft) || (isTerminal(phase) && reason !== 'DeadlineExceeded')) return undefined;
  event(draft, { type: 'Normal', reason: 'DeadlineExceeded', message: deadlineMessage });
  return { phase: 'Failed' as const, reason: 'DeadlineExceeded', message: deadlineMessage };
}

/** When the pod's deadline is over; Infinity without one. */
export function deadlineMs({ state }: Draft): number {
  const { activeDeadlineSeconds } = state.api.spec;
  const { startTime } = state.cached;
  if (activeDeadlineSeconds === undefined || startTime === undefined) return Number.POSITIVE_INFINITY;
  return startTime + activeDeadlineSeconds * 1000;
}

function kubeletDisruption({ state }: Draft): readonly PodCondition[] {
  const { ending } = state;
  if (!ending?.disruptionTarget) return [];
  return [{ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: ending.message }];
}

const ofRun = narrowing(({ instance }: ProbeWorker) => instance);

/** What the probe of the kind says of the run; undefined: nothing yet, or there is none. */
export function probeResultOf(
  probes: readonly ProbeWorker[],
  run: InstanceId,
  kind: ProbeKind,
): ProbeResult | undefined {
  return ofRun(probes, run).find((worker) => worker.instance === run && worker.kind === kind)?.published;
}

export function verdictsOf({ state }: Draft, slot: Slot, run: InstanceId): ProbeVerdicts {
  let startup: ProbeVerdicts['startup'];
  let readiness: ProbeVerdicts['readiness'];
  for (const worker of ofRun(state.probes, run)) {
    if (worker.instance !== run || worker.container !== slot.container.name) continue;
    if (worker.kind === 'startup') startup = worker.published;
    else if (worker.kind === 'readiness') readiness = worker.published;
  }
  return { startup, readiness, kept: state.kept[run] };
}

/** Caches a status unless it would show an ended container as going on for no reason; then writes what may be shown. */
export function setStatus(draft: Draft, computed: PodStatus): void {
  const { state } = draft;
  if (!samePodStatus(state.cached, computed)) {
    const oldOf = statusLookup(state.cached);
    const newOf = statusLookup(computed);
    if (illegalRegression({ shape: shape(draft), oldOf, newOf, gates: draft.policy.gates }) !== undefined) return;
    state.cached = computed;
    writeStatus(draft);
  }
  parkProbes(draft);
}

/** Merges the cached status over the API's and writes what differs. */
export function writeStatus(draft: Draft): void {
  const { state } = draft;
  const mayStillRun = state.worker === 'syncing' || state.worker === 'terminating';
  const status = mergedStatus(state.api.status, state.cached, mayStillRun);
  if (!samePodStatus(state.api.status, status)) writeApi(draft, { ...state.api, status }, 'status');
}

export function writeApi(draft: Draft, pod: Pod, why: string): void {
  if (draft.state.gone) return;
  draft.state.api = pod;
  draft.effects.push({ kind: 'pod', type: 'MODIFIED', pod, why });
}

/** The object is removed from the API. */
export function removeApi(draft: Draft, why: string): void {
  if (draft.state.gone) return;
  draft.state.gone = true;
  draft.effects.push({ kind: 'pod', type: 'DELETED', pod: draft.state.api, why });
}

/** Right after the sandbox is there, before anything is pulled. */
export function markReadyToStart(draft: Draft): void {
  const { state, policy, nowMs } = draft;
  if (!policy.gates.PodReadyToStartContainersCondition) return;
  const condition = readyToStartContainers(
    sandboxVerdict(state.runtime.sandboxes, state.api.spec.hostNetwork ?? false),
  );
  const generation = state.cached.observedGeneration;
  const conditions = state.cached.conditions.map((old) =>
    old.type === condition.type ? withTransitionTime(condition, old, { nowMs, generation }) : old,
  );
  setStatus(draft, { ...state.cached, podIP: state.runtime.sandboxes[0]?.ip ?? state.cached.podIP, conditions });
}

export function isRestartingAll({ state, policy }: Draft): boolean {
  return isTrue(state.cached.conditions, policy.restartAllCondition);
}

/**
 * A probe's result changed: its flag at once, with readiness the conditions too, and a pass of the worker to act on it. A startup
 * probe's success shows a container as started, and as ready only when that pass looks at it.
 */
export function probeChanged(draft: Draft, kind: ProbeKind): void {
  const { state } = draft;
  if (state.worker === 'syncing') enqueue(draft, draft.nowMs);
  const flagged = (slots: readonly Slot[], statuses: readonly ContainerStatus[] | undefined) =>
    statuses?.map((status, index) => {
      const now = withFlags(draft, slots[index]!, status);
      return kind === 'startup' && now !== status ? { ...status, started: now.started } : now;
    });
  const { inits, mains } = shape(draft);
  const initContainerStatuses = flagged(inits, state.cached.initContainerStatuses);
  const containerStatuses = flagged(mains, state.cached.containerStatuses);
  const status = { ...state.cached, initContainerStatuses, containerStatuses };
  setStatus(draft, kind === 'startup' ? status : { ...status, conditions: readyConditions(draft, status) });
}

const shownID = ({ containerID, id }: Instance) => containerID ?? id;
const withID = narrowing(shownID);

function withFlags(draft: Draft, slot: Slot, status: ContainerStatus): ContainerStatus {
  const { instances } = draft.state.runtime;
  const run = withID(instances, status.containerID ?? '').find((each) => shownID(each) === status.containerID);
  return run === undefined ? status : withReadiness(slot, status, verdictsOf(draft, slot, run.id));
}

function readyConditions(draft: Draft, status: PodStatus): readonly PodCondition[] {
  const { api } = draft.state;
  const about = { shape: shape(draft), statusOf: statusLookup(status), phase: status.phase };
  const generation = status.observedGeneration;
  return status.conditions.map((old) => {
    if (old.type !== 'Ready' && old.type !== 'ContainersReady') return old;
    const now =
      old.type === 'Ready' ? ready(about, api.spec.readinessGates, api.status.conditions) : containersReady(about);
    return withTransitionTime(now, old, { nowMs: draft.nowMs, generation });
  });
}

function samePodStatus(a: PodStatus, b: PodStatus): boolean {
  return (
    a.phase === b.phase &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.podIP === b.podIP &&
    a.hostIP === b.hostIP &&
    a.startTime === b.startTime &&
    a.observedGeneration === b.observedGeneration &&
    sameConditions(a.conditions, b.conditions) &&
    sameContainers(a.containerStatuses, b.containerStatuses) &&
    sameContainers(a.initContainerStatuses, b.initContainerStatuses) &&
    sameContainers(a.ephemeralContainerStatuses, b.ephemeralContainerStatuses)
  );
}

function sameContainers(a: readonly ContainerStatus[] | undefined, b: readonly ContainerStatus[] | undefined): boolean {
  if (a === b) return true;
  return a?.length === b?.length && a!.every((status, index) => status === b![index]);
}

function sameConditions(a: readonly PodCondition[], b: readonly PodCondition[]): boolean {
  return (
    a === b ||
    (a.length === b.length &&
      a.every((left, index) => {
        const right = b[index]!;
        return (
          left === right ||
          (left.type === right.type &&
            left.status === right.status &&
            left.reason === right.reason &&
            left.message === right.message &&
            left.observedGeneration === right.observedGeneration)
        );
      }))
  );
}
