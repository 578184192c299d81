import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseLock } from './lock.ts';
import { type Assignment, createResolver } from './resolver.ts';
import { parseRollouts } from './rollouts.ts';

function resolve(rolloutsText: string, namespace: string, lockText?: string): Assignment {
  const rollouts = parseRollouts(rolloutsText);
  assert.ok(rollouts.kind === 'valid', JSON.stringify(rollouts.problems));
  const lock = parseLock(lockText ?? 'fairway-lock 1\n');
  assert.ok(lock.kind === 'valid', JSON.stringify(lock.problems));
  return createResolver({ rollouts: rollouts.value, lock: lock.value }).resolve(namespace);
}

const show = (assignment: Assignment): string =>
  assignment.kind === 'assigned' ? `${assignment.revision} ${assignment.reason} ${assignment.bucket}` : assignment.kind;

const text = `
production: {1-20-0: 100}
".*-staging": {1-24-5: 75, 1-25-2: 25}
istio-e2e: {1-25-2: 100}
"team-.*-x": {1-24-5: 100}
"team-b.*x": {1-23-4: 100}
constructor: {1-21-0: 100}
`;
const rows: readonly (readonly [namespace: string, result: string])[] = [
  ['web', '1-20-0 only production'],
  ['production', '1-20-0 only production'],
  ['shop-staging', '1-24-5 slot .*-staging'],
  ['shop-staging-2', '1-20-0 only production'],
  ['istio-e2e', '1-25-2 pinned istio-e2e'],
  ['team-b-x', 'tie'],
  ['team-c-x', '1-24-5 only team-.*-x'],
  ['constructor', '1-21-0 pinned constructor'],
  ['__proto__', '1-20-0 only production'],
  ['kube-system', 'outside'],
  ['', '1-20-0 only production'],
];
for (const [namespace, result] of rows) {
  test(`resolve ${JSON.stringify(namespace)}: ${result}`, () => assert.equal(show(resolve(text, namespace)), result));
}

test('resolve: the lock decides who owns a slot', () => {
  const lock = 'fairway-lock 1\n\nbucket "production"\n  slots 1-25-2*5000 1-24-5*5000\n';
  const file = 'production: {1-24-5: 50, 1-25-2: 50}\n';
  const [plain, remembered] = [resolve(file, 'web'), resolve(file, 'web', lock)];
  assert.ok(plain.kind === 'assigned' && remembered.kind === 'assigned');
  assert.notEqual(plain.revision, remembered.revision);
  assert.deepEqual([plain.remembered, remembered.remembered], [false, true]);
});
