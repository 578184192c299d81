// What befalls a pod on its node: the kubelet ends it, refuses it, restarts, or is no longer heard of (kubelet: eviction, nodeshutdown, kubelet.go; pkg/controller/nodelifecycle).
import { podScheduled, withTransitionTime } from './conditions.ts';
import { type Draft, enqueue, event, never, setClock, shape } from './draft.ts';
import type { EndPodInput } from './input.ts';
import { addProbes, parkProbes } from './machine-probe.ts';
import { removeApi, writeApi } from './machine-status.ts';
import { endIfWanted } from './machine-sync.ts';
import { isTrue, statusLookup } from './pod-status.ts';
import type { KeptFlags } from './state.ts';
import type { PodStatus } from './status.ts';
import { isTerminal } from './status-merge.ts';

/** Eviction, preemption, node shutdown. A pod that ends already keeps its first cause; its grace may still shrink. */
export function endPod(draft: Draft, input: EndPodInput): void {
  const { state } = draft;
  if (state.worker === 'unbound' || state.worker === 'finished') return;
  if (state.ending === undefined) {
    state.ending = {
      reason: input.reason,
      message: input.message,
      graceSeconds: input.graceSeconds,
      disruptionTarget: input.disruptionTarget,
      keepsSuccess: input.keepsSuccess ?? false,
    };
  }
  endIfWanted(draft);
}

/** Bound, but refused at admission: Failed at once, without container statuses. Only before the kubelet has begun with it. */
export function reject(draft: Draft, { reason, message }: { readonly reason: string; readonly message: string }): void {
  const { state, policy, nowMs } = draft;
  if (state.worker !== 'unbound' || state.gone) return;
  const nodeName = state.api.spec.nodeName ?? policy.nodeName;
  const startTime = Math.floor(nowMs / 1000) * 1000;
  const status: PodStatus = {
    ...state.api.status,
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    startTime,
    conditions: [{ ...podScheduled, lastTransitionTime: startTime }],
  };
  event(draft, { type: 'Warning', reason, message });
  state.worker = 'finished';
  state.cached = status;
  writeApi(draft, { ...state.api, spec: { ...state.api.spec, nodeName }, status }, 'reject');
}

/** The file of a static pod is gone: it ends with the grace of its spec. */
export function sourceRemoved(draft: Draft): void {
  const { state } = draft;
  if (state.worker === 'unbound' || state.worker === 'finished') return;
  const graceSeconds = state.api.spec.terminationGracePeriodSeconds;
  state.ending ??= { reason: undefined, message: '', graceSeconds, disruptionTarget: false, keepsSuccess: false };
  endIfWanted(draft);
}

/**
 * The kubelet restarts: containers go on; back-off, start errors, probe counters and the pass under way are forgotten. A start
 * that the runtime is at goes on there. A termination begins again with its full grace.
 */
export function kubeletRestart(draft: Draft): void {
  const { state, nowMs } = draft;
  state.kubeletStartedAtMs = nowMs;
  state.kept = state.cached.startTime === undefined ? {} : keptFlags(draft);
  state.backoff = [];
  state.imageBackoff = [];
  state.startErrors = {};
  state.kills = [];
  state.cached = state.api.status;
  const step = state.job?.steps[0];
  state.job = step?.at === 'create' ? { ...state.job!, kind: 'sync', steps: [step] } : undefined;
  if (state.worker === 'terminated') state.worker = 'terminating';
  state.probes = [];
  if (state.worker === 'syncing' || state.worker === 'terminating') addProbes(draft);
  parkProbes(draft);
  setClock(draft, { queueMs: nowMs, changeMs: never, again: false, freshMs: nowMs });
}

/** Runs that had started 10 s before the kubelet keep the flags of the API's status, until a probe speaks. */
function keptFlags(draft: Draft): Readonly<Record<string, KeptFlags>> {
  const { state, policy, nowMs } = draft;
  if (policy.gates.ChangeContainerStatusOnKubeletRestart) return {};
  const statusOf = statusLookup(state.api.status);
  const podReady = isTrue(state.api.status.conditions, 'Ready');
  const kept: Record<string, KeptFlags> = {};
  for (const run of state.runtime.instances) {
    const status = statusOf(run.container);
    if (run.state !== 'running' || status === undefined || nowMs - run.startedAtMs < 10_000) continue;
    const probed = shape(draft).byName.get(run.container)?.container.readinessProbe !== undefined;
    kept[run.id] = { started: status.started, ready: status.ready && (!probed || podReady) };
  }
  return kept;
}

/** The node is not heard of: the controller marks the pod not ready; containers and phase stay as they are. */
export function nodeLost(draft: Draft): void {
  const { state, nowMs } = draft;
  if (state.gone || isTerminal(state.api.status.phase)) return;
  event(draft, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  const conditions = state.api.status.conditions.map((old) =>
    old.type === 'Ready' && old.status === 'True'
      ? withTransitionTime({ type: 'Ready', status: 'False' }, old, { nowMs, generation: old.observedGeneration })
      : old,
  );
  writeApi(draft, { ...state.api, status: { ...state.api.status, conditions } }, 'node-lost');
}

/** A mirror pod is only a picture: deleted, it is made again, and the containers never notice. */
export function recreateMirror(draft: Draft): void {
  const { state } = draft;
  removeApi(draft, 'delete');
  state.gone = false;
  draft.effects.push({ kind: 'pod', type: 'ADDED', pod: state.api, why: 'mirror' });
  enqueue(draft, draft.nowMs);
}
