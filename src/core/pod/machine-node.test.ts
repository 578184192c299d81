// Lives on a node that has ideas of its own: restarts of the kubelet, evictions, deadlines, shutdown, static pods, node loss
// (cases LC27 to LC30, LC74 to LC85, EE51 to EE56).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endPodInput } from './end-cause.ts';
import type { Input } from './input.ts';
import {
  c,
  condition,
  deeds,
  events,
  type Life,
  live,
  phases,
  podAt,
  type Run,
  startsOf,
  statusOf,
  writes,
} from './lab.ts';
import { createPod, transition } from './machine.ts';
import { policyOf } from './policy.ts';
import type { Container, PodSpec } from './spec.ts';

const ideal = policyOf();
const kubelet = policyOf({ timing: 'kubelet', seed: 6 });
const side = (name: string, more: Partial<Container> = {}) => c(name, { ...more, restartPolicy: 'Always' });
const restart = (at: number): readonly [number, Input] => [at, { kind: 'kubeletRestart' }];
const exec = { exec: { command: ['x'] } };

const inits: readonly (readonly [id: string, what: string, lost: boolean, later: boolean])[] = [
  ['LC27', 'the main runs', false, false],
  ['LC28', 'the main runs and the record of the init is gone', true, false],
  ['LC29', 'a later init runs', false, true],
  ['LC30', 'a later init runs and the record of the first is gone', true, true],
];

for (const [id, what, lost, later] of inits) {
  test(`${id}: the kubelet restarts while ${what}: no init runs again`, () => {
    const spec: PodSpec = { initContainers: [c('i1'), c('i2')], containers: [c('m')] };
    const runs: Readonly<Record<string, readonly Run[]>> = {
      i1: [{ exit: [1, 0] }],
      i2: [{ exit: [later ? 60 : 1, 0] }],
    };
    const gone: readonly (readonly [number, Input])[] = lost ? [[19, { kind: 'recordLost', instance: 'i1/3' }]] : [];
    const life = live(ideal, spec, { runs, inputs: [...gone, restart(20)] }, 100);
    assert.deepEqual([startsOf(life, 'i1'), startsOf(life, 'i2')], [[0], [1]]);
    assert.deepEqual(startsOf(life, 'm'), [later ? 61 : 2]);
  });
}

const probes: readonly (readonly [what: string, probes: Partial<Container>])[] = [
  ['no probe', {}],
  ['a startup probe', { startupProbe: { ...exec, periodSeconds: 1 } }],
  ['a readiness probe', { readinessProbe: { ...exec, periodSeconds: 5 } }],
  ['both', { startupProbe: { ...exec, periodSeconds: 1 }, readinessProbe: { ...exec, periodSeconds: 5 } }],
];
const shapes: readonly (readonly [what: string, spec: (probes: Partial<Container>) => PodSpec])[] = [
  ['one main', (own) => ({ containers: [c('a', own)] })],
  ['many mains', (own) => ({ containers: [c('a', own), c('b', own), c('d', own)] })],
  ['a sidecar', (own) => ({ initContainers: [side('a', own)], containers: [c('b')] })],
];

for (const [s, [whose, spec]] of shapes.entries()) {
  for (const [p, [what, own]] of probes.entries()) {
    test(`LC${74 + 4 * s + p}: the kubelet restarts, ${whose} with ${what}: the status does not change`, () => {
      const life = live(kubelet, spec(own), { inputs: [restart(40)] }, 120);
      const before = podAt(life, 39).status;
      assert.equal(condition(podAt(life, 39), 'Ready')?.status, 'True');
      for (const { atMs, pod } of writes(life)) if (atMs > 40_000) assert.deepEqual(pod.status, before);
      assert.deepEqual(life.state.api.status, before);
    });
  }
}

test('with the old gate a restarted kubelet shows not ready until it has probed', () => {
  const old = policyOf({ gates: { ChangeContainerStatusOnKubeletRestart: true } });
  const life = live(
    old,
    { containers: [c('a', { readinessProbe: { ...exec, periodSeconds: 5 } })] },
    { inputs: [restart(40)], delayMs: () => 500 },
    60,
  );
  assert.equal(condition(podAt(life, 40.1), 'Ready')?.status, 'False');
  assert.equal(condition(life.state.api, 'Ready')?.status, 'True');
});

