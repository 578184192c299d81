// What one pass of the pod worker has to do, from what the spec wants and what the runtime has: the kubelet's computePodActions
// (kuberuntime_manager.go). Decides; the machine performs.
import { planInits } from './init-actions.ts';
import type { ActionsInput, MutableActions, PodActions } from './plan.ts';
import { newestRun } from './records.ts';
import { effectivePolicy, restartsAfterExit, shouldRestartAll, shouldStart } from './restart.ts';
import { exitCodeOfNewest, resetList } from './restart-all.ts';
import { sandboxVerdict } from './sandbox.ts';
import type { Container } from './spec.ts';
import type { Instance, KillReason } from './state.ts';

/** The two functions that every caller gives alike. */
export function actionsInput(input: Omit<ActionsInput, 'restarts' | 'changed'>): ActionsInput {
  return {
    ...input,
    restarts: (container, exitCode) => restartsAfterExit(container, input.shape.restartPolicy, exitCode, input.gates),
    changed: (container, run) => (container.image ?? '') !== run.image,
  };
}

export function podActions(input: ActionsInput): PodActions {
  const verdict = sandboxVerdict(input.view.sandboxes, input.hostNetwork);
  const actions: MutableActions = {
    killPod: verdict.needed,
    createSandbox: verdict.needed,
    attempt: verdict.needed ? verdict.attempt : verdict.sandbox.attempt,
    startInits: [],
    startMains: [],
    startEphemerals: [],
    kill: [],
    resets: [],
    resize: [],
  };
  if (verdict.needed) planNewSandbox(input, actions);
  else planInSandbox(input, actions);
  return actions;
}

function planNewSandbox(input: ActionsInput, actions: MutableActions): void {
  const { shape, view } = input;
  const hasRecord = view.instances.length > 0;
  if (shape.restartPolicy === 'Never' && actions.attempt !== 0 && hasRecord) {
    actions.createSandbox = false;
    return;
  }
  const starts = shape.mains.flatMap(({ container }, index) => (succeededForGood(input, container) ? [] : [index]));
  const mainExisted = shape.mains.some(({ container }) => newestRun(view, container.name) !== undefined);
  if (starts.length === 0 && mainExisted) actions.createSandbox = false;
  else if (shape.inits.length > 0) actions.startInits = [0];
  else actions.startMains = starts;
}

/** Done with 0 under OnFailure: the one case in which a new sandbox does not start a main anew. */
function succeededForGood({ shape, view, gates }: ActionsInput, container: Container): boolean {
  if (effectivePolicy(container, shape.restartPolicy, gates) !== 'OnFailure') return false;
  const run = newestRun(view, container.name);
  return run?.state === 'exited' && run.exitCode === 0;
}

function planInSandbox(input: ActionsInput, actions: MutableActions): void {
  const { shape, view, gates, restartingAll } = input;
  if (shouldRestartAll(shape, restartingAll, (container) => exitCodeOfNewest(view, container), gates)) {
    actions.resets = resetList(shape, view, gates);
    if (actions.resets.length > 0) return;
  }
  shape.ephemerals.forEach(({ container }, index) => {
    if (newestRun(view, container.name) === undefined) actions.startEphemerals.push(index);
  });
  if (!planInits(input, actions)) return;
  const kept = shape.mains.filter((_, index) => keepsMain(input, actions, index)).length;
  if (kept > 0 || actions.startMains.length > 0) return;
  actions.killPod = true;
  actions.startInits = [];
}

/** Plans one main; answers whether it goes on running as it is. */
function keepsMain(input: ActionsInput, actions: MutableActions, index: number): boolean {
  const { shape, view, gates, deleting } = input;
  const { container } = shape.mains[index]!;
  const newest = newestRun(view, container.name);
  if (newest?.state !== 'running') {
    if (shouldStart({ container, podPolicy: shape.restartPolicy, newest, deleting }, gates)) {
      actions.startMains.push(index);
      if (newest?.state === 'unknown') {
        const message = `Container is in "unknown" state, try killing it before restart`;
        actions.kill.push({ instance: newest.id, reason: 'unknown', message });
      }
    }
    return false;
  }
  const kill = reasonToKill(input, container, newest);
  if (kill === undefined) {
    if (input.resizeOf?.(newest)?.kind === 'inPlace') actions.resize.push(newest.id);
    return true;
  }
  const restarts = kill.always || effectivePolicy(container, shape.restartPolicy, gates) !== 'Never';
  actions.kill.push({
    instance: newest.id,
    reason: kill.reason,
    message: restarts ? `${kill.message}, will be restarted` : kill.message,
  });
  if (restarts) actions.startMains.push(index);
  return false;
}

interface MainKill {
  readonly reason: KillReason;
  readonly message: string;
  /** Starts again whatever the policy says. Rules and exit code are not looked at for the others either. */
  readonly always: boolean;
}

function reasonToKill(input: ActionsInput, container: Container, run: Instance): MainKill | undefined {
  const { name } = container;
  if (input.changed(container, run)) {
    return { reason: 'changed', message: `Container ${name} definition changed`, always: true };
  }
  for (const reason of ['liveness', 'startup'] as const) {
    if (input.probeResult(run.id, reason) === 'failure') {
      return { reason, message: `Container ${name} failed ${reason} probe`, always: false };
    }
  }
  if (input.resizeOf?.(run)?.kind === 'restart') {
    return { reason: 'resize', message: `Container ${name} resize requires restart`, always: true };
  }
  return undefined;
}
