import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeKind } from './effect.ts';
import { spec as podSpec, status } from './notation.ts';
import { gatesOf } from './policy.ts';
import { adoptRun, afterAnswer, initialResult, nextTickMs, outlivesEnd, probeKinds, probeRound } from './probe.ts';
import { shapeOf } from './shape.ts';
import type { Probe, RestartPolicy } from './spec.ts';
import type { ProbeWorker } from './state.ts';
import type { PodPhase } from './status.ts';

const gates = gatesOf('1.37');

/** What is answered to each kind in turn: startup, liveness, readiness. `keep` goes on, `=result` publishes. */
const rounds: readonly (readonly [
  id: string,
  phase: PodPhase | undefined,
  state: string,
  policy: RestartPolicy,
  delay: number,
  answer: string,
])[] = [
  ['PR-D/D1', undefined, '–', 'Always', 0, 'keep, keep, keep'],
  ['PR-D/D2', 'Failed', 'R', 'Always', 0, 'end, end, end'],
  ['PR-D/D4', 'Running', '–', 'Always', 0, 'keep, keep, keep'],
  ['PR-D/D5', 'Running', 'W', 'Always', 0, 'keep=failure, keep=failure, keep=failure'],
  ['PR-D/D6', 'Running', 'T1', 'Never', 0, 'end=failure, end=failure, end=failure'],
  ['PR-D/D7', 'Running', 'R', 'Always', 0, 'probe, probe, probe'],
  ['PR-D/D9', 'Running', 'R', 'Always', 10, 'keep, keep, keep'],
];

for (const [id, phase, state, policy, delay, expected] of rounds) {
  test(`${id}: a round with the pod ${phase} and the container ${state} is ${expected}`, () => {
    const slot = shapeOf(podSpec('a', policy)).mains[0]!;
    const shown = status('a', state);
    const answers = probeKinds.map((kind) => {
      const round = probeRound({
        kind,
        slot,
        spec: { initialDelaySeconds: delay },
        phase,
        status: shown && {
          ...shown,
          containerID: 'x',
          started: kind !== 'startup' && shown.state.running !== undefined,
        },
        onHold: false,
        deleting: false,
        podPolicy: policy,
        gates,
        nowMs: 5000,
      });
      if (round.does === 'probe') return 'probe';
      return `${round.does === 'end' ? 'end' : 'keep'}${round.publish === undefined ? '' : `=${round.publish}`}`;
    });
    assert.equal(answers.join(', '), expected);
  });
}

test('PR-D/D9: before the first verdict liveness counts as success, readiness as failure, startup as neither', () => {
  assert.deepEqual(initialResult, { startup: 'unknown', liveness: 'success', readiness: 'failure' });
});

const ends: readonly (readonly [
  id: string,
  pod: string,
  policy: RestartPolicy,
  exit: number,
  reason: string | undefined,
  goesOn: boolean,
])[] = [
  ['PR-K/K1', 'a:OnFailure', 'Never', 1, undefined, true],
  ['PR-K/K2', 'a:OnFailure', 'Never', 0, undefined, false],
  ['PR-K/K3', 'a:Always', 'Never', 1, undefined, true],
  ['PR-K/K4', 'a:Always', 'Never', 0, undefined, true],
  ['PR-K/K5', 'a:Never', 'Always', 1, undefined, false],
  ['PR-K/K6', 'a:Never', 'Always', 0, undefined, false],
  ['PR-K/K7', 'a:Never?1', 'Always', 1, undefined, true],
  ['PR-K/K8', 'a:Never?99', 'Always', 1, undefined, false],
  ['PR-K/K9', 'a:Never!1', 'Never', 1, undefined, true],
  ['PR-K/K10', 'a:Never', 'Never', 137, 'RestartingAllContainers', true],
  ['PR-K/K12', 's*|a', 'Never', 1, undefined, true],
  ['PR-K/K13', 'a', 'Never', 1, undefined, false],
];

for (const [id, pod, policy, exitCode, reason, goesOn] of ends) {
  test(`${id}: after exit ${exitCode} of the first of "${pod}" under ${policy} its probes ${goesOn ? 'go on' : 'end'}`, () => {
    const shape = shapeOf(podSpec(pod, policy));
    const slot = shape.inits[0] ?? shape.mains[0]!;
    assert.equal(outlivesEnd(slot, { exitCode, reason }, policy, gates), goesOn);
  });
}

