// In-place resize inside the machine: a changed size is admitted, deferred or refused; an admitted one is carried out in the
// pass of the worker, and conditions and events tell how far it is (kubelet: allocation/allocation_manager.go).
import { type Draft, enqueue, event, never, nextId, replaceInstance, shape } from './draft.ts';
import { awaitCall, failStep, nextStep } from './machine-job.ts';
import type { ResizeAction } from './plan.ts';
import { runOf } from './records.ts';
import { resizeAction, resizeRetryMs, resizeVerdict } from './resize.ts';
import type { Container, PodSpec, ResourceRequirements } from './spec.ts';
import type { Instance } from './state.ts';
import type { PodCondition } from './status.ts';

export function resizeConditions({ state }: Draft): readonly PodCondition[] {
  const { pending, inProgress } = state.resize;
  const conditions: PodCondition[] = [];
  if (pending !== undefined) {
    conditions.push({ type: 'PodResizePending', status: 'True', reason: pending.reason, message: pending.message });
  }
  if (inProgress !== undefined) {
    const { error } = inProgress;
    conditions.push({ type: 'PodResizeInProgress', status: 'True', reason: error && 'Error', message: error });
  }
  return conditions;
}

/** What the kubelet has granted the container; until a resize was asked for, that is the spec. */
export function allocatedTo({ state }: Draft, container: Container): ResourceRequirements | undefined {
  return state.resize.allocated?.[container.name] ?? container.resources;
}

/** The spec was edited: where sizes differ from before, the new ones are judged. */
export function noticeResize(draft: Draft, before: PodSpec): void {
  const { state, policy } = draft;
  if (!policy.gates.InPlacePodVerticalScaling || state.worker !== 'syncing') return;
  const containersOf = (spec: PodSpec) => [...(spec.initContainers ?? []), ...spec.containers];
  const old = new Map(containersOf(before).map((container) => [container.name, container]));
  const resized = containersOf(state.api.spec).some(
    (container) => resizeAction(container, old.get(container.name)?.resources, container.resources) !== 'none',
  );
  if (!resized) return;
  const granted = Object.fromEntries(
    [...old.values()].map((container) => [container.name, allocatedTo(draft, container) ?? {}]),
  );
  state.resize = { ...state.resize, allocated: state.resize.allocated ?? granted };
  judgeResize(draft);
}

/** Admits, defers or refuses what the spec asks for. */
export function judgeResize(draft: Draft): void {
  const { state, policy, nowMs } = draft;
  const verdict = resizeVerdict(state.api.spec, policy);
  if (verdict.kind === 'admitted') {
    admit(draft);
    return;
  }
  const { kind: reason, message } = verdict;
  if (state.resize.pending?.reason !== reason) {
    event(draft, { type: 'Warning', reason: `Resize${reason}`, message });
  }
  const retryMs = reason === 'Deferred' ? nowMs + resizeRetryMs : never;
  state.resize = { ...state.resize, pending: { reason, message }, retryMs };
  enqueue(draft, nowMs);
}

function admit(draft: Draft): void {
  const { state, nowMs } = draft;
  const { inits, mains } = shape(draft);
  const allocated = Object.fromEntries(
    [...inits, ...mains].map(({ container }) => [container.name, container.resources ?? {}]),
  );
  state.resize = { pending: undefined, inProgress: { error: undefined }, retryMs: never, allocated };
  event(draft, { type: 'Normal', reason: 'ResizeStarted', message: 'Pod resize started' });
  if (!state.runtime.instances.some((run) => resizeOf(draft, run) !== undefined)) endResize(draft);
  enqueue(draft, nowMs);
}

/** How a running container gets to the size that it was granted; undefined where it has it. */
export function resizeOf(draft: Draft, run: Instance): ResizeAction | undefined {
  const granted = draft.state.resize.allocated?.[run.container];
  const container = shape(draft).byName.get(run.container)?.container;
  if (granted === undefined || container === undefined || run.state !== 'running') return undefined;
  const kind = resizeAction(container, run.resources, granted);
  return kind === 'none' ? undefined : { kind };
}

export function performResize(draft: Draft, instance: string): void {
  const run = runOf(draft.state.runtime, instance);
  const resources = run && draft.state.resize.allocated?.[run.container];
  const call = nextId(draft);
  draft.effects.push({ kind: 'updateResources', call, instance, resources: resources ?? {} });
  awaitCall(draft, call);
}

export function completeResize(draft: Draft, instance: string): void {
  const run = runOf(draft.state.runtime, instance);
  const resources = run && draft.state.resize.allocated?.[run.container];
  replaceInstance(draft, instance, { resources });
  nextStep(draft);
  endIfResized(draft);
}

/** Every running container has its size: said once. A container that restarts into its size counts when it is up. */
export function endIfResized(draft: Draft): void {
  const { inProgress } = draft.state.resize;
  if (inProgress === undefined || draft.state.runtime.instances.some((run) => resizeOf(draft, run) !== undefined))
    return;
  endResize(draft);
}

function endResize(draft: Draft): void {
  draft.state.resize = { ...draft.state.resize, inProgress: undefined };
  event(draft, { type: 'Normal', reason: 'ResizeCompleted', message: 'Pod resize completed' });
}

export function failedResize(draft: Draft, message: string): void {
  draft.state.resize = { ...draft.state.resize, inProgress: { error: message } };
  event(draft, { type: 'Warning', reason: 'ResizeError', message });
  failStep(draft, { kind: 'error' });
}