test('a termination begins again with its full grace, preStop too, when the kubelet restarts', () => {
  const hook = { lifecycle: { preStop: exec } };
  const life = live(
    ideal,
    { containers: [c('a', hook)] },
    { runs: { a: [{ term: 'ignore', preStop: [3] }] }, inputs: [[10, { kind: 'delete' }], restart(20)] },
    100,
  );
  assert.deepEqual(deeds(life).slice(2), [
    '10 preStop a',
    '13 stop a 27',
    '20 preStop a',
    '23 stop a 27',
    '40 stopSandbox',
  ]);
});

test('a kubelet that restarts has forgotten the back-off', () => {
  const life = live(ideal, { containers: [c('a')] }, { runs: { a: [{ exit: [0, 1] }] }, inputs: [restart(100)] }, 120);
  assert.deepEqual(startsOf(life, 'a'), [0, 0, 10, 30, 70, 100, 110]);
});

test('a kubelet that restarts during a start does not start the container twice', () => {
  const life = live(
    ideal,
    { containers: [c('a')] },
    { costsMs: { sandbox: 1000, start: 3000, stop: 0 }, inputs: [restart(2)] },
    30,
  );
  assert.deepEqual(startsOf(life, 'a'), [1]);
  assert.equal(life.state.api.status.phase, 'Running');
});

const ended = (life: Life) => life.state.api.status;

test('EE51: a pod ended by a node shutdown: Failed, Terminated, DisruptionTarget; the object remains', () => {
  const spec: PodSpec = { terminationGracePeriodSeconds: 30, containers: [c('a')] };
  const input = endPodInput({ kind: 'nodeShutdown', groupSeconds: 10 }, spec);
  const life = live(kubelet, spec, { runs: { a: [{ term: 'ignore' }] }, inputs: [[20, input]] }, 100);
  assert.deepEqual([ended(life).phase, ended(life).reason], ['Failed', 'Terminated']);
  assert.equal(condition(life.state.api, 'DisruptionTarget')?.reason, 'TerminationByKubelet');
  assert.deepEqual(
    deeds(life)
      .filter((deed) => deed.includes('stop a'))
      .map((deed) => deed.split(' ').at(-1)),
    ['10'],
  );
  assert.equal(life.state.gone, false);
});

test('EE52: during a shutdown new pods are refused, Failed without container statuses; called off, they are taken', () => {
  const byHand = policyOf({ autoBind: false });
  const [state] = createPod(byHand, { metadata: { name: 'p' }, spec: { containers: [c('a')] } }, 0);
  const [refused] = transition(
    byHand,
    state,
    { kind: 'reject', reason: 'NodeShutdown', message: 'node is shutting down' },
    1000,
  );
  assert.deepEqual([refused.api.status.phase, refused.api.status.reason], ['Failed', 'NodeShutdown']);
  assert.equal(refused.api.status.message, 'Pod was rejected: node is shutting down');
  assert.equal(refused.api.status.containerStatuses, undefined);
  const [taken] = transition(byHand, state, { kind: 'bind', nodeName: 'n' }, 1000);
  assert.equal(taken.worker, 'syncing');
});

test('a hard eviction: Failed, Evicted, with 1 s; the terminal phase waits until all have ended', () => {
  const spec: PodSpec = { containers: [c('a')] };
  const input = endPodInput({ kind: 'hardEviction', message: 'The node was low on resource: memory.' }, spec);
  const life = live(kubelet, spec, { runs: { a: [{ term: 'ignore' }] }, inputs: [[20, input]] }, 100);
  assert.deepEqual(phases(life), ['Pending', 'Running', 'Failed']);
  assert.equal(ended(life).reason, 'Evicted');
  for (const { pod } of writes(life)) {
    const terminal = pod.status.phase === 'Failed';
    assert.equal(condition(pod, 'DisruptionTarget') !== undefined, terminal);
    if (terminal) assert.equal(statusOf(pod, 'a')?.state.running, undefined);
  }
});

