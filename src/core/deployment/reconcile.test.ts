// Rounds of a Deployment: what is created and removed in each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templateHash } from './hash.ts';
import { type Decision, type Replica, type ReplicaSet, reconcile } from './reconcile.ts';
import { type DeploymentSpec, parseDeployment } from './spec.ts';

function specOf(fields: object): DeploymentSpec {
  const parsed = parseDeployment({ selector: {}, template: { spec: {} }, ...fields });
  assert.equal(parsed.kind, 'valid');
  return parsed.spec;
}

function pods(hash: string, states: string): readonly Replica[] {
  const at = { s: 'starting', r: 'ready', d: 'deleting', e: 'ended' } as const;
  return states.split('').map((state, index) => ({
    name: `${hash}${index}`,
    hash,
    at: at[state as keyof typeof at],
    readySinceMs: 0,
    createdAtMs: index,
  }));
}

const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
});

interface Row {
  readonly what: string;
  readonly spec: object;
  readonly sets?: readonly ReplicaSet[];
  readonly replicas: readonly Replica[];
  readonly create: string;
  readonly remove: readonly string[];
}

const three = { replicas: 3 };
const rows: readonly Row[] = [
  { what: 'a first roll-out creates all', spec: three, replicas: [], create: 'nnn', remove: [] },
  {
    what: 'what has ended is replaced, what is being deleted too',
    spec: three,
    sets: [{ hash: 'n', wanted: 3 }],
    replicas: pods('n', 'red'),
    create: 'nn',
    remove: [],
  },
  {
    what: 'a new template: surge first (25 % of 3 is 1)',
    spec: three,
    sets: [{ hash: 'o', wanted: 3 }],
    replicas: pods('o', 'rrr'),
    create: 'n',
    remove: [],
  },
  {
    what: 'no old one goes before the new one is ready',
    spec: three,
    sets: [
      { hash: 'o', wanted: 3 },
      { hash: 'n', wanted: 1 },
    ],
    replicas: [...pods('o', 'rrr'), ...pods('n', 's')],
    create: '',
    remove: [],
  },
  {
    what: 'a new one is ready: an old one goes',
    spec: three,
    sets: [
      { hash: 'o', wanted: 3 },
      { hash: 'n', wanted: 1 },
    ],
    replicas: [...pods('o', 'rrr'), ...pods('n', 'r')],
    create: '',
    remove: ['o2'],
  },
  {
    what: 'unready old ones go first and at no cost',
    spec: three,
    sets: [
      { hash: 'o', wanted: 3 },
      { hash: 'n', wanted: 1 },
    ],
    replicas: [...pods('o', 'rsr'), ...pods('n', 's')],
    create: '',
    remove: [],
  },
  {
    what: 'no surge: one may be unavailable',
    spec: { ...three, ...rolling(0, 1) },
    sets: [{ hash: 'o', wanted: 3 }],
    replicas: pods('o', 'rrr'),
    create: '',
    remove: ['o2'],
  },
  {
    what: 'both zero move by one unavailable',
    spec: { ...three, ...rolling(0, 0) },
    sets: [{ hash: 'o', wanted: 3 }],
    replicas: pods('o', 'rrr'),
    create: '',
    remove: ['o2'],
  },
  {
    what: 'unavailability of 50 % of 3 is one',
    spec: { ...three, ...rolling('0%', '50%') },
    sets: [{ hash: 'o', wanted: 3 }],
    replicas: pods('o', 'rrr'),
    create: '',
    remove: ['o2'],
  },
  {
    what: 'Recreate ends all old ones',
    spec: { ...three, strategy: { type: 'Recreate' } },
    sets: [{ hash: 'o', wanted: 3 }],
    replicas: pods('o', 'rrr'),
    create: '',
    remove: ['o2', 'o1', 'o0'],
  },
  {
    what: 'Recreate waits for the last',
    spec: { ...three, strategy: { type: 'Recreate' } },
    sets: [{ hash: 'o', wanted: 0 }],
    replicas: pods('o', 'eed'),
    create: '',
    remove: [],
  },
  {
    what: 'Recreate begins when all are gone',
    spec: { ...three, strategy: { type: 'Recreate' } },
    sets: [{ hash: 'o', wanted: 0 }],
    replicas: pods('o', 'ee'),
    create: 'nnn',
    remove: [],
  },
  {
    what: 'scaling down takes the youngest',
    spec: { replicas: 1 },
    sets: [{ hash: 'n', wanted: 3 }],
    replicas: pods('n', 'rrr'),
    create: '',
    remove: ['n2', 'n1'],
  },
];

for (const { what, spec, sets = [], replicas, create, remove } of rows) {
  test(what, () => {
    const decision = reconcile({ spec: specOf(spec), hash: 'n', sets, replicas, nowMs: 60_000 });
    assert.deepEqual({ create: decision.create.join(''), remove: decision.remove }, { create, remove });
  });
}

test('minReadySeconds delays availability and says when to look again', () => {
  const spec = specOf({ replicas: 1, minReadySeconds: 90 });
  const observed = { spec, hash: 'n', sets: [{ hash: 'n', wanted: 1 }], replicas: pods('n', 'r') };
  const early: Decision = reconcile({ ...observed, nowMs: 60_000 });
  assert.deepEqual([early.status.available, early.wakeAtMs, early.status.complete], [0, 90_000, false]);
  const late = reconcile({ ...observed, nowMs: 90_000 });
  assert.deepEqual([late.status.available, late.wakeAtMs, late.status.complete], [1, Number.POSITIVE_INFINITY, true]);
});

test('a template has one hash, whatever the order of its keys', () => {
  assert.equal(templateHash({ a: 1, b: { c: [1], d: 2 } }), templateHash({ b: { d: 2, c: [1] }, a: 1 }));
  assert.notEqual(templateHash({ a: 1 }), templateHash({ a: 2 }));
  assert.match(templateHash({ a: 1 }), /^[b-z2-9]{10}$/);
});

test('a Deployment that cannot work is refused with all problems', () => {
  const parsed = parseDeployment({
    replicas: -1,
    strategy: { rollingUpdate: { maxSurge: 'some' } },
    selector: {},
    template: { spec: {} },
  });
  assert.deepEqual(parsed.kind === 'invalid' && parsed.problems.map(({ path }) => path), [
    'spec.replicas',
    'spec.strategy.rollingUpdate.maxSurge',
  ]);
  const unmatched = parseDeployment({ selector: { matchLabels: { app: 'a' } }, template: { spec: {} } });
  assert.equal(unmatched.kind, 'invalid');
});
