import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareDeferred, type DeferredResize, resizeAction, resizeVerdict } from './resize.ts';
import type { ResourceRequirements } from './spec.ts';
import type { QosClass } from './status.ts';
import { qosOf } from './validate/qos.ts';

const size = (requests: Record<string, string>, limits: Record<string, string> = {}): ResourceRequirements => ({
  requests,
  limits,
});
const both = { cpu: '1', memory: '1Gi' };

const classes: readonly (readonly [
  what: string,
  sizes: readonly (ResourceRequirements | undefined)[],
  qos: QosClass,
])[] = [
  ['nothing', [undefined], 'BestEffort'],
  ['zero requests', [size({ cpu: '0' })], 'BestEffort'],
  ['a request', [size({ cpu: '1' })], 'Burstable'],
  ['limits equal to requests', [size(both, both)], 'Guaranteed'],
  ['limits alone', [{ limits: both }], 'Guaranteed'],
  ['one container without', [size(both, both), undefined], 'Burstable'],
  ['a limit above its request', [size(both, { cpu: '2', memory: '1Gi' })], 'Burstable'],
  ['written differently', [size(both, { cpu: '1000m', memory: '1024Mi' })], 'Guaranteed'],
];

for (const [what, sizes, qos] of classes) {
  test(`a pod with ${what} is ${qos}`, () => {
    assert.equal(qosOf({ containers: sizes.map((resources, i) => ({ name: `c${i}`, resources })) }), qos);
  });
}

test('a size that the node never has is infeasible, one that it has not now is deferred', () => {
  const spec = (cpu: string) => ({ containers: [{ name: 'a', resources: size({ cpu }) }] });
  const node = { allocatable: { cpu: '4' }, available: { cpu: '2' } };
  assert.equal(resizeVerdict(spec('2'), node).kind, 'admitted');
  assert.equal(resizeVerdict(spec('3'), node).kind, 'Deferred');
  assert.equal(resizeVerdict(spec('5'), node).kind, 'Infeasible');
});

test('what a running container needs follows the policy of the resource that changes', () => {
  const container = {
    name: 'a',
    resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' as const }],
  };
  assert.equal(resizeAction(container, size(both), size(both)), 'none');
  assert.equal(resizeAction(container, size(both), size({ ...both, cpu: '2' })), 'inPlace');
  assert.equal(resizeAction(container, size(both), size({ ...both, memory: '2Gi' })), 'restart');
});

test('deferred resizes are tried in this order: those that do not grow, priority, Guaranteed, the longest wait', () => {
  const one = (name: string, more: Partial<DeferredResize>) => ({
    name,
    grows: true,
    priority: 0,
    qosClass: 'Burstable' as QosClass,
    sinceMs: 5,
    ...more,
  });
  const all = [
    one('late', { sinceMs: 9 }),
    one('early', { sinceMs: 1 }),
    one('guaranteed', { qosClass: 'Guaranteed' }),
    one('important', { priority: 10 }),
    one('shrinks', { grows: false }),
  ];
  assert.deepEqual(
    all.sort(compareDeferred).map(({ name }) => name),
    ['shrinks', 'important', 'guaranteed', 'early', 'late'],
  );
});
