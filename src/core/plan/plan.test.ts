import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completionBound, parseFleet } from '../fleet/index.ts';
import { parseSnapshot } from '../inventory/index.ts';
import { formatLock, type Lock, parseLock, parseRollouts } from '../rollout/index.ts';
import { nextLock } from './next-lock.ts';
import { type Plan, plan } from './plan.ts';
import type { Side } from './side.ts';

const dayMs = 86_400_000;

function side(rolloutsText: string, lock?: Lock, fleetText = 'salt: ""\n'): Side {
  const fleet = parseFleet(fleetText);
  assert.ok(fleet.kind === 'valid', JSON.stringify(fleet.problems));
  const rollouts = parseRollouts(rolloutsText, { fleet: fleet.value });
  assert.ok(rollouts.kind === 'valid', JSON.stringify(rollouts.problems));
  return { rollouts: rollouts.value, lock, fleet: fleet.value };
}

const names = Array.from({ length: 300 }, (_, index) => `shop-${index}`);
const workloads = [
  { namespace: 'pinned', kind: 'Deployment', name: 'web', replicas: 3, owner: 'payments' },
  { namespace: 'pinned', kind: 'StatefulSet', name: 'db', replicas: 2, owner: 'storage', stuck: 'on-delete' },
  { namespace: 'pinned', kind: 'Pod', name: 'once', stuck: 'bare-pod' },
  { namespace: 'pinned', kind: 'DaemonSet', name: 'net', replicas: 9, outsideMesh: true },
  { namespace: 'still', kind: 'Deployment', name: 'web', replicas: 5 },
];
const snapshot = parseSnapshot(
  JSON.stringify({
    version: 1,
    namespaces: [...names.map((name) => ({ name })), { name: 'shadowed', labels: { 'istio.io/rev': '1-23-4' } }],
    workloads,
  }),
);
assert.ok(snapshot.kind === 'valid', JSON.stringify(snapshot.problems));
const inventory = snapshot.value;

function planOf(from: Side | undefined, to: Side): Plan {
  return plan({ from, to, inventory, bound: completionBound(to.fleet, 30_000), nowMs: 0 });
}

const two = 'production: {1-24-5: 50, 1-25-2: 50}\n';
const three = 'production: {1-24-5: 34, 1-25-2: 33, 1-26-0: 33}\n';

test('plan: the same file moves nothing', () => {
  const made = planOf(side(two), side(two));
  assert.deepEqual([made.moves.length, made.somethingMoves, made.buckets], [0, false, []]);
});

test('plan: without a lock a third revision moves namespaces without need, and it is said', () => {
  const made = planOf(side(two), side(three));
  assert.ok(made.totals.needless > 0);
  assert.ok(made.problems.some(({ code }) => code === 'needless-moves'));
});

test('plan: with the lock that goes with each edit no move is needless, and the way back restores', () => {
  const start = side(two);
  const first = nextLock({ from: undefined, to: start, inventory }).lock;
  const there = side(three, nextLock({ from: { ...start, lock: first }, to: side(three), inventory }).lock);
  const forth = planOf({ ...start, lock: first }, there);
  assert.equal(forth.totals.needless, 0);
  assert.ok(forth.moves.length > 0);
  const back = nextLock({ from: there, to: side(two, there.lock), inventory }).lock;
  assert.equal(formatLock(back), formatLock(first));
});

test('plan: what an edit touches', () => {
  const made = planOf(side(`${two}pinned: {1-24-5: 100}\n`), side(`${two}pinned: {1-25-2: 100}\n`));
  assert.deepEqual(made.totals.moving, { namespaces: 1, workloads: 3, pods: 6, owners: ['payments', 'storage'] });
  const [move] = made.moves;
  assert.deepEqual(
    [move?.namespace, move?.from, move?.to, move?.direction, move?.because, move?.pods],
    ['pinned', '1-24-5', '1-25-2', 'forward', 'share', 6],
  );
  assert.deepEqual(
    made.stuck.map(({ workload, because }) => `${workload} ${because}`),
    ['pinned/StatefulSet/db on-delete', 'pinned/Pod/once bare-pod'],
  );
  assert.deepEqual(made.shadowed, [{ namespace: 'shadowed', label: 'istio.io/rev', value: '1-23-4' }]);
  assert.equal(made.doneByMs, 44 * dayMs + 30_000);
});