test('past its deadline a pod is not ready at once and Failed when its containers have ended, each look with an event', () => {
  const spec: PodSpec = { activeDeadlineSeconds: 4, containers: [c('a')] };
  const life = live(kubelet, spec, { runs: { a: [{ term: [1, 0] }] } }, 60);
  const notReady = writes(life).find(({ pod }) => condition(pod, 'Ready')?.reason === 'PodFailed')!.pod;
  assert.equal(notReady.status.phase, 'Running');
  assert.equal(statusOf(notReady, 'a')?.ready, true);
  assert.deepEqual([ended(life).phase, ended(life).reason], ['Failed', 'DeadlineExceeded']);
  assert.equal(ended(life).message, 'Pod was active on the node longer than the specified deadline');
  assert.ok(events(life, 'DeadlineExceeded').length >= 3);
});

const fromFile = { annotations: { 'kubernetes.io/config.source': 'file' } };

for (const [id, grace] of [
  ['EE53', undefined],
  ['EE54', 0],
] as const) {
  test(`${id}: a mirror pod that is deleted${grace === 0 ? ' by force' : ''} is made again; its containers go on`, () => {
    const life = live(
      ideal,
      { containers: [c('a')] },
      { ...fromFile, inputs: [[5, { kind: 'delete', gracePeriodSeconds: grace }]] },
      60,
    );
    assert.deepEqual(
      writes(life)
        .slice(-2)
        .map(({ type }) => type),
      ['DELETED', 'ADDED'],
    );
    assert.equal(statusOf(life.state.api, 'a')?.state.running !== undefined, true);
    assert.deepEqual(startsOf(life, 'a'), [0]);
    assert.equal(life.state.gone, false);
  });
}

test('EE55: the file of a static pod is replaced: the old one ends with its full grace before a new one can start', () => {
  const spec: PodSpec = { terminationGracePeriodSeconds: 20, containers: [c('a')] };
  const life = live(
    ideal,
    spec,
    { ...fromFile, runs: { a: [{ term: 'ignore' }] }, inputs: [[5, { kind: 'sourceRemoved' }]] },
    60,
  );
  assert.deepEqual(deeds(life).slice(2), ['5 stop a 20', '25 stopSandbox']);
  assert.equal(life.state.worker, 'finished');
});

test('EE56: the status of a mirror pod that is made again still tells of its containers', () => {
  const life = live(
    ideal,
    { containers: [c('a')] },
    { ...fromFile, runs: { a: [{ exit: [1, 3] }, {}] }, inputs: [[5, { kind: 'delete' }]] },
    60,
  );
  const shown = statusOf(life.state.api, 'a');
  assert.deepEqual([shown?.restartCount, shown?.lastState?.terminated?.exitCode], [1, 3]);
});

test('a node that is heard of again: what its kubelet knows is written back', () => {
  const inputs: readonly (readonly [number, Input])[] = [
    [50, { kind: 'nodeLost' }],
    [90, { kind: 'nodeBack' }],
  ];
  const life = live(ideal, { containers: [c('a')] }, { inputs }, 100);
  assert.equal(condition(podAt(life, 60), 'Ready')?.status, 'False');
  assert.equal(condition(life.state.api, 'Ready')?.status, 'True');
});

test('a node that is lost: Ready is False, phase and containers stay; PodGC then removes the pod as Failed', () => {
  const inputs: readonly (readonly [number, Input])[] = [
    [50, { kind: 'nodeLost' }],
    [400, { kind: 'collect', disruptionTarget: true }],
  ];
  const life = live(ideal, { containers: [c('a')] }, { inputs }, 400);
  const lost = podAt(life, 100);
  assert.deepEqual([condition(lost, 'Ready')?.status, lost.status.phase], ['False', 'Running']);
  assert.ok(statusOf(lost, 'a')?.state.running);
  const last = writes(life).at(-1)!;
  assert.deepEqual([last.type, last.pod.status.phase], ['DELETED', 'Failed']);
  assert.equal(condition(last.pod, 'DisruptionTarget')?.reason, 'DeletionByPodGC');
});
