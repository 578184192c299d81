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

test('a second time there is nothing to do', () => {
  const taken = takeOver(configuration);
  assert.ok(taken.kind === 'patch');
  assert.deepEqual(takeOver(apply(configuration, taken.patch)), { kind: 'nothing' });
  assert.deepEqual(giveBack(configuration), { kind: 'nothing' });
});

test('a webhook that came meanwhile is left alone', () => {
  const taken = takeOver(configuration);
  assert.ok(taken.kind === 'patch');
  const off = apply(configuration, taken.patch);
  const more = { ...off, webhooks: [{ name: 'new', objectSelector: { matchLabels: { x: 'y' } } }, ...off.webhooks] };
  const given = giveBack(more);
  assert.ok(given.kind === 'patch');
  assert.deepEqual(apply(more, given.patch).webhooks[0], { name: 'new', objectSelector: { matchLabels: { x: 'y' } } });
});
