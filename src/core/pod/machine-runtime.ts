// Answers and observations of the runtime: each finds the pass, the kill, the probe or the run that it belongs to. An answer
// that nobody waits for any more changes nothing.
import { changed, changedTwice, choose, type Draft, event, replaceInstance, shape } from './draft.ts';
import type { ExitedInput, RuntimeInput } from './input.ts';
import { killOver, preStopOver, stopFailed } from './machine-kill.ts';
import { emitProbe } from './machine-probe.ts';
import { probeChanged } from './machine-status.ts';
import { answerPass } from './machine-step.ts';
import { afterAnswer, nextTickMs, probeOf } from './probe.ts';
import { runOf } from './records.ts';
import type { ProbeWorker } from './state.ts';

export function acceptRuntime(draft: Draft, input: RuntimeInput): void {
  switch (input.kind) {
    case 'exited':
      return exited(draft, input);
    case 'recordLost':
      return recordLost(draft, input.instance);
    case 'unknown':
      return becameUnknown(draft, input.instance);
    case 'sandboxLost':
      return sandboxLost(draft, input.sandbox);
    case 'probed':
      return probed(draft, input);
    default:
      return answered(draft, input);
  }
}

function answered(draft: Draft, input: Extract<RuntimeInput, { readonly call: number }>): void {
  const { state } = draft;
  if (state.job?.awaiting === input.call) {
    answerPass(draft, input);
    return;
  }
  const kill = state.kills.find(({ call }) => call === input.call);
  if (kill === undefined) return;
  const failure = input.kind === 'failed' ? input.message : undefined;
  if (kill.stage === 'preStop') preStopOver(draft, kill, failure);
  else if (kill.stage === 'stopping' && failure !== undefined) stopFailed(draft, kill);
}

/** A run has ended. Whoever ended it, and however late it is told: the first report of an end is kept. */
function exited(draft: Draft, input: ExitedInput): void {
  const run = runOf(draft.state.runtime, input.instance);
  if (run === undefined || run.state === 'exited') return;
  replaceInstance(draft, run.id, {
    state: 'exited',
    exitCode: input.exitCode,
    signal: input.signal,
    reason: input.reason ?? (input.exitCode === 0 ? 'Completed' : 'Error'),
    message: input.message,
    finishedAtMs: draft.nowMs,
  });
  killOver(draft, run.id);
  abandonPostStart(draft, run.id);
  if (isBrief(draft, run.startedAtMs) && choose(draft, 0, 1) >= 0.5) changedTwice(draft);
  else changed(draft);
}

/**
 * Start and end of a run that lasted less than a relist may be told one after the other: then the worker looks at the pod a
 * second time (recorded: an init container that fails at once shows CrashLoopBackOff a second after its end).
 */
function isBrief({ nowMs, policy }: Draft, startedAtMs: number): boolean {
  return policy.timing.kind === 'kubelet' && nowMs - startedAtMs < 1000;
}

/** A hook that runs in a container that has ended cannot go on. */
function abandonPostStart(draft: Draft, instance: string): void {
  const { job } = draft.state;
  const step = job?.steps[0];
  if (step?.at !== 'postStart' || step.instance !== instance || job?.awaiting === undefined) return;
  draft.effects.push({ kind: 'cancelHook', call: job.awaiting, instance });
  answerPass(draft, { kind: 'failed', call: job.awaiting, message: 'the container has ended' });
}

function recordLost(draft: Draft, instance: string): void {
  const { runtime } = draft.state;
  if (runOf(runtime, instance) === undefined) return;
  draft.state.runtime = { ...runtime, instances: runtime.instances.filter(({ id }) => id !== instance) };
  killOver(draft, instance);
  changed(draft);
}

function becameUnknown(draft: Draft, instance: string): void {
  if (runOf(draft.state.runtime, instance)?.state !== 'running') return;
  replaceInstance(draft, instance, { state: 'unknown' });
  changed(draft);
}

function sandboxLost(draft: Draft, sandbox: string): void {
  const { runtime } = draft.state;
  if (!runtime.sandboxes.some(({ id, ready }) => id === sandbox && ready)) return;
  const sandboxes = runtime.sandboxes.map((each) => (each.id === sandbox ? { ...each, ready: false } : each));
  draft.state.runtime = { ...runtime, sandboxes };
  changed(draft);
}

function probed(draft: Draft, input: Extract<RuntimeInput, { kind: 'probed' }>): void {
  const { state, nowMs } = draft;
  const index = state.probes.findIndex(({ call }) => call === input.call);
  const worker = state.probes[index];
  const container = worker && shape(draft).byName.get(worker.container)?.container;
  const spec = worker && container && probeOf(container, worker.kind);
  if (worker === undefined || spec === undefined) return;
  tellProbe(draft, worker, input);
  if (input.result === 'unknown' && worker.tries < 3) {
    state.probes = state.probes.with(index, { ...emitProbe(draft, worker), tries: worker.tries + 1 });
    return;
  }
  const after = afterAnswer(worker, input.result, spec);
  const nextMs = after.nextMs <= nowMs ? nextTickMs(after, nowMs, 0) : after.nextMs;
  state.probes = state.probes.with(index, { ...after, nextMs });
  if (after.published !== worker.published) probeChanged(draft, worker.kind);
}

function tellProbe(draft: Draft, worker: ProbeWorker, input: Extract<RuntimeInput, { kind: 'probed' }>): void {
  if (input.result === 'success') return;
  const kind = `${worker.kind[0]!.toUpperCase()}${worker.kind.slice(1)}`;
  const how = input.result === 'warning' ? 'warning' : input.result === 'failure' ? 'failed' : 'errored';
  const message = `${kind} probe ${how}: ${input.message ?? ''}`;
  const reason = input.result === 'warning' ? 'ProbeWarning' : 'Unhealthy';
  event(draft, { type: 'Warning', reason, message, container: worker.container });
}
