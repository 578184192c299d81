import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeReview } from './envelope.ts';
import { type Knowledge, type Outcome, reviewKrispr } from './krispr.ts';

const knowledge: Knowledge = {
  rules: {
    wanted: () => ({ kind: 'revision', revision: 'b-2', bucket: 'production' }),
    remutateAfterMs: () => 1000,
    isRetired: (revision) => revision === 'gone',
    unlabelled: () => 'label',
    isNewer: () => false,
  },
  served: undefined,
  facts: (controller) =>
    controller === undefined
      ? { chain: [], end: { kind: 'top' } }
      : { chain: [], end: { kind: 'missing', reference: controller } },
  namespaceLabels: () => undefined,
};

const request = {
  uid: 'u-1',
  operation: 'CREATE',
  resource: { group: '', version: 'v1', resource: 'pods' },
  namespace: 'shop',
  object: { metadata: { name: 'p', labels: { 'istio.io/rev': 'b-2' } }, spec: {} },
};
const review = (changes: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { ...request, ...changes },
});
const pod = (metadata: unknown) => review({ object: { metadata } });
const run = (body: unknown): Outcome => reviewKrispr(body, knowledge, 0);

const shapes: readonly (readonly [name: string, body: unknown, expected: string])[] = [
  ['a number', 7, 'malformed'],
  ['nothing', null, 'malformed'],
  ['a list', [], 'malformed'],
  ['another kind', { ...review(), kind: 'Pod' }, 'malformed'],
  ['v1beta1', { ...review(), apiVersion: 'admission.k8s.io/v1beta1' }, 'malformed'],
  ['no request', { ...review(), request: undefined }, 'malformed'],
  ['a request that is a text', { ...review(), request: 'CREATE' }, 'malformed'],
  ['no uid', review({ uid: undefined }), 'malformed'],
  ['an empty uid', review({ uid: '' }), 'malformed'],
  ['a uid that is a number', review({ uid: 1 }), 'malformed'],
  ['UPDATE', review({ operation: 'UPDATE' }), 'pass operation'],
  ['DELETE', review({ operation: 'DELETE', object: null }), 'pass operation'],
  ['CONNECT to exec', review({ operation: 'CONNECT', subResource: 'exec' }), 'pass operation'],
  ['a binding', review({ subResource: 'binding' }), 'pass subresource'],
  ['a Deployment', review({ resource: { group: 'apps', version: 'v1', resource: 'deployments' } }), 'pass resource'],
  [
    'pods of another group',
    review({ resource: { group: 'metrics.k8s.io', version: 'v1', resource: 'pods' } }),
    'pass resource',
  ],
  ['no resource', review({ resource: undefined }), 'pass resource'],
  ['no object', review({ object: undefined }), 'pass object'],
  ['metadata that is a text', pod('no map'), 'pass object'],
  ['labels that are a list', pod({ name: 'p', labels: [] }), 'pass object'],
  ['no namespace', review({ namespace: undefined }), 'pass object'],
  ['a pod', review(), 'decided leave current'],
  ['a pod without labels', pod({ name: 'p' }), 'decided label unlabelled'],
  ['an empty label', pod({ name: 'p', labels: { 'istio.io/rev': '' } }), 'decided label unlabelled'],
];
for (const [name, body, expected] of shapes) test(`review: ${name}`, () => assert.equal(summary(run(body)), expected));

const patches: readonly (readonly [name: string, metadata: object, patch: unknown])[] = [
  ['no labels', {}, [{ op: 'add', path: '/metadata/labels', value: { 'istio.io/rev': 'b-2' } }]],
  ['labels null', { labels: null }, [{ op: 'replace', path: '/metadata/labels', value: { 'istio.io/rev': 'b-2' } }]],
  ['other labels', { labels: { app: 'x' } }, [{ op: 'add', path: '/metadata/labels/istio.io~1rev', value: 'b-2' }]],
  [
    'a retired label',
    { labels: { 'istio.io/rev': 'gone' } },
    [{ op: 'replace', path: '/metadata/labels/istio.io~1rev', value: 'b-2' }],
  ],
];
for (const [name, metadata, patch] of patches)
  test(`patch: ${name}`, () => {
    const outcome = run(pod(metadata));
    assert.ok(outcome.kind === 'decided');
    assert.deepEqual(outcome.answer.patch, patch);
  });

test('what every object of an API server has is no warning to its owner', () => {
  const managedFields = [{ manager: 'kubectl', operation: 'Update' }];
  const labels = { 'istio.io/rev': 'gone' };
  const outcome = run(review({ object: { metadata: { name: 'p', labels, managedFields }, spec: {}, status: {} } }));
  assert.ok(outcome.kind === 'decided');
  assert.deepEqual(outcome.answer.warnings, ['krispr: revision gone is retired: using b-2']);
});

test('what is logged names the namespace of the request, and a generated name', () => {
  const ownerReferences = [
    { apiVersion: 'batch/v1', kind: 'Job', name: 'other', uid: 'o' },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d', uid: 'r', controller: true },
  ];
  const outcome = run(
    review({ dryRun: true, object: { metadata: { generateName: 'web-7d-', namespace: 'default', ownerReferences } } }),
  );
  assert.ok(outcome.kind === 'decided');
  assert.deepEqual(outcome.about, {
    pod: 'shop/web-7d-*',
    workload: 'ReplicaSet/web-7d',
    dryRun: true,
    guarded: false,
  });
});

test('an answer holds patch and patchType together or neither, and short warnings', () => {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const written = (outcome: Outcome): unknown =>
    outcome.kind === 'malformed' ? undefined : writeReview(outcome.answer, base64);
  assert.deepEqual(written(run(review())), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u-1', allowed: true, auditAnnotations: { verdict: 'leave current' } },
  });
  assert.deepEqual(written(run(pod({ labels: { 'istio.io/rev': 'gone' } }))), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid: 'u-1',
      allowed: true,
      patchType: 'JSONPatch',
      patch: base64('[{"op":"replace","path":"/metadata/labels/istio.io~1rev","value":"b-2"}]'),
      warnings: ['krispr: revision gone is retired: using b-2'],
      auditAnnotations: { verdict: 'label retired', revision: 'gone -> b-2' },
    },
  });
  const refused = writeReview({ uid: 'u', patch: [], warnings: [], audit: {}, refused: 'no sidecar' }, base64);
  assert.deepEqual(refused['response'], { uid: 'u', allowed: false, status: { message: 'no sidecar' } });
  const long = writeReview({ uid: 'u', patch: [], warnings: [`a\nb${'x'.repeat(200)}`], audit: {} }, base64);
  const [warning = ''] = (long['response'] as { warnings: string[] }).warnings;
  assert.equal(warning.length, 120);
  assert.match(warning, /^a b[x]+…$/);
});

function summary(outcome: Outcome): string {
  if (outcome.kind === 'malformed') return 'malformed';
  if (outcome.kind === 'pass') return `pass ${outcome.because}`;
  return `decided ${outcome.verdict.kind} ${outcome.verdict.because}`;
}
