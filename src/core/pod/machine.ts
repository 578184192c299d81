// The Pod lifecycle machine: createPod makes the first state, transition takes one input. Pure; see runtime.ts for how a shell
// drives it. This file only receives; the decisions live in the files beside it, and machine-*.ts compose them.

import { notNegative } from './deletion.ts';
import { type Draft, never } from './draft.ts';
import type { Effect } from './effect.ts';
import type { Input } from './input.ts';
import {
  addEphemeralContainer,
  beginWork,
  bind,
  collect,
  deletePod,
  evictByApi,
  hasGates,
  removeCondition,
  setCondition,
  updateMetadata,
  updateSpec,
} from './machine-api.ts';
import { endPod, kubeletRestart, nodeLost, recreateMirror, reject, sourceRemoved } from './machine-node.ts';
import { acceptRuntime } from './machine-runtime.ts';
import { isStatic, writeStatus } from './machine-status.ts';
import { passDueMs, settle } from './machine-sync.ts';
import type { Policy } from './policy.ts';
import { noRecords } from './records.ts';
import type { ObjectMeta, PodSpec } from './spec.ts';
import type { PodState } from './state.ts';
import type { Pod, PodCondition, PodStatus } from './status.ts';
import { isTerminal } from './status-merge.ts';
import { qosOf } from './validate/qos.ts';

export type Transition = readonly [state: PodState, effects: readonly Effect[]];

export interface Manifest {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
}

/** A pod as the API server has just stored it. The manifest is taken as valid (see validation). */
export function createPod(policy: Policy, manifest: Manifest, nowMs: number): Transition {
  const draft: Draft = { policy, nowMs, state: firstState(policy, storedPod(manifest, nowMs)), effects: [] };
  draft.effects.push({ kind: 'pod', type: 'ADDED', pod: draft.state.api, why: 'create' });
  if (draft.state.api.spec.nodeName !== undefined) beginWork(draft);
  else if (policy.autoBind) bind(draft, policy.nodeName);
  return finished(draft);
}

/** One step: total, deterministic, `nowMs` never less than in the step before. */
export function transition(policy: Policy, state: PodState, input: Input, nowMs: number): Transition {
  const draft: Draft = { policy, nowMs, state: { ...state }, effects: [] };
  accept(draft, input);
  return finished(draft);
}

function finished(draft: Draft): Transition {
  settle(draft);
  draft.state.wakeAtMs = nextWakeMs(draft);
  return [draft.state, draft.effects];
}

function accept(draft: Draft, input: Input): void {
  switch (input.kind) {
    case 'tick':
      return;
    case 'bind':
      return bind(draft, input.nodeName);
    case 'delete':
      return isStatic(draft.state.api) ? recreateMirror(draft) : deletePod(draft, input.gracePeriodSeconds);
    case 'evictByApi':
      return evictByApi(draft, input.gracePeriodSeconds);
    case 'updateSpec':
      return updateSpec(draft, input.spec);
    case 'updateMetadata':
      return updateMetadata(draft, input);
    case 'addEphemeralContainer':
      return addEphemeralContainer(draft, input.container);
    case 'setCondition':
      return setCondition(draft, input.condition);
    case 'removeCondition':
      return removeCondition(draft, input.type);
    case 'endPod':
      return endPod(draft, input);
    case 'reject':
      return reject(draft, input);
    case 'kubeletRestart':
      return kubeletRestart(draft);
    case 'sourceRemoved':
      return sourceRemoved(draft);
    case 'nodeLost':
      return nodeLost(draft);
    case 'nodeBack':
      return writeStatus(draft);
    case 'collect':
      return collect(draft, input.disruptionTarget);
    default:
      return acceptRuntime(draft, input);
  }
}

/** What the API server fills in. */
function storedPod({ metadata, spec }: Manifest, nowMs: number): Pod {
  const stored: PodSpec = {
    ...spec,
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: notNegative(spec.terminationGracePeriodSeconds ?? 30),
  };
  return {
    metadata: {
      ...metadata,
      namespace: metadata.namespace ?? 'default',
      uid: metadata.uid ?? `${metadata.name}-${nowMs}`,
      generation: 1,
      creationTimestamp: Math.floor(nowMs / 1000) * 1000,
    },
    spec: stored,
    status: firstStatus(stored, nowMs),
  };
}

function firstStatus(spec: PodSpec, nowMs: number): PodStatus {
  const gated: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
    lastTransitionTime: Math.floor(nowMs / 1000) * 1000,
  };
  return { phase: 'Pending', conditions: hasGates(spec) ? [gated] : [], qosClass: qosOf(spec) };
}

function firstState(policy: Policy, api: Pod): PodState {
  return {
    api,
    gone: false,
    cached: api.status,
    runtime: noRecords,
    worker: 'unbound',
    job: undefined,
    kills: [],
    probes: [],
    backoff: [],
    imageBackoff: [],
    startErrors: {},
    ending: undefined,
    seen: api.status,
    mounted: false,
    logs: {},
    kept: {},
    resize: { pending: undefined, inProgress: undefined, retryMs: never, allocated: undefined },
    clock: { queueMs: never, changeMs: never, again: false, freshMs: 0 },
    kubeletStartedAtMs: Number.NEGATIVE_INFINITY,
    nextId: 0,
    random: policy.timing.kind === 'kubelet' ? Math.imul(policy.timing.seed + 1, 0x85ebca6b) >>> 0 : 0,
    wakeAtMs: never,
  };
}

function nextWakeMs(draft: Draft): number {
  const { state } = draft;
  let wakeMs = Math.min(state.job === undefined ? passDueMs(draft) : never, state.resize.retryMs);
  for (const { stage, deadlineMs } of state.kills)
    if (stage !== 'stopping' || deadlineMs !== never) wakeMs = Math.min(wakeMs, deadlineMs);
  for (const { nextMs, call } of state.probes) if (call === undefined && nextMs < wakeMs) wakeMs = nextMs;
  return wakeMs;
}

/** When to feed `tick` if nothing else comes; Infinity: never. */
export function wakeAtMs(state: PodState): number {
  return state.wakeAtMs;
}

/** Nothing can happen any more: the kubelet is done with the pod, and the object is gone or in a terminal phase. */
export function isOver(state: PodState): boolean {
  return state.worker === 'finished' && (state.gone || isTerminal(state.api.status.phase));
}
