// The laboratory of this folder's tests: a deterministic runtime in virtual time, so that a test can say how containers behave
// and read what the machine did. Small on purpose: the simulator proper is elsewhere. Nothing but tests imports it.
import type { Effect, ProbeKind } from './effect.ts';
import type { Input, ProbeAnswer } from './input.ts';
import { createPod, isOver, transition, wakeAtMs } from './machine.ts';
import type { Policy } from './policy.ts';
import type { Container, PodSpec } from './spec.ts';
import type { PodState } from './state.ts';
import type { Pod } from './status.ts';

/** One run. Times in seconds; `exit` after a time of its own, `term` after the signal, or never ('ignore'). */
export interface Run {
  readonly exit?: readonly [after: number, code: number, reason?: string];
  readonly term?: readonly [after: number, code: number] | 'ignore';
  /** Answers by the time since the start, default success. */
  readonly probes?: Partial<Record<ProbeKind, (secondsUp: number) => ProbeAnswer>>;
  readonly startError?: string;
  readonly postStart?: readonly [takes: number, fails?: string];
  readonly preStop?: readonly [takes: number, fails?: string];
}

export interface Scenario {
  /** Run by run; the last one repeats. */
  readonly runs?: Readonly<Record<string, readonly Run[]>>;
  readonly inputs?: readonly (readonly [atSeconds: number, input: Input])[];
  /** Why an image cannot be had, by container; undefined: it can. */
  readonly pulls?: Readonly<Record<string, (seconds: number) => string | undefined>>;
  readonly costsMs?: { readonly sandbox: number; readonly start: number; readonly stop: number };
  readonly annotations?: Readonly<Record<string, string>>;
  /** Draws an extra delay for each answer, to shuffle the order of events. */
  readonly delayMs?: () => number;
}

export interface Entry {
  readonly atMs: number;
  readonly effect: Effect;
}

/** One transition: the input (none for the creation), what came out, and the state after it. */
export interface LabStep {
  readonly atMs: number;
  readonly input: Input | undefined;
  readonly effects: readonly Effect[];
  readonly state: PodState;
}

export interface Life {
  readonly state: PodState;
  readonly log: readonly Entry[];
  readonly inputs: readonly (readonly [atMs: number, input: Input])[];
  readonly steps: readonly LabStep[];
  readonly endMs: number;
}

interface Up {
  readonly container: string;
  readonly run: Run;
  readonly sinceMs: number;
  ended: boolean;
}

interface Bench {
  readonly policy: Policy;
  readonly scenario: Scenario;
  readonly queue: { atMs: number; order: number; input: Input }[];
  readonly up: Map<string, Up>;
  readonly counts: Map<string, number>;
  readonly cancelled: Set<number>;
  readonly log: Entry[];
  readonly inputs: [number, Input][];
  readonly steps: LabStep[];
  order: number;
}

const usual: Run = { term: [0, 0] };

/** Lives a pod from its creation until `untilSeconds`, or until nothing can happen any more. */
export function live(policy: Policy, spec: PodSpec, scenario: Scenario, untilSeconds: number): Life {
  const bench: Bench = {
    policy,
    scenario,
    queue: [],
    up: new Map(),
    counts: new Map(),
    cancelled: new Set(),
    log: [],
    inputs: [],
    steps: [],
    order: 0,
  };
  for (const [at, input] of scenario.inputs ?? []) push(bench, at * 1000, input);
  let [state, effects] = createPod(
    policy,
    { metadata: { name: 'p', uid: 'u', annotations: scenario.annotations }, spec },
    0,
  );
  let nowMs = 0;
  perform(bench, effects, nowMs);
  bench.steps.push({ atMs: 0, input: undefined, effects, state });
  for (let steps = 0; steps < 200_000; steps++) {
    const next = takeNext(bench, wakeAtMs(state), nowMs);
    if (next === undefined || next.atMs > untilSeconds * 1000) break;
    nowMs = next.atMs;
    if (next.input.kind === 'exited' && hasEnded(bench, next.input.instance)) continue;
    [state, effects] = transition(policy, state, next.input, nowMs);
    bench.inputs.push([nowMs, next.input]);
    bench.steps.push({ atMs: nowMs, input: next.input, effects, state });
    perform(bench, effects, nowMs);
    if (isOver(state) && bench.queue.length === 0) break;
  }
  return { state, log: bench.log, inputs: bench.inputs, steps: bench.steps, endMs: nowMs };
}

