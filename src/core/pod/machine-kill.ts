// Ending containers: preStop inside the grace, the sidecar's wait for its turn, the signal, and what is left for the runtime
// (kubelet: kuberuntime_container.go, kuberuntime_termination_order.go). A kill is over when the run's `exited` has come.
import { type Draft, event, nextId, shape } from './draft.ts';
import { isAlive, runOf } from './records.ts';
import type { Slot } from './shape.ts';
import type { Instance, Kill, KillReason } from './state.ts';
import { endsAfter, killGraceSeconds, remainingSeconds, runsPreStop, stopWindowSeconds } from './termination.ts';

export interface KillOrder {
  readonly reason: KillReason;
  /** undefined: "Stopping container NAME". */
  readonly message?: string | undefined;
  /** Instead of the grace that reason and pod give. 0: no preStop. */
  readonly graceSeconds?: number | undefined;
}

/** Begins to end every run that is alive, all at once, mains first told; sidecars in their order where the pod has any. */
export function beginKillAll(draft: Draft, order: KillOrder): void {
  const known = shape(draft);
  const alive = draft.state.runtime.instances.filter(isAlive);
  for (const slot of [...known.mains, ...known.inits, ...known.ephemerals]) {
    for (const instance of alive) {
      if (instance.container !== slot.container.name) continue;
      const after = endsAfter(slot, known, alive).map(({ id }) => id);
      beginKill(draft, instance, { ...order, after });
    }
  }
}

export function beginKill(
  draft: Draft,
  instance: Instance,
  order: KillOrder & { readonly after?: readonly string[] },
): void {
  const slot = shape(draft).byName.get(instance.container);
  event(draft, {
    type: 'Normal',
    reason: 'Killing',
    message: order.message ?? `Stopping container ${instance.container}`,
    container: instance.container,
  });
  const graceSeconds = order.graceSeconds ?? graceFor(draft, order.reason, slot);
  const kill: Kill = {
    instance: instance.id,
    container: instance.container,
    stage: 'preStop',
    startedAtMs: draft.nowMs,
    graceSeconds,
    deadlineMs: draft.nowMs + graceSeconds * 1000,
    turnSinceMs: draft.nowMs,
    call: nextId(draft),
    after: order.after ?? [],
    hookHangs: false,
    signal: draft.policy.gates.ContainerStopSignals ? slot?.container.lifecycle?.stopSignal : undefined,
  };
  const handler = slot?.container.lifecycle?.preStop;
  if (slot === undefined || handler === undefined || !runsPreStop(slot.container, graceSeconds)) {
    putKill(draft, takeTurn(draft, kill));
    return;
  }
  const timeoutMs = graceSeconds * 1000;
  draft.effects.push({ kind: 'runHook', call: kill.call, instance: instance.id, hook: 'preStop', handler, timeoutMs });
  putKill(draft, kill);
}

function graceFor({ state }: Draft, reason: KillReason, slot: Slot | undefined): number {
  const sources = {
    specSeconds: state.api.spec.terminationGracePeriodSeconds ?? 30,
    deletionSeconds: state.api.metadata.deletionGracePeriodSeconds,
  };
  return slot === undefined ? 1 : killGraceSeconds(reason, slot.container, sources);
}

function putKill(draft: Draft, kill: Kill): void {
  const others = draft.state.kills.filter(({ instance }) => instance !== kill.instance);
  draft.state.kills = [...others, kill];
}

/** preStop is over: whoever need not wait gets the signal. */
function takeTurn(draft: Draft, kill: Kill): Kill {
  const remaining = remainingSeconds(kill.graceSeconds, draft.nowMs - kill.startedAtMs);
  const waits = remaining > 0 && kill.after.some((id) => isStillUp(draft, id));
  if (!waits) return stop(draft, kill, remaining);
  const deadlineMs = draft.nowMs + remaining * 1000;
  return { ...kill, stage: 'turn', turnSinceMs: draft.nowMs, graceSeconds: remaining, deadlineMs };
}

function isStillUp({ state }: Draft, id: string): boolean {
  const run = runOf(state.runtime, id);
  return run !== undefined && isAlive(run);
}

function stop(draft: Draft, kill: Kill, remaining: number): Kill {
  const call = nextId(draft);
  const timeoutMs = stopWindowSeconds(remaining) * 1000;
  draft.effects.push({ kind: 'stopContainer', call, instance: kill.instance, signal: kill.signal, timeoutMs });
  return { ...kill, stage: 'stopping', call, deadlineMs: Number.POSITIVE_INFINITY };
}

/** The hook of a kill has answered. */
export function preStopOver(draft: Draft, kill: Kill, failure: string | undefined): void {
  if (failure !== undefined) hookFailed(draft, kill, failure);
  putKill(draft, takeTurn(draft, kill));
}

function hookFailed(draft: Draft, { container }: Kill, failure: string): void {
  const message = `PreStopHook failed: ${failure}`;
  event(draft, { type: 'Warning', reason: 'FailedPreStopHook', message, container });
}

/** Time goes on for every kill: hooks that hang are abandoned, turns come. */
export function advanceKills(draft: Draft): void {
  for (const kill of draft.state.kills) {
    if (kill.stage === 'preStop' && draft.nowMs >= kill.deadlineMs) {
      draft.effects.push({ kind: 'cancelHook', call: kill.call, instance: kill.instance });
      putKill(draft, takeTurn(draft, { ...kill, hookHangs: true }));
    } else if (kill.stage === 'turn' && isTurn(draft, kill)) {
      putKill(draft, stop(draft, kill, remainingSeconds(kill.graceSeconds, draft.nowMs - kill.turnSinceMs)));
    } else if (kill.stage === 'stopping' && draft.nowMs >= kill.deadlineMs) {
      putKill(draft, stop(draft, kill, 0));
    }
  }
}

function isTurn(draft: Draft, kill: Kill): boolean {
  return draft.nowMs >= kill.deadlineMs || !kill.after.some((id) => isStillUp(draft, id));
}

/** The runtime could not stop it: once more after the usual wait for errors. */
export function stopFailed(draft: Draft, kill: Kill): void {
  putKill(draft, { ...kill, deadlineMs: draft.nowMs + 10_000 });
}

/** The run has ended (or its record is gone): its kill is over, and a command that a hook still ran in it has failed. */
export function killOver(draft: Draft, instance: string): void {
  const kill = draft.state.kills.find((each) => each.instance === instance);
  if (kill === undefined) return;
  if (kill.stage === 'preStop') draft.effects.push({ kind: 'cancelHook', call: kill.call, instance });
  const hook = shape(draft).byName.get(kill.container)?.container.lifecycle?.preStop;
  if ((kill.stage === 'preStop' || kill.hookHangs) && hook?.exec !== undefined) {
    hookFailed(draft, kill, 'the container ended before its hook');
  }
  draft.state.kills = draft.state.kills.filter((each) => each !== kill);
}
