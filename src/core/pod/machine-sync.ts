// The pod's worker: when a pass begins, what it consists of, what follows (kubelet: pod_workers.go, SyncPod). Passes are serial; how one step of a
// pass goes is machine-step.ts.
//
//   syncing ──▶ sync: status, then what podActions plans ──(terminal phase, deletion, eviction, deadline)──▶
//   terminating ──▶ terminate: kill all, stop the sandbox ──▶ terminated ──▶ finish: last status, object deleted ──▶ finished
import { actionsInput, podActions } from './actions.ts';
import { type Draft, enqueue, event, jittered, never, nextRelistMs, queueTickMs, setClock, shape } from './draft.ts';
import { advanceKills } from './machine-kill.ts';
import { addProbes, endMainProbes, fireProbes } from './machine-probe.ts';
import { endIfResized, judgeResize, resizeOf } from './machine-resize.ts';
import { startSteps } from './machine-start.ts';
import {
  deadlineMs,
  isRestartingAll,
  isStatic,
  probeResultOf,
  refreshStatus,
  removeApi,
  setStatus,
  writeStatus,
} from './machine-status.ts';
import { doStep } from './machine-step.ts';
import type { PodActions } from './plan.ts';
import type { Job, Step } from './state.ts';
import { canBeDeleted, isTerminal } from './status-merge.ts';
import { terminatedStatus } from './terminated-status.ts';
import { kubeletQueue, requeue } from './worker-queue.ts';

/** Does everything that is due now: kills, steps, passes, probes. */
export function settle(draft: Draft): void {
  if (draft.state.resize.retryMs <= draft.nowMs) judgeResize(draft);
  for (;;) {
    advanceKills(draft);
    if (draft.state.job !== undefined) {
      if (!runSteps(draft)) break;
    } else if (passDueMs(draft) <= draft.nowMs) beginPass(draft);
    else break;
  }
  fireProbes(draft);
}

/** When the next pass may begin; Infinity: nothing asks for one. */
export function passDueMs(draft: Draft): number {
  const { worker, clock } = draft.state;
  if (worker === 'unbound' || worker === 'finished') return never;
  const deadline = worker === 'syncing' ? deadlineMs(draft) : never;
  const asked = Math.min(clock.queueMs, clock.changeMs, deadline === never ? never : queueTickMs(draft, deadline));
  return Math.max(asked, clock.freshMs);
}

function beginPass(draft: Draft): void {
  const { state } = draft;
  takeTriggers(draft);
  switch (state.worker) {
    case 'syncing':
      return beginSync(draft);
    case 'terminating':
      return beginTerminate(draft);
    case 'terminated':
      return finish(draft);
    default:
  }
}

/** What asked for the pass is met by it; of two, one is kept for a pass of its own. */
function takeTriggers({ state, nowMs }: Draft): void {
  const { queueMs, changeMs } = state.clock;
  const shown = changeMs <= nowMs;
  state.clock = {
    ...state.clock,
    queueMs: never,
    changeMs: shown ? never : changeMs,
    again: shown && queueMs <= nowMs,
  };
}

function newJob({ state }: Draft, kind: Job['kind'], steps: readonly Step[]): void {
  state.job = { kind, steps, awaiting: undefined, seen: state.runtime, acted: false, errors: [] };
}

function beginSync(draft: Draft): void {
  const { state, policy } = draft;
  if (state.cached.startTime === undefined) addProbes(draft);
  endIfResized(draft);
  const status = refreshStatus(draft, { terminal: false });
  if (isTerminal(status.phase)) {
    moveOn(draft, 'terminating');
    return;
  }
  const actions = podActions(
    actionsInput({
      shape: shape(draft),
      view: state.runtime,
      hostNetwork: state.api.spec.hostNetwork ?? false,
      deleting: state.api.metadata.deletionTimestamp !== undefined,
      restartingAll: isRestartingAll(draft),
      gates: policy.gates,
      probeResult: (instance, kind) => probeResultOf(state.probes, instance, kind),
      resizeOf: (run) => resizeOf(draft, run),
    }),
  );
  if (actions.createSandbox && state.runtime.sandboxes.length > 0) {
    const message = 'Pod sandbox changed, it will be killed and re-created.';
    event(draft, { type: 'Normal', reason: 'SandboxChanged', message });
  }
  newJob(draft, 'sync', stepsOf(draft, actions));
}