/** A run ends once, whichever of its ends comes first. */
function hasEnded(bench: Bench, instance: string): boolean {
  const up = bench.up.get(instance);
  const had = up === undefined || up.ended;
  if (up !== undefined) up.ended = true;
  return had;
}

function push(bench: Bench, atMs: number, input: Input): void {
  bench.queue.push({ atMs, order: bench.order++, input });
}

function takeNext(bench: Bench, wakeMs: number, nowMs: number): { atMs: number; input: Input } | undefined {
  bench.queue.sort((a, b) => a.atMs - b.atMs || a.order - b.order);
  const [first] = bench.queue;
  if (first !== undefined && first.atMs <= wakeMs) return bench.queue.shift();
  return wakeMs === Number.POSITIVE_INFINITY ? undefined : { atMs: Math.max(wakeMs, nowMs), input: { kind: 'tick' } };
}

function perform(bench: Bench, effects: readonly Effect[], nowMs: number): void {
  for (const effect of effects) {
    bench.log.push({ atMs: nowMs, effect });
    performOne(bench, effect, nowMs);
  }
}

function answer(bench: Bench, atMs: number, input: Input): void {
  push(bench, atMs + (bench.scenario.delayMs?.() ?? 0), input);
}

function performOne(bench: Bench, effect: Effect, nowMs: number): void {
  const { costsMs } = bench.scenario;
  switch (effect.kind) {
    case 'pod':
    case 'event':
      return;
    case 'cancelHook':
      bench.cancelled.add(effect.call);
      return;
    case 'createSandbox':
      return answer(bench, nowMs + (costsMs?.sandbox ?? 0), {
        kind: 'sandboxCreated',
        call: effect.call,
        ip: '10.0.0.9',
      });
    case 'stopSandbox':
      for (const id of bench.up.keys()) end(bench, id, { atMs: nowMs, exitCode: 137 });
      return answer(bench, nowMs + (costsMs?.stop ?? 0), { kind: 'done', call: effect.call });
    case 'mountVolumes':
    case 'removeContainer':
    case 'updateResources':
      return answer(bench, nowMs, { kind: 'done', call: effect.call });
    case 'pullImage': {
      const failure = bench.scenario.pulls?.[effect.container]?.(nowMs / 1000);
      const { call } = effect;
      return answer(bench, nowMs, failure === undefined ? { kind: 'pulled', call } : failed(call, failure));
    }
    case 'startContainer':
      return start(bench, effect, nowMs);
    case 'runHook':
      return hook(bench, effect, nowMs);
    case 'stopContainer':
      return stop(bench, effect, nowMs);
    case 'probe':
      return probe(bench, effect, nowMs);
  }
}

function failed(call: number, reason: string): Input {
  return { kind: 'failed', call, reason, message: `because ${reason}` };
}

function start(bench: Bench, effect: Extract<Effect, { kind: 'startContainer' }>, nowMs: number): void {
  const { name } = effect.container;
  const count = bench.counts.get(name) ?? 0;
  bench.counts.set(name, count + 1);
  const runs = bench.scenario.runs?.[name] ?? [usual];
  const run = runs[Math.min(count, runs.length - 1)] ?? usual;
  const atMs = nowMs + (bench.scenario.costsMs?.start ?? 0);
  if (run.startError !== undefined) return answer(bench, atMs, failed(effect.call, run.startError));
  bench.up.set(effect.instance, { container: name, run, sinceMs: atMs, ended: false });
  push(bench, atMs, { kind: 'started', call: effect.call });
  if (run.exit !== undefined) {
    const [after, exitCode, reason] = run.exit;
    end(bench, effect.instance, { atMs: atMs + after * 1000, exitCode, reason });
  }
}

function end(
  bench: Bench,
  instance: string,
  {
    atMs,
    exitCode,
    reason,
  }: { readonly atMs: number; readonly exitCode: number; readonly reason?: string | undefined },
): void {
  push(bench, atMs, { kind: 'exited', instance, exitCode, reason });
}

