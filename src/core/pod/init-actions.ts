// What to do with the init containers of a pod whose sandbox is ready: scanned from last to first until the one that is current
// is found (kubelet: kuberuntime_container.go, computeInitContainerActions). Says also whether the pod is initialized, so that mains may start.
import type { ActionsInput, MutableActions } from './plan.ts';
import { newestRun } from './records.ts';
import { effectivePolicy } from './restart.ts';
import type { Slot } from './shape.ts';
import type { Instance } from './state.ts';

interface Scan {
  /** The init at hand has been initialized before: a later one, or a main, has been started. */
  before: boolean;
  initialized: boolean;
}

/** Adds to `actions`; answers whether the pod is initialized. A pod that must end is told by `actions.killPod`. */
export function planInits(input: ActionsInput, actions: MutableActions): boolean {
  const { inits, mains } = input.shape;
  if (inits.length === 0) return true;
  const mainIsUp = mains.some(({ container }) => {
    const state = newestRun(input.view, container.name)?.state;
    return state === 'created' || state === 'running';
  });
  const scan: Scan = { before: mainIsUp, initialized: mainIsUp };
  const starts: number[] = [];
  for (let index = inits.length - 1; index >= 0; index--) {
    scanOne({ input, actions, scan, starts }, index);
    if (actions.killPod) return false;
  }
  if (!scan.before) starts.push(0);
  actions.startInits = starts.toReversed();
  return scan.initialized;
}

interface Pass {
  readonly input: ActionsInput;
  readonly actions: MutableActions;
  readonly scan: Scan;
  readonly starts: number[];
}

function scanOne(pass: Pass, index: number): void {
  const { scan, starts, input } = pass;
  const slot = input.shape.inits[index]!;
  const run = newestRun(input.view, slot.container.name);
  if (run === undefined) {
    if (scan.before && slot.role === 'sidecar') starts.push(index);
    return;
  }
  if (scan.before && slot.role === 'init') return;
  if (run.state === 'created') starts.push(index);
  else if (slot.role === 'sidecar') scanSidecar(pass, index, run);
  else scanInit(pass, index, run);
  scan.before = true;
}

function scanInit({ input, actions, scan, starts }: Pass, index: number, run: Instance): void {
  if (run.state === 'running') {
    planInitResize(input, actions, run);
    return;
  }
  const slot = input.shape.inits[index]!;
  const failed = run.state === 'unknown' || run.exitCode !== 0 || run.reason === 'OOMKilled';
  if (failed) {
    if (!mayRetry(slot, run, input)) {
      actions.killPod = true;
      actions.startInits = [];
      return;
    }
    if (run.state === 'unknown') {
      actions.kill.push({ instance: run.id, reason: 'unknown', message: unknownMessage(slot) });
    }
    starts.push(index);
  } else if (index === input.shape.inits.length - 1) scan.initialized = true;
  else starts.push(index + 1);
}

/** An OOM kill with exit code 0 is a failure like another. */
function mayRetry({ container }: Slot, run: Instance, input: ActionsInput): boolean {
  if (run.state === 'unknown') return effectivePolicy(container, input.shape.restartPolicy, input.gates) !== 'Never';
  return input.restarts(container, run.exitCode === 0 ? 137 : run.exitCode);
}

function planInitResize(input: ActionsInput, actions: MutableActions, run: Instance): void {
  const resize = input.resizeOf?.(run);
  if (resize?.kind === 'inPlace' && input.gates.InPlacePodVerticalScalingInitContainers) actions.resize.push(run.id);
}

function scanSidecar(pass: Pass, index: number, run: Instance): void {
  if (run.state === 'exited') pass.starts.push(index);
  else if (run.state === 'unknown') restart(pass, index, run, 'unknown');
  else scanRunningSidecar(pass, index, run);
}

function scanRunningSidecar(pass: Pass, index: number, run: Instance): void {
  const { input, scan, starts } = pass;
  const { container } = input.shape.inits[index]!;
  if (container.startupProbe !== undefined) {
    const startup = input.probeResult(run.id, 'startup');
    if (startup === 'failure') restart(pass, index, run, 'startup');
    if (startup !== 'success') return;
  }
  if (index === input.shape.inits.length - 1) scan.initialized = true;
  else if (!scan.before) starts.push(index + 1);
  if (input.changed(container, run)) restart(pass, index, run, 'changed');
  else if (container.livenessProbe !== undefined && input.probeResult(run.id, 'liveness') === 'failure') {
    restart(pass, index, run, 'liveness');
  } else resizeSidecar(pass, index, run);
}

function resizeSidecar(pass: Pass, index: number, run: Instance): void {
  const resize = pass.input.resizeOf?.(run);
  if (resize?.kind === 'restart') restart(pass, index, run, 'resize');
  else if (resize?.kind === 'inPlace') pass.actions.resize.push(run.id);
}

type RestartReason = 'unknown' | 'startup' | 'liveness' | 'changed' | 'resize';

function restart({ input, actions, starts }: Pass, index: number, run: Instance, reason: RestartReason): void {
  const slot = input.shape.inits[index]!;
  actions.kill.push({ instance: run.id, reason, message: messageOf(slot, reason) });
  starts.push(index);
}

function messageOf(slot: Slot, reason: RestartReason): string {
  const { name } = slot.container;
  if (reason === 'unknown') return unknownMessage(slot);
  if (reason === 'changed') return `Container ${name} definition changed`;
  if (reason === 'resize') return `Container ${name} resize requires restart`;
  return `Init container ${name} failed ${reason} probe`;
}

function unknownMessage({ container }: Slot): string {
  return `Init container ${container.name} is in "unknown" state, try killing it before restart`;
}
