import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerRecord, Rules } from '../admission/index.ts';
import { policyTable, selectingKeys } from './table.ts';

const rules: Rules = {
  wanted: (namespace) => {
    if (namespace === 'tied') return { kind: 'unresolved', message: 'tie' };
    if (namespace === 'excluded') return { kind: 'outside', reason: 'excluded' };
    const revision = { ahead: 'c-3', back: 'gone', tagged: 'stable' }[namespace] ?? 'b-2';
    return { kind: 'revision', revision, bucket: 'production' };
  },
  remutateAfterMs: () => 0,
  isRetired: (revision) => revision === 'gone',
  unlabelled: (namespace) => (namespace === 'opted' || namespace === 'tied' ? 'label' : 'leave'),
  isNewer: () => false,
};
const served = { revisions: new Set(['b-2', 'gone']), tags: new Set(['stable']) };
const owner = (kind: string, namespace: string): OwnerRecord => ({
  group: 'apps',
  kind,
  namespace,
  name: 'web',
  uid: kind + namespace,
  createdMs: 0,
  selectsRevision: true,
});

test('only what Krispr would label has an entry', () => {
  const names = ['shop', 'tied', 'excluded', 'ahead', 'back', 'tagged', 'opted'];
  const table = policyTable({
    rules,
    served,
    namespaces: [...names.map((name) => [name, {}] as const), ['mist', { 'istio.io/dataplane-mode': 'ambient' }]],
    selecting: [owner('Deployment', 'shop'), owner('StatefulSet', 'opted'), owner('Deployment', 'excluded')],
  });
  assert.deepEqual(table, {
    revisions: { opted: 'b-2', shop: 'b-2', tagged: 'stable' },
    unlabelled: { opted: '' },
    tags: { stable: '' },
    selecting: { 'opted/StatefulSet/web': '', 'shop/Deployment/web': '', 'shop/ReplicaSet/web': '' },
  });
  assert.deepEqual(
    Object.keys(table.revisions),
    ['opted', 'shop', 'tagged'],
    'in order, whatever the order of the facts',
  );
});

const kinds: readonly (readonly [kind: string, keys: readonly string[]])[] = [
  ['ReplicaSet', ['n/ReplicaSet/web']],
  ['DaemonSet', ['n/DaemonSet/web']],
  ['Deployment', ['n/Deployment/web', 'n/ReplicaSet/web']],
  ['CloneSet', ['n/CloneSet/web', 'n/ReplicaSet/web']],
];
for (const [kind, keys] of kinds)
  test(`keys of a ${kind}`, () => assert.deepEqual(selectingKeys({ namespace: 'n', kind, name: 'web' }), keys));
