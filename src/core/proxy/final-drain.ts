// The drain after SIGTERM: two watches, one on the traffic and one on the application, under one deadline. Each watch has at
// most one question out. Envoy may stop when both have ended; the deadline, /quitquitquit and a second SIGTERM end it before.
import type { AppWatch, FinalDrain, Note, ProxyEffect, ProxyInput, Step } from './life.ts';
import type { AppToOutlive, ProxyPolicy } from './policy.ts';
import type { Reading } from './stats.ts';
import { stop } from './stop.ts';
import { asked, beginTraffic, read, trafficEnd, withTimer } from './traffic-watch.ts';

interface Beginning {
  readonly clockMs: number;
  readonly nowMs: number;
  /** The drain request; undefined when /drain made it already. */
  readonly request: string | undefined;
}

/** Between two dials. */
const everyMs = 1000;
const nobody: AppToOutlive = { kind: 'nobody' };
/** Twice, because between a worker's end and its successor's start a port refuses for a moment. */
const refusalsWanted = 2;

/** The step from serving (or pre-drain) into the final drain. */
export function beginFinalDrain(policy: ProxyPolicy, { clockMs, nowMs, request }: Beginning): Step {
  // After /drain the application ended before SIGTERM came.
  const waitsFor = request === undefined ? nobody : policy.app;
  const state: FinalDrain = {
    at: 'draining',
    phase: 'final',
    sinceMs: nowMs,
    clockMs,
    traffic: beginTraffic(policy, { clockMs, nowMs }),
    app: beginApp(waitsFor, nowMs),
  };
  const begun: ProxyEffect[] = [note(drainNote(policy, state, waitsFor))];
  if (request !== undefined) begun.push({ kind: 'drain', path: request });
  if (waitsFor.kind === 'processes') begun.push({ kind: 'watch-app', files: waitsFor.files });
  const [next, effects] = settle(policy, state, nowMs);
  return [next, [...begun, ...effects]];
}

/** An input during the final drain. */
export function finalDrain(policy: ProxyPolicy, state: FinalDrain, input: ProxyInput, nowMs: number): Step {
  switch (input.kind) {
    case 'quit':
      return stop(policy, 'quit', nowMs, activeOf(state));
    case 'terminate':
      return policy.has.hasten ? stop(policy, 'hastened', nowMs, activeOf(state)) : settle(policy, state, nowMs);
    case 'counted':
      return counted(policy, state, input.reading, nowMs);
    case 'dialled':
      return settle(policy, { ...state, app: dialled(state.app, input.open, nowMs) }, nowMs);
    case 'app-gone':
      return settle(policy, { ...state, app: { kind: 'gone' } }, nowMs);
    default:
      return settle(policy, state, nowMs);
  }
}

/** The earliest moment at which time alone changes something. */
export function finalDrainDueMs(policy: ProxyPolicy, state: FinalDrain): number | undefined {
  const moments: number[] = [];
  if (policy.deadline !== undefined) moments.push(state.clockMs + policy.deadline.ms);
  if (state.traffic.kind === 'timer') moments.push(state.traffic.untilMs);
  if (state.traffic.kind === 'due') moments.push(state.traffic.atMs);
  if (state.app.kind === 'due') moments.push(state.app.atMs);
  return moments.length === 0 ? undefined : Math.min(...moments);
}

function beginApp(waitsFor: AppToOutlive, nowMs: number): AppWatch {
  switch (waitsFor.kind) {
    case 'nobody':
      return { kind: 'gone' };
    case 'ports':
      return { kind: 'due', atMs: nowMs, refusals: 0 };
    case 'processes':
      return { kind: 'watched' };
  }
}

/** Ends the drain when it may end; otherwise sends out the questions that are due. */
function settle(policy: ProxyPolicy, before: FinalDrain, nowMs: number): Step {
  const state = { ...before, traffic: withTimer(before.traffic, nowMs) };
  if (policy.deadline !== undefined && nowMs >= state.clockMs + policy.deadline.ms)
    return stop(policy, 'deadline', nowMs, activeOf(state));
  const ended = trafficEnd(policy, state.traffic);
  if (ended !== undefined && state.app.kind === 'gone') return stop(policy, ended, nowMs);
  return ask(policy, state, nowMs);
}

function ask(policy: ProxyPolicy, state: FinalDrain, nowMs: number): Step {
  const { traffic, app } = state;
  const effects: ProxyEffect[] = [];
  let next = state;
  if (traffic.kind === 'due' && nowMs >= traffic.atMs && policy.exitOnZero !== 'off') {
    effects.push({ kind: 'count', unit: policy.exitOnZero });
    next = { ...next, traffic: asked(traffic, nowMs) };
  }
  if (app.kind === 'due' && nowMs >= app.atMs && policy.app.kind === 'ports') {
    effects.push({ kind: 'dial', ports: policy.app.ports });
    next = { ...next, app: { kind: 'asked', askedMs: nowMs, refusals: app.refusals } };
  }
  return [next, effects];
}

function counted(policy: ProxyPolicy, state: FinalDrain, reading: Reading, nowMs: number): Step {
  if (state.traffic.kind !== 'asked') return settle(policy, state, nowMs);
  const [traffic, told] = read(policy, state.traffic, { reading, sinceMs: state.sinceMs, nowMs });
  const [next, effects] = settle(policy, { ...state, traffic }, nowMs);
  return [next, [...told.map(note), ...effects]];
}

function dialled(app: AppWatch, open: readonly number[], nowMs: number): AppWatch {
  if (app.kind !== 'asked') return app;
  const refusals = open.length === 0 ? app.refusals + 1 : 0;
  if (refusals >= refusalsWanted) return { kind: 'gone' };
  return { kind: 'due', atMs: Math.max(app.askedMs + everyMs, nowMs), refusals };
}

function drainNote(policy: ProxyPolicy, { clockMs, sinceMs }: FinalDrain, waitsFor: AppToOutlive): Note {
  return {
    kind: 'draining',
    exitOnZero: policy.exitOnZero,
    atLeastMs: policy.exitOnZero === 'off' ? policy.terminationDrainMs : policy.minimumDrainMs,
    waitsFor,
    deadline: policy.deadline,
    leftMs: policy.deadline === undefined ? undefined : Math.max(0, clockMs + policy.deadline.ms - sinceMs),
  };
}

function activeOf({ traffic }: FinalDrain): number | undefined {
  return traffic.kind === 'due' || traffic.kind === 'asked' ? traffic.active : undefined;
}

function note(told: Note): ProxyEffect {
  return { kind: 'note', note: told };
}
