import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, parseDurationMs } from './duration.ts';
import { formatProblem } from './errors.ts';
import { compareCodePoints, countCodePoints } from './order.ts';
import { prng } from './prng.ts';

const durations: readonly (readonly [text: string, ms: number | undefined])[] = [
  ['0', 0],
  ['5s', 5000],
  ['1h30m', 5_400_000],
  ['1.5h', 5_400_000],
  ['.5s', 500],
  ['-2m', -120_000],
  ['250ms', 250],
  ['', undefined],
  ['5', undefined],
  ['5 s', undefined],
  ['1d', undefined],
  ['s', undefined],
];
for (const [text, ms] of durations) test(`duration "${text}" is ${ms}`, () => assert.equal(parseDurationMs(text), ms));

test('a duration is written in its shortest Go form', () => {
  assert.deepEqual([0, 250, 1500, 90_000, 3_600_000, 3_660_000, 5_400_500, -1000].map(formatDuration), [
    '0s',
    '250ms',
    '1.5s',
    '1m30s',
    '1h',
    '1h1m',
    '1h30m0.5s',
    '-1s',
  ]);
});

test('strings are ordered by code point, not by UTF-16 unit', () => {
  const sorted = ['\u{1F680}', '\uE000', 'b', 'a', 'ab', ''].sort(compareCodePoints);
  assert.deepEqual(sorted, ['', 'a', 'ab', 'b', '\uE000', '\u{1F680}']);
  assert.equal(countCodePoints('a\u{1F680}'), 2);
});

test('a generator repeats itself by seed, and its parts are independent', () => {
  const take = (seed: number, name: string) => {
    const generator = prng(seed).split(name);
    return [generator.next(), generator.next(), generator.next()];
  };
  assert.deepEqual(take(1, 'a'), take(1, 'a'));
  assert.notDeepEqual(take(1, 'a'), take(1, 'b'));
  assert.notDeepEqual(take(1, 'a'), take(2, 'a'));
});

test('the mean of many draws is a half', () => {
  const generator = prng(7);
  let sum = 0;
  for (let i = 0; i < 100_000; i++) sum += generator.next();
  assert.ok(Math.abs(sum / 100_000 - 0.5) < 0.005, String(sum));
});

test('a problem is written as an editor can follow it', () => {
  const problem = {
    code: 'sum',
    severity: 'error',
    message: 'shares add up to 99',
    hint: 'add 1',
    file: 'rollouts.yml',
    line: 3,
    column: 5,
  } as const;
  assert.equal(formatProblem(problem), 'rollouts.yml:3:5: error: shares add up to 99 [sum]\n  hint: add 1');
});
