import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Configuration } from '../injectors/index.ts';
import { type OwnerRecord, type OwnerReference, ownerRecord } from './owner.ts';
import { ownerIndex } from './owner-index.ts';
import { servedBy, servedByAll } from './served.ts';

const deployment = { group: 'apps', kind: 'Deployment' };
const metadata = { name: 'web', namespace: 'shop', uid: 'd', creationTimestamp: '2026-01-01T00:00:00Z' };
const stampedAt = 'fairway.dev/stamped-at';

test('a record keeps what the age rule needs and nothing else', () => {
  const record = ownerRecord(deployment, {
    spec: { replicas: 3 },
    metadata: {
      ...metadata,
      labels: { app: 'web' },
      annotations: { [stampedAt]: '2026-05-01T10:00:00+02:00' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' },
        { apiVersion: 'serving.knative.dev/v1', kind: 'Revision', name: 'web-1', uid: 'k', controller: true },
      ],
      managedFields: [
        { time: '2026-06-01T00:00:00Z', fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${stampedAt}`]: {} } } } },
        {
          time: '2026-05-02T00:00:00Z',
          fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:${stampedAt}`]: {} } }, 'f:spec': {} },
        },
        { time: '2026-07-01T00:00:00Z', fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:other': {} } } } },
        { time: '2026-08-01T00:00:00Z', subresource: 'scale', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      ],
    },
  });
  assert.deepEqual(record, {
    ...deployment,
    namespace: 'shop',
    name: 'web',
    uid: 'd',
    createdMs: Date.UTC(2026, 0, 1),
    controller: { group: 'serving.knative.dev', kind: 'Revision', name: 'web-1', uid: 'k' },
    stamp: { atMs: Date.UTC(2026, 4, 1, 8), writtenMs: Date.UTC(2026, 5, 1) },
    specWrittenMs: Date.UTC(2026, 4, 2),
  });
});

const selectors: readonly (readonly [name: string, selector: unknown, selects: boolean])[] = [
  ['labels', { matchLabels: { app: 'web', 'istio.io/rev': 'a' } }, true],
  ['an expression', { matchExpressions: [{ key: 'istio.io/rev', operator: 'Exists' }] }, true],
  ['a bare map', { 'istio.io/rev': 'a' }, true],
  ['another label', { matchLabels: { app: 'web' } }, false],
  ['none', undefined, false],
];
for (const [name, selector, selects] of selectors)
  test(`a selector by the revision label: ${name}`, () => {
    assert.equal(ownerRecord(deployment, { metadata, spec: { selector } })?.selectsRevision === true, selects);
  });

const odd: readonly (readonly [name: string, object: unknown])[] = [
  ['no object', undefined],
  ['no metadata', {}],
  ['no uid', { metadata: { ...metadata, uid: undefined } }],
  ['a creation that is no time', { metadata: { ...metadata, creationTimestamp: 'yesterday' } }],
  ['a creation on a day that does not exist', { metadata: { ...metadata, creationTimestamp: '2026-13-41T00:00:00Z' } }],
];
for (const [name, object] of odd)
  test(`no record: ${name}`, () => assert.equal(ownerRecord(deployment, object), undefined));

test('a stamp that is no time is none', () => {
  assert.equal(
    ownerRecord(deployment, { metadata: { ...metadata, annotations: { [stampedAt]: 'last week' } } })?.stamp,
    undefined,
  );
});

const reference = (kind: string, uid: string, group = 'apps'): OwnerReference => ({ group, kind, name: uid, uid });
const record = (
  kind: string,
  uid: string,
  rest: { createdMs?: number; controller?: OwnerReference } = {},
): OwnerRecord => ({
  group: 'apps',
  kind,
  namespace: 'shop',
  name: uid,
  uid,
  createdMs: 0,
  ...rest,
});
const watched = [deployment, { group: 'apps', kind: 'ReplicaSet' }, { group: 'apps', kind: 'ControllerRevision' }];
const never = (): number => assert.fail('asked for a first sight');

