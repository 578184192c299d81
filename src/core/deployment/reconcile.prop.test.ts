// Laws of a roll-out: over random sizes, strategies and orders of readiness it stays within its bounds and comes to its end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Replica, type ReplicaSet, reconcile } from './reconcile.ts';
import { budgetOf, parseDeployment } from './spec.ts';

const share = fc.oneof(
  fc.nat(4),
  fc.integer({ min: 0, max: 100 }).map((n) => `${n}%`),
);

test('a roll-out keeps its bounds and ends with only new pods', () => {
  fc.assert(
    fc.property(fc.nat(8), share, share, fc.infiniteStream(fc.nat(5)), (replicas, maxSurge, maxUnavailable, dice) => {
      const strategy = { rollingUpdate: { maxSurge, maxUnavailable } };
      const parsed = parseDeployment({ replicas, strategy, selector: {}, template: { spec: {} } });
      assert.equal(parsed.kind, 'valid');
      if (parsed.kind !== 'valid') return;
      const { spec } = parsed;
      const budget = budgetOf(spec);
      let pods: Replica[] = Array.from({ length: replicas }, (_, index) => pod(`o${index}`, 'o', 'ready'));
      let sets: readonly ReplicaSet[] = [{ hash: 'o', wanted: replicas }];
      for (let round = 0; round < 400; round++) {
        const decision = reconcile({ spec, hash: 'n', sets, replicas: pods, nowMs: round });
        if (decision.status.complete) return;
        ({ sets } = decision);
        const before = pods.filter(({ at }) => at === 'ready').length;
        pods = pods.filter(({ name }) => !decision.remove.includes(name));
        pods.push(...decision.create.map((hash, index) => pod(`${hash}${round}-${index}`, hash, 'starting')));
        const ready = pods.filter(({ at }) => at === 'ready').length;
        assert.ok(pods.length <= replicas + budget.maxSurge, 'surge');
        assert.ok(ready === before || ready >= replicas - budget.maxUnavailable, 'availability');
        const waiting = pods.filter(({ at }) => at === 'starting');
        const chosen = waiting[dice.next().value % Math.max(1, waiting.length)];
        pods = pods.map((one) => (one === chosen ? { ...one, at: 'ready', readySinceMs: 0 } : one));
      }
      assert.fail('the roll-out never ended');
    }),
    { numRuns: 200 },
  );
});

function pod(name: string, hash: string, at: Replica['at']): Replica {
  return { name, hash, at, readySinceMs: 0, createdAtMs: 0 };
}
