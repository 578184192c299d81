// Starting one container, step by step: back-off, image, create and start, postStart (kubelet: kuberuntime_container.go, startContainer). Each step either is
// done at once or waits for the answer to one call; while it waits, nothing else of the pod moves.

import { formatDuration } from '../std/duration.ts';
import { backoffLimits, forgottenAtMs, heldUntilMs, nextEntry } from './backoff.ts';
import { changed, changedTwice, type Draft, event, nextId, replaceInstance, shape } from './draft.ts';
import type { RuntimeInput } from './input.ts';
import { awaitCall, failStep, nextStep, replaceStep } from './machine-job.ts';
import { askForImage, heldPull, pullFailure, tellPulled } from './machine-pull.ts';
import { allocatedTo } from './machine-resize.ts';
import { newestEnded, newestRun, runOf } from './records.ts';
import type { Container } from './spec.ts';
import type { Instance, StartStep } from './state.ts';

/** The first move: back-off of the container, then of its image; then the image is asked for. */
export function beginStart(draft: Draft, step: StartStep): void {
  if (heldByCrashes(draft, step)) return;
  const held = heldPull(draft, step.container);
  if (held !== undefined) {
    failStart(draft, step, held);
    return;
  }
  const call = askForImage(draft, step.container);
  replaceStep(draft, { ...step, at: 'pull', askedMs: draft.nowMs });
  awaitCall(draft, call);
}

/** CrashLoopBackOff looks at the records as they were when the pass began: a run that this pass killed does not count yet. */
function heldByCrashes(draft: Draft, step: StartStep): boolean {
  const { state, policy, nowMs } = draft;
  if (step.role === 'ephemeral') return false;
  const ended = newestEnded(state.job!.seen, step.container.name);
  if (ended === undefined) return false;
  const key = backoffKey(step.container);
  const kept = state.backoff.find((each) => each.key === key);
  const entry = kept && nowMs < forgottenAtMs(kept, policy.timing.kind === 'kubelet') ? kept : undefined;
  const untilMs = heldUntilMs(entry, ended.finishedAtMs, nowMs);
  if (untilMs === undefined) {
    const limits = backoffLimits(policy.gates, policy.maxContainerRestartPeriodMs);
    const next = nextEntry(entry, { key, endedAtMs: ended.finishedAtMs, nowMs }, limits);
    state.backoff = [...state.backoff.filter((each) => each.key !== key), next];
    return false;
  }
  crashLoop(draft, step, { delayMs: entry!.delayMs, untilMs });
  return true;
}

/** Image and resources are part of the key: changing them ends the back-off. */
function backoffKey(container: Container): string {
  return `${container.name} ${container.image ?? ''} ${JSON.stringify(container.resources ?? {})}`;
}

function crashLoop(
  draft: Draft,
  step: StartStep,
  { delayMs, untilMs }: { readonly delayMs: number; readonly untilMs: number },
) {
  const { name, namespace, uid } = draft.state.api.metadata;
  const { container } = step;
  const of = `failed container=${container.name} pod=${name}_${namespace ?? 'default'}(${uid ?? ''})`;
  event(draft, {
    type: 'Warning',
    reason: 'BackOff',
    message: `Back-off restarting failed container ${container.name} in pod ${name}_${namespace ?? 'default'}(${uid ?? ''})`,
    container: container.name,
  });
  const message = `back-off ${formatDuration(delayMs)} restarting ${of}`;
  failStart(draft, step, { reason: 'CrashLoopBackOff', message }, untilMs);
}

/** The container is not up: its status will say why, and what the pass does next depends on its role. */
function failStart(
  draft: Draft,
  { container, role }: StartStep,
  error: { readonly reason: string; readonly message: string },
  backoffUntilMs?: number,
): void {
  draft.state.startErrors = { ...draft.state.startErrors, [container.name]: error };
  failStep(draft, backoffUntilMs === undefined ? { kind: 'error' } : { kind: 'backoff', untilMs: backoffUntilMs });
  if (role === 'init') dropLaterInits(draft);
}

/** A regular init that cannot start holds up the inits after it; a sidecar does not. */
function dropLaterInits(draft: Draft): void {
  const job = draft.state.job!;
  draft.state.job = {
    ...job,
    steps: job.steps.filter((step) => step.at !== 'start' || (step.role !== 'sidecar' && step.role !== 'init')),
  };
}

/** An answer to the call that a start step waits for. */
export function continueStart(draft: Draft, step: StartStep, input: RuntimeInput): void {
  switch (step.at) {
    case 'pull':
      if (input.kind === 'pulled') {
        tellPulled(draft, step, input);
        create(draft, step);
      } else if (input.kind === 'failed') failStart(draft, step, pullFailure(draft, step.container, input));
      return;
    case 'create':
      if (runOf(draft.state.runtime, step.instance) === undefined) lostWhileStarting(draft, step);
      else if (input.kind === 'started') started(draft, step, input.containerID);
      else if (input.kind === 'failed') startFailed(draft, step, input);
      return;
    case 'postStart':
      if (input.kind === 'done') nextStep(draft);
      else if (input.kind === 'failed') postStartFailed(draft, step, input.message);
      return;
    case 'start':
      return;
  }
}