test('PR-K/K11: a container cleaned up by RestartAllContainers waits, and its probes wait with it', () => {
  const slot = shapeOf(podSpec('a', 'Never')).mains[0]!;
  const cleaned = { ...status('a', 'W!')!, containerID: 'x' };
  const common = { slot, spec: {}, phase: 'Pending', status: cleaned, onHold: false, deleting: false } as const;
  for (const kind of probeKinds) {
    assert.equal(probeRound({ ...common, kind, podPolicy: 'Never', gates, nowMs: 0 }).does, 'wait');
  }
});

const blank = (kind: ProbeKind): ProbeWorker => ({
  container: 'a',
  kind,
  baseMs: 0,
  periodMs: 1000,
  nextMs: 0,
  call: undefined,
  tries: 0,
  instance: 'a/1',
  published: initialResult[kind],
  lastResult: undefined,
  resultRun: 0,
  onHold: false,
  ended: false,
});

/** Answers in short: + success, - failure, ? unknown. Published after each: S, F, U; a verdict that holds is followed by !. */
const sequences: readonly (readonly [id: string, kind: ProbeKind, spec: Probe, answers: string, published: string])[] =
  [
    ['PR-T/T1', 'readiness', { failureThreshold: 3 }, '+ + + - - - + - - -', 'S S S S S F S S S F'],
    ['PR-T/T2', 'readiness', { successThreshold: 3, failureThreshold: 1 }, '+ + + -', 'F F S F'],
    ['PR-T/T4', 'startup', { failureThreshold: 3 }, '- - -', 'U U F!'],
    ['PR-T/T5', 'liveness', { failureThreshold: 1 }, '-', 'F!'],
    ['PR-T', 'liveness', { failureThreshold: 2 }, '- ? ? -', 'S S S F!'],
  ];

for (const [id, kind, spec, answers, published] of sequences) {
  test(`${id}: ${kind} with answers ${answers} publishes ${published}`, () => {
    let worker = blank(kind);
    const shown = answers.split(' ').map((answer) => {
      worker = afterAnswer(worker, answer === '+' ? 'success' : answer === '-' ? 'failure' : 'unknown', spec);
      return `${worker.published?.[0]?.toUpperCase()}${worker.onHold ? '!' : ''}`;
    });
    assert.equal(shown.join(' '), published);
  });
}

test('PR-T/T5: a new run lifts the hold and starts from the initial value', () => {
  const held = afterAnswer(blank('liveness'), 'failure', { failureThreshold: 1 });
  const next = adoptRun(held, 'a/2', initialResult.liveness);
  assert.deepEqual([next.onHold, next.published], [false, 'success']);
});

test('PR-T/T7: the counter of a liveness probe is back at 0 with its verdict', () => {
  let worker = blank('liveness');
  const counts = [1, 2, 3].map(() => {
    worker = afterAnswer(worker, 'failure', { failureThreshold: 3 });
    return worker.resultRun;
  });
  assert.deepEqual(counts, [1, 2, 0]);
});

test('PR-T/T8: liveness is not asked before the container has started', () => {
  const slot = shapeOf(podSpec('a')).mains[0]!;
  const ask = (started: boolean) =>
    probeRound({
      kind: 'liveness',
      slot,
      spec: {},
      phase: 'Running',
      status: { ...status('a', 'R')!, containerID: 'x', started },
      onHold: false,
      deleting: false,
      podPolicy: 'Always',
      gates,
      nowMs: 0,
    }).does;
  assert.deepEqual([ask(false), ask(true)], ['wait', 'probe']);
});

const ticks: readonly (readonly [base: number, now: number, notBefore: number, next: number])[] = [
  [0, 0, 0, 10],
  [0, 9, 0, 10],
  [0, 10, 0, 20],
  [3, 0, 0, 3],
  [3, 4, 0, 13],
  [0, 1, 31, 40],
  [0, 1, 30, 30],
];

for (const [base, now, notBefore, next] of ticks) {
  test(`ticks every 10 from ${base}: after ${now}, not before ${notBefore}, comes ${next}`, () => {
    assert.equal(nextTickMs({ baseMs: base, periodMs: 10 }, now, notBefore), next);
  });
}
