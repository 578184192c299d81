// A termination drill: the pod is lived until it is ready, then deleted, and what each container did of its grace period is told.
import type { Manifest, Policy } from '../../core/pod/index.ts';
import type { Happening } from './happening.ts';
import type { Scenario } from './scenario/format.ts';
import { type Simulation, simulate } from './simulate.ts';

export type Drill =
  /** It ended by itself before anybody could delete it. */
  | { readonly kind: 'finished'; readonly phase: string; readonly atMs: number }
  | {
      readonly kind: 'drilled';
      readonly ready: boolean;
      readonly deletedAtMs: number;
      readonly ends: readonly DrilledEnd[];
      readonly goneMs: number | undefined;
      /** The shortest grace period in which everything ends by itself; undefined: there is none. */
      readonly neededMs: number | undefined;
    };

/** Times count from the deletion; undefined: it did not happen. */
export interface DrilledEnd {
  readonly container: string;
  readonly hook: { readonly what: 'ended' | 'failed' | 'cut'; readonly atMs: number } | undefined;
  readonly signal: { readonly name: string; readonly atMs: number } | undefined;
  readonly killMs: number | undefined;
  readonly exit: { readonly code: number; readonly atMs: number } | undefined;
  /** From its signal to its end with all the time in the world; undefined: it does not end by its signal. */
  readonly needsMs: number | undefined;
}

export interface DrillOptions {
  readonly manifest: Manifest;
  readonly scenario: Scenario;
  readonly policy: Policy;
}

/** Waits at most this long for the pod to be ready. */
const patienceMs = 900_000;
const settleMs = 5000;

/** Lives the pod, without the scenario's own events, and deletes it 5 s after it got ready. */
export function drill({ manifest, scenario, policy }: DrillOptions): Drill {
  const calm = { ...scenario, events: [] };
  const first = simulate({ manifest, scenario: calm, policy, untilMs: patienceMs });
  const readyMs = readyAt(first);
  if (first.over && (readyMs === undefined || first.endedAtMs <= readyMs + settleMs))
    return { kind: 'finished', phase: first.pod.status.phase, atMs: first.endedAtMs };
  const deletedAtMs = (readyMs ?? patienceMs) + settleMs;
  const deleted = (grace: number | undefined) => {
    const events = [{ at: `${deletedAtMs}ms`, do: 'delete' as const, grace }];
    const untilMs = deletedAtMs + (grace ?? 0) * 1000 + patienceMs;
    return simulate({ manifest, scenario: { ...scenario, events }, policy, untilMs });
  };
  const real = deleted(undefined);
  const patient = endsOf(deleted(patienceMs / 1000), deletedAtMs);
  const ends = endsOf(real, deletedAtMs).map((end) => ({ ...end, needsMs: needOf(end.container, patient) }));
  const endless = patient.some(({ killMs }) => killMs !== undefined);
  const neededMs = endless ? undefined : Math.max(0, ...patient.map(({ exit }) => exit?.atMs ?? 0));
  return {
    kind: 'drilled',
    ready: readyMs !== undefined,
    deletedAtMs,
    ends,
    goneMs: goneMs(real, deletedAtMs),
    neededMs,
  };
}

function needOf(container: string, patient: readonly DrilledEnd[]): number | undefined {
  const end = patient.find((other) => other.container === container);
  if (end === undefined || end.killMs !== undefined) return undefined;
  return (end.exit?.atMs ?? 0) - (end.signal?.atMs ?? 0);
}

function readyAt({ happenings }: Simulation): number | undefined {
  return happenings.find(
    (happening) =>
      happening.kind === 'pod' &&
      happening.pod.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
  )?.atMs;
}

function goneMs({ happenings }: Simulation, deletedAtMs: number): number | undefined {
  const gone = happenings.find((happening) => happening.kind === 'pod' && happening.type === 'DELETED');
  return gone === undefined ? undefined : gone.atMs - deletedAtMs;
}

function endsOf({ pod, happenings }: Simulation, deletedAtMs: number): readonly DrilledEnd[] {
  const after = happenings
    .filter(({ atMs }) => atMs >= deletedAtMs)
    .map((happening) => ({ ...happening, atMs: happening.atMs - deletedAtMs }));
  const names = [...pod.spec.containers, ...(pod.spec.initContainers ?? []).toReversed()].map(({ name }) => name);
  return names.flatMap((container) => {
    const end = endOf(
      container,
      after.filter((happening) => 'container' in happening && happening.container === container),
    );
    return end.signal === undefined && end.exit === undefined ? [] : [end];
  });
}

function endOf(container: string, own: readonly Happening[]): DrilledEnd {
  const hook = own.flatMap((happening) =>
    happening.kind === 'hook' && happening.hook === 'preStop' && happening.what !== 'began'
      ? [{ what: happening.what, atMs: happening.atMs }]
      : [],
  )[0];
  const signals = own.flatMap((happening) =>
    happening.kind === 'signal' ? [{ name: happening.signal, atMs: happening.atMs }] : [],
  );
  const exit = own.flatMap((happening) =>
    happening.kind === 'run' && happening.what === 'ended' ? [{ code: happening.exitCode, atMs: happening.atMs }] : [],
  )[0];
  return {
    container,
    hook,
    signal: signals.find(({ name }) => name !== 'KILL'),
    killMs: signals.find(({ name }) => name === 'KILL')?.atMs,
    exit,
    needsMs: undefined,
  };
}
