// The probe workers of the machine: they tick beside the pod's worker, park while there is nothing to probe, and emit probes.
// What an answer means is in probe.ts; who reacts to a changed result is machine-runtime.ts.
import { choose, type Draft, never, nextId, shape } from './draft.ts';
import { statusLookup } from './pod-status.ts';
import {
  adoptRun,
  firstProbeMs,
  initialResult,
  nextTickMs,
  probeKinds,
  probeOf,
  probePeriodMs,
  probeTimeoutMs,
} from './probe.ts';
import { newestRun } from './records.ts';
import type { Slot } from './shape.ts';
import type { ProbeResult, ProbeWorker } from './state.ts';
import type { ContainerStatus } from './status.ts';

/** One worker for each probe of each main and sidecar, before any container exists. */
export function addProbes(draft: Draft): void {
  const { inits, mains } = shape(draft);
  const workers: ProbeWorker[] = [];
  for (const { container, role } of [...inits, ...mains]) {
    if (role === 'init') continue;
    for (const kind of probeKinds) {
      const spec = probeOf(container, kind);
      if (spec !== undefined) workers.push(newWorker(draft, container.name, { kind, periodMs: probePeriodMs(spec) }));
    }
  }
  draft.state.probes = workers;
}

/** A kubelet that has been up for less than a period spreads its first probes over one. */
function newWorker(
  draft: Draft,
  container: string,
  { kind, periodMs }: Pick<ProbeWorker, 'kind' | 'periodMs'>,
): ProbeWorker {
  const young = draft.nowMs - draft.state.kubeletStartedAtMs < periodMs;
  return {
    container,
    kind,
    baseMs: draft.nowMs + (young ? Math.floor(choose(draft, 0, periodMs)) : 0),
    periodMs,
    nextMs: never,
    call: undefined,
    tries: 0,
    instance: undefined,
    published: undefined,
    lastResult: undefined,
    resultRun: 0,
    onHold: false,
    ended: false,
  };
}

/** After each change of the cached status: workers take up new runs, and tick only while there is something to probe. */
export function parkProbes(draft: Draft): void {
  const { state } = draft;
  if (state.probes.length === 0) return;
  const statusOf = statusLookup(state.cached);
  let changed = false;
  const probes = state.probes.map((worker) => {
    const next = worker.ended ? worker : park(draft, worker, statusOf(worker.container));
    changed ||= next !== worker;
    return next;
  });
  if (changed) state.probes = probes;
}

function park(draft: Draft, worker: ProbeWorker, status: ContainerStatus | undefined): ProbeWorker {
  const adopted = adopt(draft, worker, status);
  const startedAt = status?.state.running?.startedAt;
  const idle = startedAt === undefined || adopted.onHold || status!.started === (worker.kind === 'startup');
  if (idle) return adopted.nextMs === never ? adopted : { ...adopted, nextMs: never };
  if (adopted.nextMs !== never) return adopted;
  const { container } = shape(draft).byName.get(worker.container)!;
  const notBefore = firstProbeMs(probeOf(container, worker.kind)!, startedAt);
  return { ...adopted, nextMs: nextTickMs(worker, draft.nowMs, notBefore) };
}

function adopt(draft: Draft, worker: ProbeWorker, status: ContainerStatus | undefined): ProbeWorker {
  if (status?.containerID === undefined) return worker;
  const run = newestRun(draft.state.runtime, worker.container);
  if (run === undefined || (run.containerID ?? run.id) !== status.containerID || run.id === worker.instance)
    return worker;
  return { ...adoptRun(worker, run.id, firstResult(draft, worker, run.id)), call: undefined, nextMs: never };
}

/** A run older than the kubelet gets no initial result, so that it keeps its flags; a sidecar that had started counts as started. */
function firstResult(draft: Draft, { kind, container }: ProbeWorker, run: string): ProbeResult | undefined {
  const kept = draft.state.kept[run];
  if (kept === undefined) return initialResult[kind];
  const seeded = kind === 'startup' && kept.started && shape(draft).byName.get(container)?.role === 'sidecar';
  return seeded ? 'success' : undefined;
}

/**
 * A status that shows a container started but not ready has its readiness probed at once, and the period starts over. The
 * worker races with the status that woke it: where it still reads `before`, which shows nothing running, the trigger is spent
 * and the first probe comes a whole period later (life `kubelet-restart`).
 */
export function triggerReadiness(draft: Draft, before: (name: string) => ContainerStatus | undefined): void {
  const { state, nowMs } = draft;
  if (!state.probes.some(({ kind, nextMs }) => kind === 'readiness' && nextMs !== never)) return;
  const statusOf = statusLookup(state.cached);
  state.probes = state.probes.map((worker) => {
    if (worker.kind !== 'readiness' || worker.nextMs === never || worker.call !== undefined) return worker;
    const status = statusOf(worker.container);
    if (status?.state.running === undefined || !status.started || status.ready) return worker;
    const { container } = shape(draft).byName.get(worker.container)!;
    const notBefore = firstProbeMs(probeOf(container, 'readiness')!, status.state.running.startedAt);
    const base = { baseMs: nowMs, periodMs: worker.periodMs };
    const spent = before(worker.container)?.state.running === undefined && choose(draft, 0, 1) >= 0.5;
    const now = notBefore <= nowMs && !spent;
    return { ...worker, baseMs: nowMs, nextMs: now ? nowMs : nextTickMs(base, nowMs, notBefore) };
  });
}

/** Emits the probes whose tick has come. A worker whose probe is still out drops its ticks. */
export function fireProbes(draft: Draft): void {
  const { state, nowMs } = draft;
  for (let index = 0; index < state.probes.length; index++) {
    const worker = state.probes[index]!;
    if (worker.nextMs > nowMs || worker.call !== undefined) continue;
    const fired = { ...emitProbe(draft, worker), tries: 1, nextMs: nextTickMs(worker, nowMs, 0) };
    state.probes = state.probes.with(index, fired);
  }
}

/** Sends one probe of the worker out. */
export function emitProbe(draft: Draft, worker: ProbeWorker): ProbeWorker {
  const { container } = shape(draft).byName.get(worker.container) as Slot;
  const spec = probeOf(container, worker.kind)!;
  const call = nextId(draft);
  const instance = worker.instance!;
  draft.effects.push({ kind: 'probe', call, instance, probe: worker.kind, spec, timeoutMs: probeTimeoutMs(spec) });
  return { ...worker, call };
}

/** The pod ends: mains are probed for readiness only. Sidecars keep their workers, but nobody acts on them. */
export function endMainProbes(draft: Draft): void {
  const { byName } = shape(draft);
  draft.state.probes = draft.state.probes.map((worker) =>
    worker.kind === 'readiness' || byName.get(worker.container)?.role !== 'main'
      ? worker
      : { ...worker, ended: true, nextMs: never, call: undefined },
  );
}
