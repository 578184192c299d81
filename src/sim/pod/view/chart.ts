// A life as a chart: a lane for the pod and one for each container, with spans and marks in virtual time. `svg` draws it.
import type { ContainerStatus, Pod } from '../../../core/pod/index.ts';
import type { Happening } from '../happening.ts';
import type { Simulation } from '../simulate.ts';
import { allStatuses } from './changes.ts';

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
  readonly label: string;
  readonly tone: Tone;
}

export type Tone =
  | 'pending'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'ready'
  | 'starting'
  | 'waiting'
  | 'hook'
  | 'cut'
  | 'success'
  | 'failure';

export interface Mark {
  readonly atMs: number;
  readonly label: string;
  readonly tone: Tone;
}

export interface Lane {
  readonly name: string;
  readonly role: 'pod' | 'init' | 'sidecar' | 'main' | 'ephemeral';
  /** What ran (of the pod: its phases), drawn thick. */
  readonly bars: readonly Span[];
  readonly ready: readonly Span[];
  readonly hooks: readonly Span[];
  readonly probes: readonly Mark[];
  readonly signals: readonly Mark[];
}

export interface Chart {
  readonly title: string;
  readonly toMs: number;
  readonly lanes: readonly Lane[];
  /** Vertical lines through all lanes: what happened to the pod, and the end of its grace period. */
  readonly lines: readonly Mark[];
}

/** The chart of a life, from its beginning to a little after the last thing that changed. */
export function chartOf(life: Simulation): Chart {
  const toMs = endOf(life);
  const seen = life.happenings.filter(({ atMs }) => atMs <= toMs);
  const pod = life.pod;
  const containers = [
    ...(pod.spec.initContainers ?? []).map(({ name, restartPolicy }) => ({
      name,
      role: restartPolicy === 'Always' ? ('sidecar' as const) : ('init' as const),
    })),
    ...pod.spec.containers.map(({ name }) => ({ name, role: 'main' as const })),
    ...(pod.spec.ephemeralContainers ?? []).map(({ name }) => ({ name, role: 'ephemeral' as const })),
  ];
  return {
    title: `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name}`,
    toMs,
    lanes: [
      podLane(seen, toMs, life.gone),
      ...containers.map(({ name, role }) => containerLane(name, role, seen, toMs)),
    ],
    lines: linesOf(seen, toMs),
  };
}

/** Probes and repeated events do not keep a chart going. */
function endOf({ happenings, endedAtMs }: Simulation): number {
  const last = Math.max(
    1000,
    ...happenings.filter(({ kind }) => kind !== 'probe' && kind !== 'event').map(({ atMs }) => atMs),
  );
  return Math.min(Math.max(endedAtMs, last), last + Math.max(1000, Math.round(last * 0.06)));
}

type Write = Extract<Happening, { kind: 'pod' }>;

function writesOf(seen: readonly Happening[]): readonly Write[] {
  return seen.filter((happening) => happening.kind === 'pod');
}

/** Spans of equal values over the writes of the object; undefined leaves a gap. */
function spans(
  seen: readonly Happening[],
  toMs: number,
  valueOf: (pod: Pod) => Omit<Span, 'fromMs' | 'toMs'> | undefined,
): readonly Span[] {
  const result: Span[] = [];
  const writes = writesOf(seen);
  writes.forEach(({ atMs, pod, type }, index) => {
    const value = type === 'DELETED' ? undefined : valueOf(pod);
    const endMs = writes[index + 1]?.atMs ?? toMs;
    const last = result.at(-1);
    if (value === undefined || endMs === atMs) return;
    if (last?.toMs === atMs && last.label === value.label && last.tone === value.tone)
      result[result.length - 1] = { ...last, toMs: endMs };
    else result.push({ ...value, fromMs: atMs, toMs: endMs });
  });
  return result;
}

const phaseTones: Readonly<Record<string, Tone>> = {
  Pending: 'pending',
  Running: 'running',
  Succeeded: 'succeeded',
  Failed: 'failed',
};

function podLane(seen: readonly Happening[], toMs: number, gone: boolean): Lane {
  const deleted = gone ? writesOf(seen).findLast(({ type }) => type === 'DELETED') : undefined;
  return {
    name: 'pod',
    role: 'pod',
    bars: spans(seen, toMs, ({ status }) => ({ label: status.phase, tone: phaseTones[status.phase] ?? 'pending' })),
    ready: spans(seen, toMs, ({ status }) =>
      status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True')
        ? { label: 'Ready', tone: 'ready' }
        : undefined,
    ),
    hooks: [],
    probes: [],
    signals: deleted === undefined ? [] : [{ atMs: deleted.atMs, label: 'gone', tone: 'cut' }],
  };
}

