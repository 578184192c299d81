import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffForgetMs, backoffLimits, forgottenAtMs, heldUntilMs, nextEntry } from './backoff.ts';
import { afterFailedPull, pullHeldUntilMs, pullPolicyOf } from './image-backoff.ts';
import { gatesOf } from './policy.ts';
import { restartCountOfLogs } from './restart-count.ts';
import { kubeletQueue, type PassError, requeue } from './worker-queue.ts';

const limits = { initialMs: 1000, maxMs: 60_000 };

test('BO-D/D1: a container that runs is not held back', () => {
  assert.equal(heldUntilMs({ key: 'k', delayMs: 1000, lastUpdateMs: 0 }, undefined, 10), undefined);
});

test('BO-D/D2: a container that has just ended for the first time starts at once, and its entry begins', () => {
  assert.equal(heldUntilMs(undefined, 5000, 5000), undefined);
  const entry = nextEntry(undefined, { key: 'k', endedAtMs: 5000, nowMs: 5000 }, limits);
  assert.deepEqual(entry, { key: 'k', delayMs: 1000, lastUpdateMs: 5000 });
  assert.equal(heldUntilMs(entry, 6000, 6000), 7000);
});

const configurations: readonly (readonly [id: string, reduce: boolean, max: number, initial: number, cap: number])[] = [
  ['BO-C/C1', false, 2, 2, 2],
  ['BO-C/C2', true, 2, 1, 2],
  ['BO-C/C4', true, 300, 1, 300],
  ['BO-C/C5', false, 11, 10, 11],
  ['BO-C/C6', false, 300, 10, 300],
];

for (const [id, reduce, max, initial, cap] of configurations) {
  test(`${id}: Reduce ${reduce ? 'on' : 'off'}, maximum ${max} s: from ${initial} to ${cap} s`, () => {
    const gates = { ...gatesOf('1.37'), ReduceDefaultCrashLoopBackOffDecay: reduce };
    assert.deepEqual(backoffLimits(gates, max * 1000), { initialMs: initial * 1000, maxMs: cap * 1000 });
  });
}

test('Reduce without the gate of the maximum is 1 s to 60 s', () => {
  const gates = { ...gatesOf('1.37'), ReduceDefaultCrashLoopBackOffDecay: true, KubeletCrashLoopBackOffMax: false };
  assert.deepEqual(backoffLimits(gates, 300_000), { initialMs: 1000, maxMs: 60_000 });
});

test('delays double up to the maximum; ten minutes without a start begin anew', () => {
  let entry = nextEntry(undefined, { key: 'k', endedAtMs: 0, nowMs: 0 }, limits);
  const delays = [1, 2, 3, 4, 5, 6, 7].map((at) => {
    entry = nextEntry(entry, { key: 'k', endedAtMs: at, nowMs: at }, limits);
    return entry.delayMs / 1000;
  });
  assert.deepEqual(delays, [2, 4, 8, 16, 32, 60, 60]);
  const late = entry.lastUpdateMs + backoffForgetMs + 1;
  assert.equal(heldUntilMs(entry, late, late), undefined);
  assert.equal(nextEntry(entry, { key: 'k', endedAtMs: late, nowMs: late }, limits).delayMs, 1000);
});

test('housekeeping forgets an entry in its first round after ten minutes', () => {
  const entry = { key: 'k', delayMs: 300_000, lastUpdateMs: 1500 };
  assert.equal(forgottenAtMs(entry, true), 602_000);
  assert.equal(forgottenAtMs(entry, false), 601_501);
});

const queue = { ...kubeletQueue, resyncMs: 20_000 };
const error: PassError = { kind: 'error' };
const network: PassError = { kind: 'network' };
const backoff = (seconds: number): PassError => ({ kind: 'backoff', remainingMs: seconds * 1000 });
const passes: readonly (readonly [id: string, transition: boolean, errors: readonly PassError[], delay: number])[] = [
  ['BO-W/W1', true, [], 0],
  ['BO-W/W2', false, [], 20],
  ['BO-W/W4', false, [backoff(5)], 5],
  ['BO-W/W5', false, [error, backoff(7)], 7],
  ['BO-W/W7', false, [backoff(-5)], 0],
  ['BO-W/W8', false, [backoff(40)], 20],
  ['BO-W/W10', false, [error, network], 1],
  ['BO-W/W11', false, [error, network, backoff(3)], 1],
];

for (const [id, phaseTransition, errors, delay] of passes) {
  test(`${id}: after ${errors.map(({ kind }) => kind).join(', ') || 'no error'} again in ${delay} s`, () => {
    const again = requeue({ phaseTransition, errors }, queue);
    assert.deepEqual(again, { delayMs: delay * 1000, jitter: !phaseTransition });
  });
}

test('any other error is tried again after 10 s', () => {
  assert.equal(requeue({ phaseTransition: false, errors: [error] }, kubeletQueue).delayMs, 10_000);
});

const logs: readonly (readonly [id: string, names: readonly string[], count: number])[] = [
  ['BO-L/L1', [], 0],
  ['BO-L/L1', ['a.log.rotated', '12log.rotated'], 0],
  ['BO-L/L1', ['rotated.23.log'], 0],
  ['BO-L/L1', ['mylog42.log'], 0],
  ['BO-L/L1', ['-42.log'], 0],
  ['BO-L/L1', ['900719925474099267176.log'], 0],
  ['BO-L/L2', ['0.log'], 1],
  ['BO-L/L2', ['0.log.rotated-log'], 1],
  ['BO-L/L4', ['5.log.rotated', '6.log.rotated'], 7],
  ['BO-L/L4', ['5.log.rotated', '6.log', '7.log'], 8],
  ['BO-L/L4', ['145.log.log.rotated'], 146],
  ['BO-L/L4', ['6.log', '6.log.1', '6.log.2'], 7],
  ['BO-L/L4', ['a.log', '5.log', '23.log', '-99.log'], 24],
];

for (const [id, names, count] of logs) {
  test(`${id}: log files ${names.join(', ') || 'none'} mean restart count ${count}`, () => {
    assert.equal(restartCountOfLogs(names), count);
  });
}

test('failed pulls are held back for 10 s, doubling to 300 s, from the last failure; ten quiet minutes forget them', () => {
  let entry = afterFailedPull(undefined, { image: 'i', error: 'e', nowMs: 0 });
  assert.equal(pullHeldUntilMs(entry, 9999), 10_000);
  assert.equal(pullHeldUntilMs(entry, 10_000), undefined);
  const delays = [1, 2, 3, 4, 5, 6].map((at) => {
    entry = afterFailedPull(entry, { image: 'i', error: 'e', nowMs: at });
    return entry.delayMs / 1000;
  });
  assert.deepEqual(delays, [20, 40, 80, 160, 300, 300]);
  assert.equal(afterFailedPull(entry, { image: 'i', error: 'e', nowMs: entry.lastUpdateMs + 600_001 }).delayMs, 10_000);
});

const policies: readonly (readonly [image: string | undefined, policy: string])[] = [
  ['a', 'Always'],
  ['a:latest', 'Always'],
  ['a:1', 'IfNotPresent'],
  ['host:5000/a', 'Always'],
  ['host:5000/a:1', 'IfNotPresent'],
  ['a@sha256:00', 'IfNotPresent'],
];

for (const [image, policy] of policies) {
  test(`image ${image} is pulled ${policy}`, () => assert.equal(pullPolicyOf({ name: 'c', image }), policy));
}
