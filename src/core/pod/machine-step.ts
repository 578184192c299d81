// One step of a pass: begun, then carried on by the answer to its call or by the end of its kills. Starting a container is a step
// of several moves and has machine-start.ts to itself.
import { changed, type Draft, event, nextId, shape } from './draft.ts';
import type { RuntimeInput } from './input.ts';
import { awaitCall, failJob, nextStep, replaceStep, skipStep } from './machine-job.ts';
import { beginKill, beginKillAll } from './machine-kill.ts';
import { completeResize, failedResize, performResize } from './machine-resize.ts';
import { beginStart, continueStart } from './machine-start.ts';
import { markReadyToStart } from './machine-status.ts';
import { isAlive, runOf } from './records.ts';
import type { Step } from './state.ts';
import { podGraceSeconds } from './termination.ts';

/** Begins or continues the first step; answers false where it waits for kills. */
export function doStep(draft: Draft, step: Step): boolean {
  switch (step.at) {
    case 'volumes':
      mountVolumes(draft);
      return true;
    case 'killAll':
      return killAll(draft, step);
    case 'stopSandbox':
      stopSandbox(draft);
      return true;
    case 'kill':
      return killOne(draft, step);
    case 'remove':
      remove(draft, step.instance);
      return true;
    case 'purgeInits':
      purgeInits(draft);
      return true;
    case 'sandbox':
      createSandbox(draft, step.attempt);
      return true;
    case 'resize':
      performResize(draft, step.instance);
      return true;
    default:
      beginStart(draft, step);
      return true;
  }
}

function mountVolumes(draft: Draft): void {
  const { state } = draft;
  const { volumes } = state.api.spec;
  if (state.mounted || !Array.isArray(volumes) || volumes.length === 0) {
    skipStep(draft);
    return;
  }
  const call = nextId(draft);
  draft.effects.push({ kind: 'mountVolumes', call });
  awaitCall(draft, call);
}

function killAll(draft: Draft, step: Extract<Step, { at: 'killAll' }>): boolean {
  const { state } = draft;
  if (step.begun) {
    if (state.kills.length > 0) return false;
    nextStep(draft);
    return true;
  }
  if (!state.runtime.instances.some(isAlive)) {
    skipStep(draft);
    return true;
  }
  beginKillAll(draft, { reason: 'pod', graceSeconds: state.job!.kind === 'terminate' ? endGrace(draft) : undefined });
  replaceStep(draft, { ...step, begun: true });
  return true;
}

function endGrace({ state }: Draft): number {
  return podGraceSeconds({
    specSeconds: state.api.spec.terminationGracePeriodSeconds,
    deletionSeconds: state.api.metadata.deletionGracePeriodSeconds,
    overrideSeconds: state.ending?.graceSeconds,
  });
}

function stopSandbox(draft: Draft): void {
  const [newest] = draft.state.runtime.sandboxes;
  if (newest === undefined || newest.stopped) {
    skipStep(draft);
    return;
  }
  const call = nextId(draft);
  draft.effects.push({ kind: 'stopSandbox', call, sandbox: newest.id });
  awaitCall(draft, call);
}

function killOne(draft: Draft, step: Extract<Step, { at: 'kill' }>): boolean {
  const { state } = draft;
  const run = runOf(state.runtime, step.instance);
  if (step.begun) {
    if (state.kills.some(({ instance }) => instance === step.instance)) return false;
    nextStep(draft);
  } else if (run === undefined || !isAlive(run)) skipStep(draft);
  else {
    const { reason, message } = step;
    beginKill(draft, run, { reason, message, graceSeconds: reason === 'reset' ? 0 : undefined });
    replaceStep(draft, { ...step, begun: true });
  }
  return true;
}

function remove(draft: Draft, instance: string): void {
  const call = nextId(draft);
  draft.effects.push({ kind: 'removeContainer', call, instance });
  awaitCall(draft, call);
}

/** A new sandbox forgets what the inits did in the old one. */
function purgeInits(draft: Draft): void {
  const { state } = draft;
  const { byName } = shape(draft);
  const isInit = (container: string) => ['init', 'sidecar'].includes(byName.get(container)?.role ?? '');
  const purged = state.runtime.instances.filter(({ container }) => isInit(container));
  for (const { id } of purged) draft.effects.push({ kind: 'removeContainer', call: nextId(draft), instance: id });
  if (purged.length > 0) dropInstances(draft, (container) => isInit(container));
  skipStep(draft);
}

function dropInstances({ state }: Draft, drop: (container: string) => boolean): void {
  state.runtime = { ...state.runtime, instances: state.runtime.instances.filter(({ container }) => !drop(container)) };
}

function createSandbox(draft: Draft, attempt: number): void {
  const call = nextId(draft);
  draft.effects.push({ kind: 'createSandbox', call, sandbox: `sandbox/${attempt}`, attempt });
  awaitCall(draft, call);
}

/** The answer to the call that the pass waits for. */
export function answerPass(draft: Draft, input: RuntimeInput): void {
  const [step] = draft.state.job?.steps ?? [];
  if (step === undefined) return;
  switch (step.at) {
    case 'killAll':
    case 'kill':
    case 'purgeInits':
      return;
    case 'volumes':
      return volumesMounted(draft, input);
    case 'stopSandbox':
      return sandboxStopped(draft);
    case 'remove':
      return removed(draft, step.instance);
    case 'sandbox':
      return sandboxCreated(draft, step.attempt, input);
    case 'resize':
      return input.kind === 'failed' ? failedResize(draft, input.message) : completeResize(draft, step.instance);
    default:
      return continueStart(draft, step, input);
  }
}

function volumesMounted(draft: Draft, input: RuntimeInput): void {
  if (input.kind === 'failed') {
    event(draft, { type: 'Warning', reason: 'FailedMount', message: input.message });
    failJob(draft, { kind: 'error' });
    return;
  }
  draft.state.mounted = true;
  skipStep(draft);
}

function sandboxStopped(draft: Draft): void {
  const { runtime } = draft.state;
  const sandboxes = runtime.sandboxes.map((each, index) =>
    index === 0 ? { ...each, ready: false, stopped: true } : each,
  );
  draft.state.runtime = { ...runtime, sandboxes };
  changed(draft);
  nextStep(draft);
}

function removed(draft: Draft, instance: string): void {
  const { runtime } = draft.state;
  draft.state.runtime = { ...runtime, instances: runtime.instances.filter(({ id }) => id !== instance) };
  changed(draft);
  nextStep(draft);
}

function sandboxCreated(draft: Draft, attempt: number, input: RuntimeInput): void {
  const { state } = draft;
  if (input.kind !== 'sandboxCreated') {
    const message = `Failed to create pod sandbox: ${input.kind === 'failed' ? input.message : ''}`;
    event(draft, { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
    failJob(draft, { kind: 'error' });
    return;
  }
  const hostNetwork = state.api.spec.hostNetwork ?? false;
  const sandbox = { id: `sandbox/${attempt}`, attempt, ready: true, ip: input.ip, hostNetwork, stopped: false };
  state.runtime = { ...state.runtime, sandboxes: [sandbox, ...state.runtime.sandboxes.slice(0, 1)] };
  changed(draft);
  nextStep(draft);
  markReadyToStart(draft);
}