function hook(bench: Bench, effect: Extract<Effect, { kind: 'runHook' }>, nowMs: number): void {
  const run = bench.up.get(effect.instance)?.run;
  const [takes, fails] = run?.[effect.hook] ?? [effect.handler.sleep?.seconds ?? 0];
  const { call } = effect;
  push(
    bench,
    nowMs + takes * 1000,
    fails === undefined ? { kind: 'done', call } : { kind: 'failed', call, message: fails },
  );
}

function stop(bench: Bench, effect: Extract<Effect, { kind: 'stopContainer' }>, nowMs: number): void {
  const term = bench.up.get(effect.instance)?.run.term ?? [0, 0];
  const killMs = nowMs + effect.timeoutMs;
  const [after, exitCode] = term === 'ignore' ? [Number.POSITIVE_INFINITY, 0] : term;
  const atMs = nowMs + after * 1000;
  end(bench, effect.instance, atMs < killMs ? { atMs, exitCode } : { atMs: killMs, exitCode: 137 });
}

function probe(bench: Bench, effect: Extract<Effect, { kind: 'probe' }>, nowMs: number): void {
  const up = bench.up.get(effect.instance);
  const result = up?.run.probes?.[effect.probe]?.((nowMs - up.sinceMs) / 1000) ?? 'success';
  answer(bench, nowMs, { kind: 'probed', call: effect.call, result, message: 'probe says no' });
}

// Reading a life.

/** `seconds what` for each effect that is not a status or an event. */
export function deeds(life: Life): readonly string[] {
  return life.log.flatMap(({ atMs, effect }) => {
    const what = deed(effect);
    return what === undefined ? [] : [`${atMs / 1000} ${what}`];
  });
}

function deed(effect: Effect): string | undefined {
  switch (effect.kind) {
    case 'startContainer':
      return `start ${effect.container.name}`;
    case 'stopContainer':
      return `stop ${nameOf(effect.instance)} ${effect.timeoutMs / 1000}`;
    case 'runHook':
      return `${effect.hook} ${nameOf(effect.instance)}`;
    case 'cancelHook':
      return `cancel ${nameOf(effect.instance)}`;
    case 'createSandbox':
    case 'stopSandbox':
      return effect.kind;
    case 'removeContainer':
      return `remove ${nameOf(effect.instance)}`;
    default:
      return undefined;
  }
}

export const nameOf = (instance: string): string => instance.slice(0, instance.lastIndexOf('/'));

/** The API object after each write. */
export function writes(life: Life): readonly { readonly atMs: number; readonly type: string; readonly pod: Pod }[] {
  return life.log.flatMap(({ atMs, effect }) =>
    effect.kind === 'pod' ? [{ atMs, type: effect.type, pod: effect.pod }] : [],
  );
}

/** Phases as a watch shows them, repeats left out. */
export function phases(life: Life): readonly string[] {
  return unrepeated(writes(life).map(({ pod }) => pod.status.phase));
}

export function unrepeated<T>(items: readonly T[]): readonly T[] {
  return items.filter((item, index) => index === 0 || item !== items[index - 1]);
}

export function events(life: Life, reason: string): readonly number[] {
  return life.log.flatMap(({ atMs, effect }) =>
    effect.kind === 'event' && effect.reason === reason ? [atMs / 1000] : [],
  );
}

export function condition(pod: Pod, type: string) {
  return pod.status.conditions.find((each) => each.type === type);
}

export function statusOf(pod: Pod, name: string) {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = pod.status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(
    (each) => each.name === name,
  );
}

/** The API object as it was at a time. */
export function podAt(life: Life, seconds: number): Pod {
  return writes(life).findLast(({ atMs }) => atMs <= seconds * 1000)!.pod;
}

/** `seconds` of each start of a container. */
export function startsOf(life: Life, name: string): readonly number[] {
  return life.log.flatMap(({ atMs, effect }) =>
    effect.kind === 'startContainer' && effect.container.name === name ? [atMs / 1000] : [],
  );
}

/** A container by name, an image that needs no registry, and what a test adds. */
export function c(name: string, more: Partial<Container> = {}): Container {
  return { name, image: `${name}:1`, ...more };
}
