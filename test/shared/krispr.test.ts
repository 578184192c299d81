// Krispr's reviews against the shared cases `f-missing-labels-parent`, `f-pointer-escape`, `f-review-v1-envelope` and
// `f-no-name-no-namespace`: whole reviews in, the patch applied strictly, labels out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Knowledge,
  type Outcome,
  type OwnerRecord,
  ownerIndex,
  ownerRecord,
  readRules,
  reviewKrispr,
  writeReview,
} from '../../src/core/admission/index.ts';
import { readSharedJson } from './shared.ts';

type Labels = Readonly<Record<string, string>> | null | undefined;
interface Review {
  readonly request: { readonly uid: string; readonly object: { readonly metadata: { readonly labels?: Labels } } };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const knowledge: Knowledge = {
  rules: {
    wanted: () => ({ kind: 'revision', revision: '1-24-5', bucket: 'production' }),
    remutateAfterMs: () => 0,
    isRetired: () => false,
    unlabelled: () => 'label',
    isNewer: (a, b) => a > b,
  },
  served: undefined,
  facts: () => ({ chain: [], end: { kind: 'top' } }),
  namespaceLabels: () => undefined,
};

const missingParent: readonly (Labels | 'no patch')[] = [
  { 'istio.io/rev': '1-24-5' },
  { 'istio.io/rev': '1-24-5' },
  { 'istio.io/rev': '1-24-5' },
  { app: 'x', 'pod-template-hash': '7d9c', 'istio.io/rev': '1-24-5' },
  { app: 'x', 'istio.io/rev': '1-24-5' },
  'no patch',
];
const parents = readSharedJson('cases/f-missing-labels-parent/input.json') as readonly Review[];
for (const [i, expected] of missingParent.entries())
  test(`f-missing-labels-parent: review ${i + 1}`, () => {
    const review = parents[i];
    assert.ok(review !== undefined);
    const response = responseTo(review);
    if (expected === 'no patch') return assert.ok(!('patch' in response) && !('patchType' in response));
    assert.deepEqual(labelsAfter(review), expected);
  });

test('f-pointer-escape: one operation, and the neighbours stay', () => {
  const review = readSharedJson('cases/f-pointer-escape/input.json') as Review;
  const outcome = reviewKrispr(review, knowledge, 0);
  assert.ok(outcome.kind === 'decided');
  assert.deepEqual(
    outcome.answer.patch.map(({ path }) => path),
    ['/metadata/labels/istio.io~1rev'],
  );
  assert.deepEqual(labelsAfter(review), {
    app: 'esc',
    'a/b~c': '1',
    'istio.io~1rev': 'keep',
    'istio.io/rev': '1-24-5',
  });
});

const envelopes: readonly (readonly [what: string, expected: object | 'malformed'])[] = [
  ['nothing to change', { allowed: true, patched: false, warned: false }],
  ['a change', { allowed: true, patched: true, warned: false }],
  ['a bad object', { allowed: true, patched: false, warned: true }],
  ['v1beta1', 'malformed'],
  ['DELETE', { allowed: true, patched: false, warned: false }],
  ['no request', 'malformed'],
];
const reviews = readSharedJson('cases/f-review-v1-envelope/input.json') as readonly Review[];
for (const [i, [what, expected]] of envelopes.entries())
  test(`f-review-v1-envelope: ${what}`, () => {
    const review = reviews[i];
    assert.ok(review !== undefined);
    if (expected === 'malformed') return assert.equal(reviewKrispr(review, knowledge, 0).kind, 'malformed');
    const response = responseTo(review);
    assert.equal(response['uid'], review.request.uid);
    assert.equal('patch' in response, 'patchType' in response);
    assert.deepEqual(
      { allowed: response['allowed'], patched: 'patch' in response, warned: 'warnings' in response },
      expected,
    );
  });

const rolloutsOfNames = '"pay-.*": {"1-24-5": 100}\nproduction: {"1-22-0": 100}\n';
const named: readonly (readonly [pod: string, workload: string])[] = [
  ['pay-eu/web-7d9c5b-*', 'Deployment/web'],
  ['pay-eu/once-*', 'Pod/once-*'],
  ['pay-eu/bare', 'Pod/bare'],
];
const unnamed = readSharedJson('cases/f-no-name-no-namespace/input.json') as readonly Review[];
for (const [i, [pod, workload]] of named.entries())
  test(`f-no-name-no-namespace: ${pod}`, () => {
    const rules = readRules({ 'rollouts.yml': rolloutsOfNames });
    assert.ok(rules.kind === 'valid');
    const index = ownerIndex([
      { group: 'apps', kind: 'ReplicaSet' },
      { group: 'apps', kind: 'Deployment' },
    ]);
    for (const record of sharedOwners()) index.put(record);
    const outcome = reviewKrispr(
      unnamed[i],
      {
        ...knowledge,
        rules: { ...rules.value.rules, remutateAfterMs: () => 0, unlabelled: () => 'label' },
        facts: (controller) => index.facts(controller, () => assert.fail('every kind is watched')),
      },
      0,
    );
    assert.ok(outcome.kind === 'decided' && outcome.verdict.kind === 'label');
    assert.equal(outcome.verdict.revision, '1-24-5');
    assert.deepEqual(outcome.about, { pod, workload, dryRun: false, guarded: false });
  });

/** The ReplicaSet of the case; its Deployment is known by the reference alone. */
function sharedOwners(): OwnerRecord[] {
  const owners = readSharedJson('cases/f-no-name-no-namespace/owners.json') as Record<string, Record<string, object>>;
  return Object.entries(owners).flatMap(([namespace, records]) =>
    Object.entries(records).map(([key, metadata]) => {
      const [kind = '', name = ''] = key.split('/');
      const creationTimestamp = '2024-01-01T00:00:00Z';
      const record = ownerRecord(
        { group: 'apps', kind },
        { metadata: { ...metadata, name, namespace, creationTimestamp } },
      );
      assert.ok(record !== undefined);
      return record;
    }),
  );
}

function answered(outcome: Outcome): Exclude<Outcome, { kind: 'malformed' }> {
  assert.ok(outcome.kind !== 'malformed');
  return outcome;
}

function responseTo(review: unknown): Readonly<Record<string, unknown>> {
  const { answer } = answered(reviewKrispr(review, knowledge, 0));
  return writeReview(answer, base64)['response'] as Record<string, unknown>;
}

/** The pod's labels after the patch, applied strictly: the parent of what is added must be there. */
function labelsAfter(review: Review): unknown {
  const object: Record<string, unknown> = structuredClone(review.request.object);
  for (const operation of answered(reviewKrispr(review, knowledge, 0)).answer.patch) {
    assert.ok(operation.op !== 'remove');
    const { op, path, value } = operation;
    const keys = path
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], object);
    assert.ok(typeof parent === 'object' && parent !== null, `no parent of ${path}`);
    if (op === 'replace') assert.ok(Object.hasOwn(parent, last), `nothing to replace at ${path}`);
    (parent as Record<string, unknown>)[last] = value;
  }
  return (object['metadata'] as { labels?: unknown }).labels;
}
