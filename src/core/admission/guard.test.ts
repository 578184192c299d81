import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Guard } from './guard.ts';
import { type Knowledge, reviewKrispr } from './krispr.ts';

/** Only b-2 has an injector, which also takes pods that ask for it by the label of Istio. */
const guard: Guard = {
  settings: { seconds: 7, buckets: ['production'] },
  kubernetesMinor: 36,
  injects: (_, pod) => pod['istio.io/rev'] === 'b-2' || pod['sidecar.istio.io/inject'] === 'true',
};
const knowledge: Knowledge = {
  rules: {
    wanted: (namespace) => ({ kind: 'revision', revision: 'b-2', bucket: namespace === 'shop' ? 'production' : 'x' }),
    remutateAfterMs: () => 0,
    isRetired: () => false,
    unlabelled: () => 'leave',
    isNewer: () => false,
  },
  served: { revisions: new Set(['b-2']), tags: new Set() },
  facts: () => ({ chain: [], end: { kind: 'top' } }),
  namespaceLabels: () => undefined,
  guard,
};

interface Given {
  readonly labels?: object;
  readonly spec?: object;
  readonly namespace?: string;
  readonly guard?: Partial<Guard> | undefined;
}

function review({ labels = { 'istio.io/rev': 'b-2' }, spec = {}, namespace = 'shop', ...rest }: Given) {
  const containers = [{ name: 'app', image: 'example.test/app:1' }];
  const object = { metadata: { name: 'p', labels }, spec: { containers, terminationGracePeriodSeconds: 30, ...spec } };
  const request = { uid: 'u', operation: 'CREATE', resource: { group: '', resource: 'pods' }, namespace, object };
  const known = 'guard' in rest ? rest.guard && { ...guard, ...rest.guard } : guard;
  const outcome = reviewKrispr(
    { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request },
    { ...knowledge, guard: known },
    0,
  );
  assert.ok(outcome.kind === 'decided');
  return outcome;
}

const sleep = [
  { op: 'add', path: '/spec/containers/0/lifecycle', value: { preStop: { sleep: { seconds: 7 } } } },
  { op: 'replace', path: '/spec/terminationGracePeriodSeconds', value: 37 },
  { op: 'add', path: '/metadata/annotations', value: { 'fairway.dev/shutdown-guard': '7' } },
];
const label = { op: 'replace', path: '/metadata/labels/istio.io~1rev', value: 'b-2' };

test('label and guard are one patch, and a pod that keeps its label is guarded too', () => {
  const moved = review({ labels: { 'istio.io/rev': 'gone' } });
  assert.deepEqual(moved.answer.patch, [label, ...sleep]);
  assert.deepEqual(moved.answer.audit, {
    verdict: 'label unserved',
    revision: 'gone -> b-2',
    'shutdown-guard': 'added',
  });
  assert.deepEqual(review({}).answer.patch, sleep);
  assert.deepEqual(review({}).about.guarded, true);
});

const proxy = { name: 'istio-proxy', image: 'auto' };
const rows: readonly (readonly [name: string, given: Given, guarded: boolean])[] = [
  ['the guard is off', { guard: undefined }, false],
  ['no injector takes the pod', { labels: {} }, false],
  ['an injector takes it without the revision label', { labels: { 'sidecar.istio.io/inject': 'true' } }, true],
  ['what injectors take is not known', { guard: { injects: () => false } }, false],
  [
    'the pod carries its proxy',
    { guard: { injects: () => false }, spec: { initContainers: [{ ...proxy, restartPolicy: 'Always' }] } },
    true,
  ],
  ['a pod of a Job', { spec: { restartPolicy: 'OnFailure' } }, false],
  ['a short grace period', { spec: { terminationGracePeriodSeconds: 5 } }, false],
  ['another bucket', { namespace: 'other' }, false],
  ["an owner's hook", { spec: { containers: [{ name: 'app', lifecycle: { preStop: { exec: {} } } }] } }, false],
  ['the host network', { spec: { hostNetwork: true } }, false],
  ['opted out', { labels: { 'istio.io/rev': 'b-2', 'sidecar.istio.io/inject': 'false' } }, false],
];
for (const [name, given, guarded] of rows)
  test(`guard at admission: ${name}: ${guarded}`, () => assert.equal(review(given).about.guarded, guarded));

test('an old cluster: skipped, with a warning', () => {
  const { answer } = review({ guard: { kubernetesMinor: 29 } });
  assert.deepEqual(answer.patch, []);
  assert.match(answer.warnings.join(), /1\.29 has no sleep action/);
});

test('what CI guarded already is left as it is', () => {
  const containers = [{ name: 'app', lifecycle: { preStop: { sleep: { seconds: 7 } } } }];
  assert.deepEqual(review({ spec: { containers, terminationGracePeriodSeconds: 37 } }).answer.patch, []);
});
