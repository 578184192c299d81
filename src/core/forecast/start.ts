// The order in which a pod's containers start, what each waits for, and how long that may take at worst (docs/explanation/pod-lifecycle.md).
import { type Container, type PodSpec, type Probe, shapeOf } from '../pod/index.ts';

export interface StartStep {
  readonly container: string;
  readonly role: 'init' | 'sidecar' | 'main';
  /** What must be before it starts. */
  readonly after:
    | { readonly kind: 'nothing' }
    | { readonly kind: 'ends' | 'started' | 'begun'; readonly container: string };
  /** Until the next container may start: at worst so long, or for ever (an init container works as long as it likes). */
  readonly holdsMs: number;
  /** Why it holds the next one up. */
  readonly because: 'works' | 'startup probe' | 'postStart hook' | 'nothing';
  /** From its start until it counts as ready, at the earliest and, all probes answering well, at the latest. */
  readonly readyMs: readonly [earliest: number, latest: number];
}

/** Milliseconds that a hook takes; undefined where nobody knows. */
export type HookTime = (container: Container, hook: 'postStart' | 'preStop') => number | undefined;

/** The steps of a pod's start, in order. */
export function startSteps(spec: PodSpec, hookTime: HookTime): readonly StartStep[] {
  const { inits, mains } = shapeOf(spec);
  const slots = [...inits, ...mains];
  return slots.map(({ container, role }, index): StartStep => {
    const before = slots[index - 1];
    const holds = holdOf(container, role, hookTime);
    return {
      container: container.name,
      role: role as StartStep['role'],
      after:
        before === undefined
          ? { kind: 'nothing' }
          : { kind: afterKind(before.container, before.role), container: before.container.name },
      holdsMs: holds.ms,
      because: holds.because,
      readyMs: readyRange(container),
    };
  });
}

function afterKind(container: Container, role: string): 'ends' | 'started' | 'begun' {
  if (role === 'init') return 'ends';
  return role === 'sidecar' && container.startupProbe !== undefined ? 'started' : 'begun';
}

function holdOf(
  container: Container,
  role: string,
  hookTime: HookTime,
): { readonly ms: number; readonly because: StartStep['because'] } {
  if (role === 'init') return { ms: Number.POSITIVE_INFINITY, because: 'works' };
  const hookMs =
    container.lifecycle?.postStart === undefined ? 0 : (hookTime(container, 'postStart') ?? Number.POSITIVE_INFINITY);
  const probeMs = role === 'sidecar' && container.startupProbe !== undefined ? giveUpMs(container.startupProbe) : 0;
  if (hookMs > probeMs) return { ms: hookMs, because: 'postStart hook' };
  return probeMs > 0
    ? { ms: probeMs, because: 'startup probe' }
    : { ms: hookMs, because: hookMs > 0 ? 'postStart hook' : 'nothing' };
}

/** When a probe that never succeeds gives its verdict at the latest: its first attempt may come a period after the delay. */
export function giveUpMs(probe: Probe): number {
  const { delay, period, failures, timeout } = numbers(probe);
  return (delay + period * failures + timeout) * 1000;
}

/** From start to the first success that counts: at once after the delay, or a period later; more periods for a threshold above 1. */
function readyRange(container: Container): readonly [number, number] {
  const { startupProbe, readinessProbe } = container;
  const startup = startupProbe === undefined ? [0, 0] : successRange(startupProbe);
  const readiness = readinessProbe === undefined ? [0, 0] : successRange(readinessProbe);
  return [Math.max(startup[0] ?? 0, readiness[0] ?? 0), (startup[1] ?? 0) + (readiness[1] ?? 0)];
}

function successRange(probe: Probe): readonly [number, number] {
  const { delay, period, successes, timeout } = numbers(probe);
  const more = (successes - 1) * period;
  return [(delay + more) * 1000, (delay + period + more + timeout) * 1000];
}

function numbers(probe: Probe) {
  return {
    delay: probe.initialDelaySeconds ?? 0,
    period: orDefault(probe.periodSeconds, 10),
    failures: orDefault(probe.failureThreshold, 3),
    successes: orDefault(probe.successThreshold, 1),
    timeout: orDefault(probe.timeoutSeconds, 1),
  };
}

/** The API server fills in the default for 0 too. */
function orDefault(value: number | undefined, otherwise: number): number {
  return value === undefined || value === 0 ? otherwise : value;
}
