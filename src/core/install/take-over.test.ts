import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveBack, type Operation, takeOver } from './take-over.ts';

const configuration = {
  metadata: { name: 'istio-sidecar-injector-a-1', resourceVersion: '7', annotations: { other: 'kept' } },
  webhooks: [
    { name: 'rev.namespace', namespaceSelector: { matchLabels: { 'istio.io/rev': 'a-1' } }, objectSelector: {} },
    {
      name: 'rev.object',
      objectSelector: { matchExpressions: [{ key: 'istio.io/rev', operator: 'In', values: ['a-1'] }] },
    },
  ],
};

/** Applies what these patches use of RFC 6902. */
function apply(object: object, operations: readonly Operation[]): typeof configuration {
  const result = structuredClone(object) as Record<string, unknown>;
  for (const { op, path, value } of operations) {
    const keys = path.split('/').slice(1);
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], result) as Record<
      string,
      unknown
    >;
    if (op === 'test') assert.deepEqual(parent[last], value);
    else parent[last] = value;
  }
  return result as typeof configuration;
}

test('taken over it matches nothing, given back it is as it was', () => {
  const taken = takeOver(configuration);
  assert.ok(taken.kind === 'patch');
  const off = apply(configuration, taken.patch);
  for (const { namespaceSelector, objectSelector } of off.webhooks)
    for (const selector of [namespaceSelector, objectSelector])
      assert.deepEqual(selector, { matchLabels: { 'fairway.dev/taken-over': 'never-match' } });
  const given = giveBack(off);
  assert.ok(given.kind === 'patch');
  const [first, second] = configuration.webhooks;
  assert.deepEqual(apply(off, given.patch), {
    ...configuration,
    webhooks: [first, { ...second, namespaceSelector: {} }],
  });
});

type Changed = Extract<ReturnType<typeof takeOver>, { kind: 'patch' }>;
const changed = (wanted: ReturnType<typeof takeOver>): Changed['patch'] => {
  assert.ok(wanted.kind === 'patch', wanted.kind);
  return wanted.patch;
};
const off = apply(configuration, changed(takeOver(configuration)));
const never = { matchLabels: { 'fairway.dev/taken-over': 'never-match' } };

test('a second time there is nothing to do', () => {
  assert.deepEqual(takeOver(off), { kind: 'nothing' });
  assert.deepEqual(giveBack(configuration), { kind: 'nothing' });
});

test('a webhook that came meanwhile is left alone, or taken over too', () => {
  const added = { name: 'new', namespaceSelector: {}, objectSelector: { matchLabels: { x: 'y' } } };
  const more = { ...off, webhooks: [added, ...off.webhooks] } as typeof off;
  assert.deepEqual(apply(more, changed(giveBack(more))).webhooks[0], added);
  const again = apply(more, changed(takeOver(more)));
  for (const each of again.webhooks) assert.deepEqual([each.namespaceSelector, each.objectSelector], [never, never]);
  const given = apply(again, changed(giveBack(again)));
  assert.deepEqual(given.webhooks, [added, ...apply(off, changed(giveBack(off))).webhooks]);
});

test('selectors that a chart put back are switched off again, and what it wrote last is given back', () => {
  const [first, second] = off.webhooks;
  const written = { matchLabels: { 'istio.io/rev': 'a-1', more: 'since' } };
  const back = {
    ...off,
    webhooks: [{ ...first, namespaceSelector: written, objectSelector: {} }, second],
  } as typeof off;
  assert.deepEqual(apply(back, changed(giveBack(back))).webhooks[0]?.namespaceSelector, written);
  const again = apply(back, changed(takeOver(back)));
  for (const each of again.webhooks) assert.deepEqual([each.namespaceSelector, each.objectSelector], [never, never]);
  const given = apply(again, changed(giveBack(again)));
  assert.deepEqual(given.webhooks[0]?.namespaceSelector, written);
  assert.deepEqual(given.webhooks[1]?.objectSelector, configuration.webhooks[1]?.objectSelector);
});

test('selectors that a chart merged into what switches it off: off still, and without that given back', () => {
  const [first, second] = off.webhooks;
  const expressions = [{ key: 'istio.io/rev', operator: 'In', values: ['a-1'] }];
  const merged = { ...first, objectSelector: { ...never, matchExpressions: expressions } };
  const after = { ...off, webhooks: [merged, second] } as typeof off;
  assert.deepEqual(takeOver(after), { kind: 'nothing' });
  const [given] = apply(after, changed(giveBack(after))).webhooks;
  assert.deepEqual([given?.namespaceSelector, given?.objectSelector], [{}, { matchExpressions: expressions }]);
});

test('what nobody knows any more is not made up', () => {
  for (const annotations of [{}, { 'fairway.dev/selectors-before-take-over': 'no JSON' }])
    assert.deepEqual(giveBack({ ...off, metadata: { ...off.metadata, annotations } }), {
      kind: 'lost',
      webhook: 'rev.namespace',
    });
});