test('the index climbs to the top, and knows the newest of all ReplicaSets of it', () => {
  const index = ownerIndex(watched);
  const web = record('Deployment', 'web');
  const old = record('ReplicaSet', 'old', { createdMs: 10, controller: reference('Deployment', 'web') });
  const bad = record('ReplicaSet', 'bad', { createdMs: 90, controller: reference('Deployment', 'web') });
  for (const each of [bad, web, old]) index.put(each);
  const facts = () => index.facts(reference('ReplicaSet', 'old'), never);
  assert.deepEqual(facts(), { chain: [old, web], newestRolloutMs: 90, end: { kind: 'top' } });
  index.remove('bad');
  assert.deepEqual(facts(), { chain: [old, web], newestRolloutMs: 10, end: { kind: 'top' } });
  index.remove('web');
  assert.deepEqual(facts(), { chain: [old], end: { kind: 'missing', reference: reference('Deployment', 'web') } });
  assert.equal(index.size, 1);
});

test('a ReplicaSet that changes its owner is a roll-out of the new one only', () => {
  const index = ownerIndex(watched);
  for (const name of ['a', 'b']) index.put(record('Deployment', name));
  index.put(record('ReplicaSet', 'r', { createdMs: 5, controller: reference('Deployment', 'a') }));
  index.put(record('ReplicaSet', 'r', { createdMs: 5, controller: reference('Deployment', 'b') }));
  assert.equal(index.facts(reference('Deployment', 'a'), never).newestRolloutMs, undefined);
  assert.equal(index.facts(reference('Deployment', 'b'), never).newestRolloutMs, 5);
});

test('no controller, one that is not there yet, one of a kind that nobody watches, and a cycle', () => {
  const index = ownerIndex(watched);
  assert.deepEqual(index.facts(undefined, never), { chain: [], end: { kind: 'top' } });
  const late = reference('ReplicaSet', 'late');
  assert.deepEqual(index.facts(late, never), { chain: [], end: { kind: 'missing', reference: late } });
  const kafka = reference('StrimziPodSet', 'k', 'core.strimzi.io');
  assert.deepEqual(
    index.facts(kafka, () => 77),
    { chain: [], end: { kind: 'unwatched', reference: kafka, firstSeenMs: 77 } },
  );
  index.put(record('Deployment', 'ouroboros', { controller: reference('Deployment', 'ouroboros') }));
  assert.equal(index.facts(reference('Deployment', 'ouroboros'), never).end.kind, 'missing');
});

const injector = (labels: Readonly<Record<string, string>>, selector: object, rule: object = {}): Configuration => ({
  metadata: { name: 'injector', labels },
  webhooks: [
    { name: 'w', rules: [{ operations: ['CREATE'], resources: ['pods'], ...rule }], objectSelector: selector },
  ],
});
const asks = (value: string): object => ({
  matchExpressions: [{ key: 'istio.io/rev', operator: 'In', values: [value] }],
});

test('served is what the selectors of injectors ask for', () => {
  const served = servedByAll(
    [
      injector({ 'istio.io/rev': 'a' }, asks('a')),
      injector({}, { matchLabels: { 'istio.io/rev': 'b' } }),
      injector({ 'istio.io/rev': 'a', 'istio.io/tag': 'stable' }, asks('stable')),
      injector({ 'istio.io/rev': 'c' }, { matchLabels: { 'istio.io/deactivated': 'never-match' } }),
      injector({}, asks('d'), { resources: ['services'] }),
      injector({}, { matchExpressions: [{ key: 'istio.io/rev', operator: 'NotIn', values: ['e'] }] }),
    ].map(servedBy),
  );
  assert.deepEqual(served, { revisions: new Set(['a', 'b']), tags: new Set(['stable']) });
});
