import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { explain } from './explain.ts';
import { formatLock, parseLock } from './lock.ts';
import { createResolver, type Resolver } from './resolver.ts';
import { parseRollouts, type Rollouts } from './rollouts.ts';

function read(shares: readonly (readonly [string, number])[]): Rollouts {
  const text = `production: {${shares.map(([revision, share]) => `${revision}: ${share / 100}`).join(', ')}}\n`;
  const rollouts = parseRollouts(text);
  assert.ok(rollouts.kind === 'valid', `${text}${JSON.stringify(rollouts.problems)}`);
  return rollouts.value;
}

test('explain: a namespace moves at the share that is told, and not one slot before', () => {
  const cuts = fc
    .tuple(fc.integer({ min: 1, max: 9_998 }), fc.integer({ min: 1, max: 9_998 }))
    .filter(([a, b]) => a !== b);
  fc.assert(
    fc.property(cuts, cuts, fc.string({ maxLength: 9 }), (first, second, name) => {
      const split = (cut: readonly [number, number]): [string, number][] => {
        const [low, high] = [Math.min(...cut), Math.max(...cut)];
        return [
          ['a1', low],
          ['b2', high - low],
          ['c3', 10_000 - high],
        ];
      };
      const before = createResolver({ rollouts: read(split(first)) });
      const owned = before.ownership(read(split(first)).defaultBucket);
      const lock = parseLock(formatLock(new Map([['production', { runs: owned.runs, names: new Map() }]])));
      assert.ok(lock.kind === 'valid');
      const shares = new Map(split(second));
      const now = read([...shares]);
      const resolver: Resolver = createResolver({ rollouts: now, lock: lock.value });
      const memory = new Map([
        ['production', { runs: resolver.ownership(now.defaultBucket).runs, names: new Map<string, string>() }],
      ]);
      const { assignment, changes } = explain(resolver, now, name);
      assert.ok(assignment.kind === 'assigned');
      for (const { to, slots } of changes) {
        const after = (given: number): string | undefined => {
          const edited = new Map(shares);
          edited.set(assignment.revision, (shares.get(assignment.revision) ?? 0) - given);
          edited.set(to, (shares.get(to) ?? 0) + given);
          const result = createResolver({ rollouts: read([...edited]), lock: memory }).resolve(name);
          return result.kind === 'assigned' ? result.revision : undefined;
        };
        assert.deepEqual([after(slots - 1), after(slots)], [assignment.revision, to]);
      }
    }),
    { numRuns: 60 },
  );
});
