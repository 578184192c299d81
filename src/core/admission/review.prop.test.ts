import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Knowledge, reviewKrispr } from './krispr.ts';

const knowledge: Knowledge = {
  rules: {
    wanted: () => ({ kind: 'revision', revision: 'new', bucket: 'production' }),
    remutateAfterMs: () => 0,
    isRetired: () => false,
    unlabelled: () => 'label',
    isNewer: () => false,
  },
  served: undefined,
  facts: () => ({ chain: [], end: { kind: 'top' } }),
  namespaceLabels: () => undefined,
};

const anything = fc.jsonValue({ maxDepth: 3 });
const metadata = fc.record(
  { name: anything, generateName: anything, labels: anything, annotations: anything, ownerReferences: anything },
  { requiredKeys: [] },
);
const body = fc.record({
  apiVersion: fc.constant('admission.k8s.io/v1'),
  kind: fc.constant('AdmissionReview'),
  request: fc.record(
    {
      uid: fc.constant('u'),
      operation: fc.constant('CREATE'),
      namespace: fc.constant('n'),
      resource: fc.constant({ group: '', resource: 'pods' }),
      object: fc.oneof(anything, fc.record({ metadata: fc.oneof(anything, metadata) })),
    },
    { requiredKeys: ['uid'] },
  ),
});

test('any review has an answer that echoes its uid, and a patch never touches another label', () => {
  fc.assert(
    fc.property(body, (review) => {
      const outcome = reviewKrispr(review, knowledge, 0);
      assert.ok(outcome.kind !== 'malformed');
      assert.equal(outcome.answer.uid, 'u');
      for (const operation of outcome.answer.patch) {
        assert.ok(operation.op !== 'remove');
        const { path, value } = operation;
        const labels = (review.request.object as { metadata: { labels?: object | null } }).metadata.labels ?? undefined;
        assert.equal(path, labels === undefined ? '/metadata/labels' : '/metadata/labels/istio.io~1rev');
        assert.deepEqual(value, labels === undefined ? { 'istio.io/rev': 'new' } : 'new');
      }
    }),
    { numRuns: 500 },
  );
});

test('any body at all has an outcome', () => {
  fc.assert(fc.property(anything, (value) => void reviewKrispr(value, knowledge, 0)));
});