function create(draft: Draft, step: StartStep): void {
  const { state } = draft;
  const { container, role } = step;
  const call = nextId(draft);
  const instance = `${container.name}/${call}`;
  const sandbox = state.runtime.sandboxes[0]?.id ?? '';
  const restartCount = restartCountOfNext(draft, container.name);
  const run: Instance = {
    id: instance,
    container: container.name,
    state: 'created',
    restartCount,
    sandbox,
    image: container.image ?? '',
    resources: allocatedTo(draft, container),
    containerID: undefined,
    startedAtMs: draft.nowMs,
    finishedAtMs: draft.nowMs,
    exitCode: 0,
    signal: undefined,
    reason: undefined,
    message: undefined,
  };
  state.runtime = { ...state.runtime, instances: prune([run, ...state.runtime.instances]) };
  draft.effects.push({ kind: 'startContainer', call, instance, container, role, sandbox, restartCount });
  replaceStep(draft, { ...step, at: 'create', instance });
  awaitCall(draft, call);
}

/** One more than the newest record's; where there is none, what the log directory says. */
function restartCountOfNext({ state }: Draft, name: string): number {
  const newest = newestRun(state.runtime, name);
  return newest === undefined ? (state.logs[name] ?? 0) : newest.restartCount + 1;
}

/** Of each container the newest run and one dead one before it are kept. */
function prune(instances: readonly Instance[]): readonly Instance[] {
  const seen = new Map<string, number>();
  return instances.filter(({ container, state }) => {
    const count = (seen.get(container) ?? 0) + 1;
    seen.set(container, count);
    return count <= 2 || state !== 'exited';
  });
}

function noteLog({ state }: Draft, run: Instance): void {
  state.logs = { ...state.logs, [run.container]: run.restartCount + 1 };
}

function started(draft: Draft, step: StartStep, containerID: string | undefined): void {
  const { container, instance } = step;
  const run = runOf(draft.state.runtime, instance)!;
  replaceInstance(draft, instance, { state: 'running', startedAtMs: draft.nowMs, containerID });
  noteLog(draft, run);
  changed(draft);
  event(draft, { type: 'Normal', reason: 'Created', message: `Container created`, container: container.name });
  event(draft, { type: 'Normal', reason: 'Started', message: `Container started`, container: container.name });
  forgetError(draft, container.name);
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) {
    nextStep(draft);
    return;
  }
  const call = nextId(draft);
  draft.effects.push({ kind: 'runHook', call, instance, hook: 'postStart', handler, timeoutMs: undefined });
  replaceStep(draft, { ...step, at: 'postStart' });
  awaitCall(draft, call);
}

function forgetError({ state }: Draft, name: string): void {
  if (state.startErrors[name] === undefined) return;
  const { [name]: _, ...others } = state.startErrors;
  state.startErrors = others;
}

/** No run exists after a failed configuration or creation; one that could not be started has ended with 128. */
function startFailed(draft: Draft, step: StartStep, input: Extract<RuntimeInput, { kind: 'failed' }>): void {
  const { state, nowMs } = draft;
  const reason = input.reason ?? 'RunContainerError';
  const run = runOf(state.runtime, step.instance)!;
  if (reason === 'RunContainerError') {
    const ended = { exitCode: 128, reason: 'StartError', message: input.message, finishedAtMs: nowMs };
    replaceInstance(draft, step.instance, { ...ended, state: 'exited' });
    noteLog(draft, run);
    changed(draft);
    event(draft, { type: 'Normal', reason: 'Created', message: `Container created`, container: run.container });
  } else {
    state.runtime = { ...state.runtime, instances: state.runtime.instances.filter((each) => each !== run) };
  }
  event(draft, { type: 'Warning', reason: 'Failed', message: `Error: ${input.message}`, container: run.container });
  failStart(draft, step, { reason, message: input.message });
}

/** Its record was removed by another hand between its creation and its start: as a start that found no container. */
function lostWhileStarting(draft: Draft, step: StartStep): void {
  const message = 'container not found';
  event(draft, { type: 'Warning', reason: 'Failed', message: `Error: ${message}`, container: step.container.name });
  failStart(draft, step, { reason: 'RunContainerError', message });
}

/** The container goes with its own grace (preStop too) and waits PostStartHookError; policy and back-off decide what follows. */
function postStartFailed(draft: Draft, step: StartStep, message: string): void {
  const { container, instance } = step;
  event(draft, {
    type: 'Warning',
    reason: 'FailedPostStartHook',
    message: `PostStartHook failed: ${message}`,
    container: container.name,
  });
  failStart(draft, step, { reason: 'PostStartHookError', message });
  changedTwice(draft);
  const job = draft.state.job!;
  const kill = { at: 'kill', instance, reason: 'postStart', message: 'FailedPostStartHook', begun: false } as const;
  draft.state.job = { ...job, steps: [kill, ...job.steps] };
}

/** The steps that start the given containers, in order. */
export function startSteps(
  draft: Draft,
  role: 'inits' | 'mains' | 'ephemerals',
  indices: readonly number[],
): readonly StartStep[] {
  const slots = shape(draft)[role];
  return indices.map((index) => {
    const slot = slots[index]!;
    return { at: 'start', container: slot.container, role: slot.role, instance: '' };
  });
}