function stepsOf(draft: Draft, actions: PodActions): readonly Step[] {
  const steps: Step[] = [{ at: 'volumes' }];
  if (actions.killPod) steps.push({ at: 'killAll', begun: false }, { at: 'stopSandbox' });
  for (const { instance, reason, message } of actions.kill)
    steps.push({ at: 'kill', instance, reason, message, begun: false });
  for (const { instance, kill } of actions.resets) {
    if (kill)
      steps.push({
        at: 'kill',
        instance: instance.id,
        reason: 'reset',
        message: resetMessage(instance.container),
        begun: false,
      });
    steps.push({ at: 'remove', instance: instance.id });
  }
  if (actions.createSandbox) steps.push({ at: 'purgeInits' }, { at: 'sandbox', attempt: actions.attempt });
  steps.push(
    ...startSteps(draft, 'ephemerals', actions.startEphemerals),
    ...startSteps(draft, 'inits', actions.startInits),
  );
  for (const instance of actions.resize) steps.push({ at: 'resize', instance });
  steps.push(...startSteps(draft, 'mains', actions.startMains));
  return steps;
}

function resetMessage(container: string): string {
  return `Container ${container} is ended because all containers of its pod restart`;
}

function beginTerminate(draft: Draft): void {
  refreshStatus(draft, { terminal: false });
  endMainProbes(draft);
  newJob(draft, 'terminate', [{ at: 'killAll', begun: false }, { at: 'stopSandbox' }]);
}

/** Works at the pass until it waits or is over; answers whether it is over. */
function runSteps(draft: Draft): boolean {
  for (;;) {
    const { job } = draft.state;
    if (job === undefined || job.awaiting !== undefined) return job === undefined;
    const [step] = job.steps;
    if (step === undefined) {
      endPass(draft, job);
      return true;
    }
    if (!doStep(draft, step)) return false;
  }
}

function endPass(draft: Draft, job: Job): void {
  draft.state.job = undefined;
  if (job.kind === 'terminate') endTerminate(draft);
  else endSync(draft, job);
}

function endSync(draft: Draft, { acted, errors }: Job): void {
  const { policy, nowMs } = draft;
  if (isWanted(draft)) {
    moveOn(draft, 'terminating');
    return;
  }
  if (draft.state.clock.again) enqueue(draft, nowMs);
  if (acted && errors.length === 0 && policy.gates.PLEGOnDemandRelist) {
    setClock(draft, { changeMs: nowMs, freshMs: nowMs });
    return;
  }
  setClock(draft, { freshMs: nextRelistMs(draft) });
  if (errors.length === 0 && policy.timing.kind === 'ideal') return;
  const passErrors = errors.map((error) =>
    error.kind === 'backoff' ? { kind: error.kind, remainingMs: error.untilMs - nowMs } : error,
  );
  const { delayMs } = requeue({ phaseTransition: false, errors: passErrors }, kubeletQueue);
  enqueue(draft, queueTickMs(draft, nowMs + jittered(draft, delayMs)));
}

/** Whether somebody wants the pod to end: its object is deleted or gone, or the kubelet itself ends it. */
function isWanted({ state }: Draft): boolean {
  return state.api.metadata.deletionTimestamp !== undefined || state.gone || state.ending !== undefined;
}

/** Called after each input that may end the pod: now, unless a pass is under way, which goes on to its own end. */
export function endIfWanted(draft: Draft): void {
  const { state } = draft;
  if (state.worker !== 'syncing' || !isWanted(draft)) return;
  if (state.job === undefined) moveOn(draft, 'terminating', state.clock.freshMs);
  else if (state.job.steps[0]?.at === 'volumes') {
    state.job = undefined;
    moveOn(draft, 'terminating');
  }
}

/** The worker's next phase begins as soon as the records are newer than the last pass. */
function moveOn(draft: Draft, worker: 'terminating' | 'terminated', freshMs = nextRelistMs(draft)): void {
  draft.state.worker = worker;
  setClock(draft, { queueMs: draft.nowMs, freshMs });
}

function endTerminate(draft: Draft): void {
  moveOn(draft, 'terminated');
  refreshStatus(draft, { terminal: true });
  draft.state.probes = [];
}

/** The last pass: a terminal phase whatever happened, and the object goes where its deletion was asked for. */
function finish(draft: Draft): void {
  const { state } = draft;
  refreshStatus(draft, { terminal: true });
  const last = { shape: shape(draft), status: state.cached, seen: state.seen, isStatic: isStatic(state.api) };
  state.worker = 'finished';
  setStatus(draft, terminatedStatus(last));
  writeStatus(draft);
  deleteIfDone(draft);
}

/** Removes the API object of a finished pod whose deletion was asked for. */
export function deleteIfDone(draft: Draft): void {
  const { api, worker } = draft.state;
  const deleting = api.metadata.deletionTimestamp !== undefined;
  const isMirror = api.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;
  const workerFinished = worker === 'finished';
  if (canBeDeleted({ deleting, isMirror, apiPhase: api.status.phase, workerFinished })) removeApi(draft, 'finished');
}
