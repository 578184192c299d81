import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { handOver, layOut, ownerOf, type Quota, type Run } from './hand-over.ts';

const names = ['1-22', '1-23', '1-24', '1-24-1', '1-25', 'canary'];
const total = 200;

/** Shares of some revisions that cover all units. */
const quotas = (among: readonly string[]): fc.Arbitrary<Quota> =>
  fc
    .tuple(fc.subarray([...among], { minLength: 1 }), fc.array(fc.nat(total), { minLength: 6, maxLength: 6 }))
    .map(([some, cuts]) => {
      const ends = [0, ...cuts.slice(0, some.length - 1).sort((a, b) => a - b), total];
      return new Map(some.map((name, index) => [name, (ends[index + 1] ?? 0) - (ends[index] ?? 0)]));
    });
const paths = fc.array(quotas(names), { minLength: 1, maxLength: 8 });

function owned(runs: readonly Run[], revision: string): number {
  return runs.reduce((sum, run) => sum + (run.revision === revision ? run.to - run.from : 0), 0);
}

test('hand-over: shares are exact, movement is the least, and only from losers to takers', () => {
  fc.assert(
    fc.property(paths, ([first = new Map<string, number>(), ...rest]) => {
      let runs = layOut(first);
      for (const quota of rest) {
        const after = handOver(runs, quota);
        let moved = 0;
        for (let unit = 0; unit < total; unit++) {
          const [from = '', to = ''] = [ownerOf(runs, unit), ownerOf(after, unit)];
          if (from === to) continue;
          moved++;
          assert.ok(owned(runs, from) > (quota.get(from) ?? 0) && owned(runs, to) < (quota.get(to) ?? 0));
        }
        const least = names.reduce((sum, name) => sum + Math.max(0, owned(runs, name) - (quota.get(name) ?? 0)), 0);
        assert.equal(moved, least);
        for (const name of names) assert.equal(owned(after, name), quota.get(name) ?? 0);
        runs = after;
      }
    }),
    { numRuns: 300 },
  );
});

test('hand-over: with two revisions it equals the rule without memory, whatever the path', () => {
  fc.assert(
    fc.property(
      fc.array(quotas(['1-24', '1-25']), { minLength: 1 }),
      ([first = new Map<string, number>(), ...rest]) => {
        let runs = layOut(first);
        for (const quota of rest) {
          runs = handOver(runs, quota);
          assert.deepEqual(runs, layOut(quota));
        }
      },
    ),
  );
});

test('hand-over: a third revision that comes and goes leaves everything as it was', () => {
  fc.assert(
    fc.property(quotas(['1-24', '1-25']), fc.nat(100), fc.nat(100), (quota, a, b) => {
      const start = layOut(quota);
      const [old, young] = [quota.get('1-24') ?? 0, quota.get('1-25') ?? 0];
      const given = [Math.floor((old * a) / 100), Math.floor((young * b) / 100)] as const;
      const third = new Map([
        ['1-24', old - given[0]],
        ['1-25', young - given[1]],
        ['1-26', given[0] + given[1]],
      ]);
      assert.deepEqual(handOver(handOver(start, third), quota), start);
    }),
  );
});
