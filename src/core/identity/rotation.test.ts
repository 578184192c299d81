import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Prng, prng } from '../std/prng.ts';
import { renewAtMs, retryDelayMs } from './rotation.ts';

const draws = (value: number): Prng => ({ next: () => value, split: () => draws(value) });
const middle = draws(0.5);
const hour = 3_600_000;
const day = 24 * hour;

const renewals: readonly (readonly [
  name: string,
  ratio: number,
  jitter: number,
  draw: number,
  lifeMs: number,
  atMs: number,
])[] = [
  ['half of a day', 0.5, 0, 0, day, 12 * hour],
  ['jitter, as early as it gets', 0.5, 0.01, 0.999_999_999, day, 11.76 * hour],
  ['jitter, as late as it gets', 0.5, 0.01, 0, day, 12.24 * hour],
  ['at the very end', 0, 0, 0.5, day, day],
  ['more than all of it', 1, 0.5, 0.9, day, 1000],
  ['less than nothing', 0, 0.5, 0.1, day, day],
  ['worn when it came', 0.5, 0, 0.5, -hour, 1000],
  ['shorter than a second', 0.5, 0, 0.5, 500, 1000],
];
for (const [name, graceRatio, graceJitter, draw, lifeMs, atMs] of renewals)
  test(`renewal: ${name}`, () => {
    const at = renewAtMs({ graceRatio, graceJitter }, { createdMs: 0, expiresMs: lifeMs }, draws(draw));
    assert.ok(Math.abs(at - atMs) <= 1, `${at} instead of ${atMs}`);
  });

const delays: readonly (readonly [
  failures: number,
  kind: 'transient' | 'lasting',
  leftMs: number | undefined,
  delay: number,
])[] = [
  [1, 'transient', undefined, 100],
  [2, 'transient', undefined, 200],
  [4, 'transient', undefined, 800],
  [5, 'transient', undefined, 500],
  [6, 'transient', undefined, 750],
  [1, 'lasting', undefined, 500],
  [3, 'lasting', undefined, 1125],
  [40, 'lasting', undefined, 60_000],
  [40, 'lasting', day, 60_000],
  [40, 'lasting', 20_000, 5000],
  [40, 'lasting', 10, 1000],
  [40, 'lasting', -1, 60_000],
];
for (const [failures, kind, leftMs, delay] of delays)
  test(`retry ${failures}, ${kind}, ${leftMs} ms left: ${delay} ms`, () => {
    assert.equal(retryDelayMs(failures, kind, leftMs, middle), delay);
  });

test('a fleet spreads its renewals over the jitter, and its retries over half to one and a half', () => {
  const random = prng('fleet');
  const life = { createdMs: 0, expiresMs: day };
  const times = Array.from({ length: 1000 }, () => renewAtMs({ graceRatio: 0.5, graceJitter: 0.01 }, life, random));
  assert.ok(Math.max(...times) - Math.min(...times) > 0.018 * day);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.constantFrom('transient', 'lasting'), (failures, kind) => {
      const delay = retryDelayMs(failures, kind, undefined, random);
      assert.ok(delay >= 90 && delay <= 60_000);
    }),
  );
});