const reasons: readonly (readonly [from: [string, string?], to: [string, string?], expected: string])[] = [
  [[two], [`${two}pinned: {1-26-0: 100}\n`], 'pinned forward bucket'],
  [[`${two}pinned: {1-25-2: 100}\n`], [`${two}pinned: {1-24-5: 100}\n`], 'pinned backward share'],
  [[`${two}pinned: {1-25-2: 100}\n`], [`${two}pinned: {1-25-2: 100}\n`, 'exclude: [pinned]\n'], 'pinned leaving mesh'],
  [[`${two}pinned: {1-25-2: 100}\n`, 'exclude: [pinned]\n'], [`${two}pinned: {1-25-2: 100}\n`], 'pinned entering mesh'],
  [
    [`${two}pinned: {1-25-2: 100}\n`],
    [`${two}"pinne.": {1-25-2: 100}\n"pi[n]ed": {1-25-2: 100}\n"p[i]n.*": {1-25-2: 100}\n"pin[n].": {1-2: 100}\n`],
    '',
  ],
  [
    ['production: {1-24-5: 100}\npinned: {1-24-5: 100}\n'],
    ['production: {1-24-5: 100}\n"pinn.*": {1-24-5: 100}\n"pin.*d": {1-24-5: 100}\n'],
    'pinned leaving tie',
  ],
];
for (const [from, to, expected] of reasons) {
  test(`plan: ${JSON.stringify(to)} after ${JSON.stringify(from)}: ${expected}`, () => {
    const [old, new_] = [from, to].map(([text, fleet]) => side(text, undefined, fleet)) as [Side, Side];
    const moves = planOf(old, new_).moves.filter(({ namespace }) => namespace === 'pinned');
    assert.equal(
      moves.map(({ namespace, direction, because }) => `${namespace} ${direction} ${because}`).join(),
      expected,
    );
  });
}

test('plan: a revision with a share and nobody on it is a warning', () => {
  const made = planOf(side(two), side(`${two}pinned: {1-24-5: 99.99, 1-26-0: 0.01}\n`));
  assert.ok(made.problems.some(({ code, message }) => code === 'share-empty' && message.includes('1-26-0')));
});

test('plan: namespaces without sidecars do not move', () => {
  const labels = [new Map([['istio.io/dataplane-mode', 'ambient']]), new Map([['istio-injection', 'disabled']])];
  const some = { namespaces: labels.map((own, index) => ({ name: `n${index}`, labels: own })), workloads: [] };
  const [from, to] = [side('production: {1-24-5: 100}\n'), side('production: {1-25-2: 100}\n')];
  const made = plan({ from, to, inventory: some, bound: completionBound(to.fleet, 0), nowMs: 0 });
  assert.deepEqual([made.moves, made.shadowed], [[], []]);
});

const exact = 'buckets: {production: {mode: exact}}\n';

test('next lock: an exact bucket meets its shares by name, and moves the fewest names', () => {
  const one = side('production: {1-24-5: 90, 1-25-2: 10}\n', undefined, exact);
  const first = nextLock({ from: undefined, to: one, inventory }).lock;
  const total = inventory.namespaces.length;
  const on = (lock: Lock, revision: string): Set<string> =>
    new Set([...(lock.get('production')?.names ?? [])].filter(([, own]) => own === revision).map(([name]) => name));
  assert.equal(on(first, '1-25-2').size, Math.round(total / 10));
  const more = side('production: {1-24-5: 80, 1-25-2: 20}\n', first, exact);
  const second = nextLock({ from: { ...one, lock: first }, to: more, inventory }).lock;
  assert.equal(on(second, '1-25-2').size, Math.round(total / 5));
  assert.ok(on(first, '1-25-2').isSubsetOf(on(second, '1-25-2')));
  const made = planOf({ ...one, lock: first }, { ...more, lock: second });
  assert.deepEqual(
    [made.moves.length, made.totals.needless],
    [on(second, '1-25-2').size - on(first, '1-25-2').size, 0],
  );
});

test('next lock: keeps what it does not know, and forgets only when told', () => {
  const lock = parseLock(
    'fairway-lock 1\n\nbucket "other"\n  slots 1-24-5*10000\n\nbucket "production"\n  slots 1-24-5*5000 1-25-2*5000\n  name "gone" 1-24-5\n',
  );
  assert.ok(lock.kind === 'valid');
  const to = side(two, lock.value, exact);
  const kept = nextLock({ from: to, to, inventory });
  assert.deepEqual(kept.unknown, ['production: gone', 'other']);
  assert.deepEqual([kept.lock.has('other'), kept.lock.get('production')?.names.has('gone')], [true, true]);
  const forgotten = nextLock({ from: to, to, inventory, forget: true }).lock;
  assert.deepEqual([forgotten.has('other'), forgotten.get('production')?.names.has('gone')], [false, false]);
});

test('next lock: names of an exact bucket outlive a run without its fairway.yml', () => {
  const lock = parseLock(
    'fairway-lock 1\n\nbucket "production"\n  slots 1-24-5*5000 1-25-2*5000\n  name "shop-1" 1-24-5\n',
  );
  assert.ok(lock.kind === 'valid');
  const to = side(two, lock.value);
  const { lock: next, unknown } = nextLock({ from: to, to, inventory });
  assert.deepEqual([next.get('production')?.names.get('shop-1'), unknown], ['1-24-5', ['production: shop-1']]);
});
