import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Candidate, holds, type Lease, nextLease, usualTerm } from './lease.ts';

const me: Candidate = { name: 'me', term: usualTerm };
const lease = (holder: string): Lease => ({ holder, durationMs: 15_000, transitions: 3, version: '7' });

const rows: readonly (readonly [
  name: string,
  lease: Lease | undefined,
  ageMs: number,
  write: ReturnType<typeof nextLease>,
])[] = [
  ['nobody made it yet', undefined, 0, { kind: 'create', transitions: 0 }],
  ['mine: renew', lease('me'), 14_000, { kind: 'update', version: '7', transitions: 3 }],
  ['mine, from before a restart', lease('me'), 99_000, { kind: 'update', version: '7', transitions: 3 }],
  ["another's, renewed lately", lease('other'), 14_999, undefined],
  ["another's, not renewed", lease('other'), 15_000, { kind: 'update', version: '7', transitions: 4 }],
  ['given back', lease(''), 0, { kind: 'update', version: '7', transitions: 4 }],
];
for (const [name, seen, ageMs, write] of rows)
  test(`lease: ${name}`, () => assert.deepEqual(nextLease({ lease: seen, sinceMs: 1000 }, me, 1000 + ageMs), write));

test('a holder that cannot renew stops before another may begin', () => {
  assert.equal(holds(undefined, me, 0), false);
  assert.equal(holds(1000, me, 1000 + usualTerm.giveUpMs - 1), true);
  assert.equal(holds(1000, me, 1000 + usualTerm.giveUpMs), false);
  assert.ok(usualTerm.giveUpMs < usualTerm.durationMs);
});