function containerLane(name: string, role: Lane['role'], seen: readonly Happening[], toMs: number): Lane {
  const own = seen.filter((happening) => 'container' in happening && happening.container === name);
  const statusOf = (pod: Pod) => allStatuses(pod).find((status) => status.name === name);
  const waits = spans(seen, toMs, (pod) => waitOf(statusOf(pod)));
  return {
    name,
    role,
    bars: [...backOffs(own), ...waits, ...runBars(own, seen, toMs, statusOf)],
    ready:
      role === 'init'
        ? []
        : spans(seen, toMs, (pod) => (statusOf(pod)?.ready === true ? { label: 'ready', tone: 'ready' } : undefined)),
    hooks: hookBars(own, toMs),
    probes: own.flatMap((happening) =>
      happening.kind === 'probe'
        ? [
            {
              atMs: happening.atMs,
              label: happening.probe,
              tone: happening.answer === 'success' || happening.answer === 'warning' ? 'success' : 'failure',
            } as const,
          ]
        : [],
    ),
    signals: own.flatMap((happening) =>
      happening.kind === 'signal'
        ? [
            {
              atMs: happening.atMs,
              label: happening.signal,
              tone: happening.signal === 'KILL' ? 'failure' : 'cut',
            } as const,
          ]
        : [],
    ),
  };
}

/** Reasons that say more than "not yet". */
function waitOf(status: ContainerStatus | undefined): Omit<Span, 'fromMs' | 'toMs'> | undefined {
  const reason = status?.state.waiting?.reason;
  return reason === undefined || ['ContainerCreating', 'PodInitializing'].includes(reason)
    ? undefined
    : { label: reason, tone: 'waiting' };
}

/** From the end of a run to the next one, where the kubelet told of a back-off in between. */
function backOffs(own: readonly Happening[]): readonly Span[] {
  const runs = own.filter((happening) => happening.kind === 'run');
  return runs.flatMap((run, index) => {
    const next = runs[index + 1];
    if (run.what !== 'ended' || next === undefined) return [];
    const told = own.some(
      (happening) =>
        happening.kind === 'event' &&
        happening.reason === 'BackOff' &&
        happening.atMs >= run.atMs &&
        happening.atMs <= next.atMs,
    );
    return told ? [{ fromMs: run.atMs, toMs: next.atMs, label: '', tone: 'waiting' as const }] : [];
  });
}

/** A bar a run: light until it counts as started, its exit code at the end. */
function runBars(
  own: readonly Happening[],
  seen: readonly Happening[],
  toMs: number,
  statusOf: (pod: Pod) => ContainerStatus | undefined,
): readonly Span[] {
  const runs = own.filter((happening) => happening.kind === 'run');
  const unstarted = spans(seen, toMs, (pod) => {
    const status = statusOf(pod);
    return status?.state.running !== undefined && !status.started ? { label: '', tone: 'starting' } : undefined;
  });
  return runs.flatMap((run, index): readonly Span[] => {
    if (run.what !== 'started') return [];
    const end = runs[index + 1];
    const runEndMs = end?.atMs ?? toMs;
    const label = end?.what === 'ended' ? String(end.exitCode) : '';
    const tone = label === '' ? 'running' : label === '0' ? 'succeeded' : 'failed';
    const whole: Span = { fromMs: run.atMs, toMs: runEndMs, label, tone };
    return [
      whole,
      ...unstarted
        .filter(({ fromMs }) => fromMs >= run.atMs && fromMs < runEndMs)
        .map((span) => ({ ...span, fromMs: Math.min(span.fromMs, run.atMs), toMs: Math.min(span.toMs, runEndMs) })),
    ];
  });
}

function hookBars(own: readonly Happening[], toMs: number): readonly Span[] {
  const hooks = own.filter((happening) => happening.kind === 'hook');
  return hooks.flatMap((hook, index) => {
    if (hook.what !== 'began') return [];
    const end = hooks.slice(index + 1).find((other) => other.hook === hook.hook);
    const tone: Tone = end?.what === 'cut' ? 'cut' : end?.what === 'failed' ? 'failure' : 'hook';
    return [{ fromMs: hook.atMs, toMs: end?.atMs ?? toMs, label: hook.hook, tone }];
  });
}

function linesOf(seen: readonly Happening[], toMs: number): readonly Mark[] {
  const given = seen.flatMap((happening): readonly Mark[] =>
    happening.kind === 'given' ? [{ atMs: happening.atMs, label: happening.what, tone: 'pending' }] : [],
  );
  const deleting = writesOf(seen).find(({ pod }) => pod.metadata.deletionTimestamp !== undefined);
  if (deleting === undefined) return given;
  const graceMs = (deleting.pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const overMs = deleting.atMs + graceMs;
  return overMs > toMs || graceMs === 0
    ? given
    : [...given, { atMs: overMs, label: `grace period of ${graceMs / 1000} s over`, tone: 'failure' }];
}
