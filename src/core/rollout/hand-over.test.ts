import assert from 'node:assert/strict';
import { test } from 'node:test';
import { handOver, layOut, type Quota, quotaOf, type Run } from './hand-over.ts';

const quota = (text: string): Quota =>
  new Map(
    text
      .split(' ')
      .map((part) => part.split('*'))
      .map(([name = '', size]) => [name, Number(size)]),
  );
const show = (runs: readonly Run[]): string =>
  runs.map(({ revision, from, to }) => `${revision}*${to - from}`).join(' ');

const paths: readonly (readonly [start: string, ...steps: (readonly [quota: string, runs: string])[]])[] = [
  [
    'a1*5000 b2*5000',
    ['a1*3400 b2*3300 c3*3300', 'a1*3400 c3*1600 b2*3300 c3*1700'],
    ['a1*5000 b2*5000', 'a1*5000 b2*5000'],
  ],
  ['a1*10000', ['a1*9000 b2*1000', 'a1*9000 b2*1000'], ['b2*10000', 'b2*10000'], ['b2*9500 c3*500', 'b2*9500 c3*500']],
  ['a1*5000 b2*5000', ['b2*5000 c3*5000', 'c3*5000 b2*5000'], ['c3*10000', 'c3*10000']],
  ['b2*10000', ['a1*4000 b2*6000', 'a1*4000 b2*6000']],
  ['a1*3000 b2*4000 c3*3000', ['a1*4000 b2*1000 c3*5000', 'a1*4000 b2*1000 c3*5000']],
];
for (const [start, ...steps] of paths) {
  test(`hand-over from ${start} by ${steps.map(([to]) => to).join(', then ')}`, () => {
    let runs = layOut(quota(start));
    for (const [to, expected] of steps) {
      runs = handOver(runs, quota(to));
      assert.equal(show(runs), expected);
    }
  });
}

const quotas: readonly (readonly [shares: string, count: number, expected: string])[] = [
  ['a1*7500 b2*2500', 4, 'a1*3 b2*1'],
  ['a1*5000 b2*5000', 3, 'a1*2 b2*1'],
  ['a1*9500 b2*500', 20, 'a1*19 b2*1'],
  ['a1*3400 b2*3300 c3*3300', 10, 'a1*4 b2*3 c3*3'],
  ['b2*500 a1*9500', 9, 'a1*9 b2*0'],
  ['a1*10000', 0, 'a1*0'],
];
for (const [shares, count, expected] of quotas) {
  test(`quota of ${count} names at ${shares}`, () => {
    const found = [...quotaOf(quota(shares), count, 10_000)].map(([revision, size]) => `${revision}*${size}`).join(' ');
    assert.equal(found, expected);
  });
}
