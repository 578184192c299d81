// One of the final drain's two watches: on the traffic. By time alone, or by looks at Envoy's counters until nothing is active. Owns
// when the next look is due and what a look means; refuses to ask by itself, and to end anything.
import type { Note, TrafficWatch } from './life.ts';
import type { ProxyPolicy } from './policy.ts';
import type { Reading } from './stats.ts';

interface Began {
  readonly clockMs: number;
  readonly nowMs: number;
}

interface Answered {
  readonly reading: Reading;
  /** SIGTERM. */
  readonly sinceMs: number;
  readonly nowMs: number;
}

type TrafficEnd = 'nothing-active' | 'time-is-over' | 'counter-missing' | 'counting-failed';

type Due = Extract<TrafficWatch, { kind: 'due' }>;
type Asked = Extract<TrafficWatch, { kind: 'asked' }>;

/** Between two looks as upstream's, and after a failed one. */
const everyMs = 1000;
/** Between two looks with `prompt-exit`. */
const soonMs = 250;
/** A look makes Envoy's main thread walk through all counters: the next one comes after so many times as long. */
const restsFor = 10;
const errorsAtMost = 5;

/** Upstream's ticker starts after the minimum, so its first look comes one interval later. */
export function beginTraffic(policy: ProxyPolicy, { clockMs, nowMs }: Began): TrafficWatch {
  if (policy.exitOnZero === 'off')
    return { kind: 'timer', untilMs: nowMs + policy.terminationDrainMs, because: 'time-is-over' };
  const firstMs = clockMs + policy.minimumDrainMs + (clockMs === nowMs ? everyMs : 0);
  return { kind: 'due', atMs: Math.max(firstMs, nowMs), errors: 0, active: undefined, zeros: zerosWanted(policy) - 1 };
}

/**
 * More looks meet the moment between two short connections more often, and that is not the end: once something was active, or a look
 * failed, two zeros in a row are. Before, one is, as upstream's.
 */
function zerosWanted({ has }: ProxyPolicy): number {
  return has['prompt-exit'] ? 2 : 1;
}

export function withTimer(traffic: TrafficWatch, nowMs: number): TrafficWatch {
  return traffic.kind === 'timer' && nowMs >= traffic.untilMs ? { kind: 'ended', because: traffic.because } : traffic;
}

/** Zeros count only while no newer answer is on its way. */
export function trafficEnd(policy: ProxyPolicy, traffic: TrafficWatch): TrafficEnd | undefined {
  if (traffic.kind === 'ended') return traffic.because;
  return traffic.kind === 'due' && traffic.zeros >= zerosWanted(policy) ? 'nothing-active' : undefined;
}

export function asked({ errors, active, zeros }: Due, nowMs: number): Asked {
  return { kind: 'asked', askedMs: nowMs, errors, active, zeros };
}

/** What an answer changes, and what of it is told. */
export function read(
  policy: ProxyPolicy,
  traffic: Asked,
  { reading, sinceMs, nowMs }: Answered,
): [TrafficWatch, Note[]] {
  const atMs = Math.max(traffic.askedMs + everyMs, nowMs);
  switch (reading.kind) {
    case 'active':
      return [seen(policy, traffic, reading.count, nowMs), toldOf(policy, traffic, reading)];
    case 'absent':
      return [absent(policy, sinceMs, atMs), [{ kind: 'counter-missing', sure: policy.countersAreSure }]];
    case 'failed': {
      const errors = traffic.errors + 1;
      const told: Note[] = [{ kind: 'count-failed', problem: reading.problem, errors }];
      if (errors >= errorsAtMost) return [{ kind: 'ended', because: 'counting-failed' }, told];
      return [{ kind: 'due', atMs, errors, active: traffic.active, zeros: 0 }, told];
    }
  }
}

function seen(policy: ProxyPolicy, { askedMs, zeros: before }: Asked, active: number, nowMs: number): Due {
  const zeros = active === 0 ? before + 1 : 0;
  const waitMs = policy.has['prompt-exit'] ? restMs(zeros, zerosWanted(policy), nowMs - askedMs) : everyMs;
  return { kind: 'due', atMs: Math.max(askedMs + waitMs, nowMs), errors: 0, active, zeros };
}

/** Short where it decides soon; where only the application is waited for, as upstream. */
function restMs(zeros: number, wanted: number, tookMs: number): number {
  if (zeros >= wanted) return everyMs;
  return zeros > 0 ? soonMs : Math.min(everyMs, Math.max(soonMs, restsFor * tookMs));
}

/** With several looks a second only what is news. */
function toldOf(policy: ProxyPolicy, before: Asked, { count, skipped }: Extract<Reading, { kind: 'active' }>): Note[] {
  if (policy.has['prompt-exit'] && count === before.active) return [];
  const told: Note[] = [{ kind: 'active', count }];
  return skipped.length > 0 ? [...told, { kind: 'lines-skipped', lines: skipped }] : told;
}

/** No counter: nobody ever connected, or a foreign bootstrap does not emit it; only the second is a reason to wait. */
function absent(policy: ProxyPolicy, sinceMs: number, atMs: number): TrafficWatch {
  if (!policy.has['missing-counter']) return { kind: 'ended', because: 'counter-missing' };
  if (policy.countersAreSure) return { kind: 'due', atMs, errors: 0, active: 0, zeros: zerosWanted(policy) };
  return { kind: 'timer', untilMs: sinceMs + policy.terminationDrainMs, because: 'counter-missing' };
}
