// Changes that come through the API: the scheduler's binding, deletion and eviction, edits of spec and metadata, conditions of
// other writers (pkg/registry/core/pod: strategy.go, storage/eviction.go). The API object changes at once; the pod's worker sees it as an update.
import { deletionVerdict, notNegative } from './deletion.ts';
import { type Draft, enqueue, event, shape } from './draft.ts';
import { noticeResize } from './machine-resize.ts';
import { removeApi, setStatus, writeApi, writeStatus } from './machine-status.ts';
import { deleteIfDone, endIfWanted } from './machine-sync.ts';
import type { Container, ObjectMeta, PodSpec } from './spec.ts';
import type { Pod, PodCondition } from './status.ts';

/** The scheduler has chosen the node. A pod is bound once; gates must be gone. */
export function bind(draft: Draft, nodeName: string): void {
  const { state, nowMs } = draft;
  if (state.worker !== 'unbound' || state.gone || hasGates(state.api.spec)) return;
  const scheduled: PodCondition = {
    type: 'PodScheduled',
    status: 'True',
    lastTransitionTime: Math.floor(nowMs / 1000) * 1000,
  };
  const others = state.api.status.conditions.filter(({ type }) => type !== 'PodScheduled');
  const status = { ...state.api.status, conditions: [...others, scheduled] };
  event(draft, {
    type: 'Normal',
    reason: 'Scheduled',
    message: `Successfully assigned ${state.api.metadata.namespace ?? 'default'}/${state.api.metadata.name} to ${nodeName}`,
  });
  writeApi(draft, { ...state.api, spec: { ...state.api.spec, nodeName }, status }, 'bind');
  beginWork(draft);
}

/** The node's kubelet takes the pod up. */
export function beginWork(draft: Draft): void {
  const { state, nowMs } = draft;
  state.worker = 'syncing';
  state.cached = state.api.status;
  state.seen = state.api.status;
  enqueue(draft, nowMs);
}

export function hasGates(spec: PodSpec): boolean {
  return (spec.schedulingGates?.length ?? 0) > 0;
}

export function deletePod(draft: Draft, requested: number | undefined): void {
  const { state, nowMs } = draft;
  if (state.gone) return;
  const verdict = deletionVerdict(state.api, requested, nowMs);
  if (verdict.kind === 'ignore') return;
  const { metadata } = state.api;
  if (verdict.kind === 'remove') {
    const deletionTimestamp = metadata.deletionTimestamp ?? Math.floor(nowMs / 1000) * 1000;
    update(draft, { metadata: { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 } }, 'delete');
    removeApi(draft, 'delete');
  } else {
    const generation = (metadata.generation ?? 1) + (verdict.first ? 1 : 0);
    const { deletionTimestamp, graceSeconds } = verdict;
    const marked = { ...metadata, generation, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
    update(draft, { metadata: marked }, 'delete');
  }
  if (state.worker === 'unbound') state.worker = 'finished';
  endIfWanted(draft);
  deleteIfDone(draft);
}

/** A granted eviction: the reason first, then the deletion. */
export function evictByApi(draft: Draft, requested: number | undefined): void {
  const message = 'Eviction API: evicting';
  setCondition(draft, { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', message });
  deletePod(draft, requested);
}

export function updateSpec(draft: Draft, spec: PodSpec): void {
  const { state, policy } = draft;
  if (state.gone) return;
  const grace = spec.terminationGracePeriodSeconds;
  const stored = grace === undefined ? spec : { ...spec, terminationGracePeriodSeconds: notNegative(grace) };
  const wanted: PodSpec = { ...stored, nodeName: state.api.spec.nodeName ?? spec.nodeName };
  if (JSON.stringify(wanted) === JSON.stringify(state.api.spec)) return;
  const generation = (state.api.metadata.generation ?? 1) + 1;
  const before = state.api.spec;
  update(draft, { spec: wanted, metadata: { ...state.api.metadata, generation } }, 'spec');
  noticeResize(draft, before);
  if (state.worker === 'unbound' && policy.autoBind) bind(draft, policy.nodeName);
}

export function updateMetadata(draft: Draft, change: Pick<ObjectMeta, 'labels' | 'annotations'>): void {
  if (draft.state.gone) return;
  const { metadata } = draft.state.api;
  const labels = change.labels ?? metadata.labels;
  const annotations = change.annotations ?? metadata.annotations;
  update(draft, { metadata: { ...metadata, labels, annotations } }, 'metadata');
}

/** Names are unique in a pod, and an ephemeral container is never changed: one more of a known name is refused. */
export function addEphemeralContainer(draft: Draft, container: Container): void {
  const { spec } = draft.state.api;
  if (shape(draft).byName.has(container.name)) return;
  updateSpec(draft, { ...spec, ephemeralContainers: [...(spec.ephemeralContainers ?? []), container] });
}

/** Spec or metadata change: the worker's copy is renewed, and it looks at the pod. */
function update(draft: Draft, change: Partial<Pod>, why: string): void {
  const { state, nowMs } = draft;
  writeApi(draft, { ...state.api, ...change }, why);
  state.seen = state.api.status;
  enqueue(draft, nowMs);
}

/** Another writer's condition, replaced or added. */
export function setCondition(draft: Draft, condition: PodCondition): void {
  const { state, nowMs } = draft;
  if (state.gone) return;
  const old = state.api.status.conditions.find(({ type }) => type === condition.type);
  const same = old?.status === condition.status;
  const lastTransitionTime = same ? old.lastTransitionTime : Math.floor(nowMs / 1000) * 1000;
  const written = { ...condition, lastTransitionTime };
  const conditions =
    old === undefined
      ? [...state.api.status.conditions, written]
      : state.api.status.conditions.map((each) => (each === old ? written : each));
  changeConditions(draft, conditions);
}

export function removeCondition(draft: Draft, type: string): void {
  const kept = draft.state.api.status.conditions.filter((condition) => condition.type !== type);
  if (kept.length < draft.state.api.status.conditions.length) changeConditions(draft, kept);
}

function changeConditions(draft: Draft, conditions: readonly PodCondition[]): void {
  const { state, nowMs } = draft;
  writeApi(draft, { ...state.api, status: { ...state.api.status, conditions } }, 'condition');
  if (state.worker === 'unbound') return;
  writeStatus(draft);
  if (state.worker === 'syncing') enqueue(draft, nowMs);
}

/** PodGC: a terminal phase first, then the object goes. */
export function collect(draft: Draft, disruptionTarget: boolean): void {
  const { state } = draft;
  if (state.gone) return;
  if (disruptionTarget) {
    const message = 'PodGC: node no longer exists';
    setCondition(draft, { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message });
  }
  const { phase } = state.api.status;
  if (phase !== 'Succeeded' && phase !== 'Failed') {
    writeApi(draft, { ...state.api, status: { ...state.api.status, phase: 'Failed' } }, 'podgc');
    setStatus(draft, { ...state.cached, phase: 'Failed' });
  }
  deletePod(draft, 0);
}
