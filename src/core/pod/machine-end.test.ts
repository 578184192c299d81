// Lives that end: termination with sidecars, phases for good, jobs (cases LC60 to LC69, EE42, EE43, h-sidecar-reverse-order,
// h-job-sidecar-137, h-phase-monotone).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from './input.ts';
import { c, deeds, type Life, live, phases, type Run, startsOf, statusOf, writes } from './lab.ts';
import { createPod, transition } from './machine.ts';
import { policyOf } from './policy.ts';
import type { Container, PodSpec } from './spec.ts';

const ideal = policyOf();
const kubelet = policyOf({ timing: 'kubelet', seed: 5 });
const side = (name: string, more: Partial<Container> = {}) => c(name, { ...more, restartPolicy: 'Always' });
const hook = { lifecycle: { preStop: { exec: { command: ['x'] } } } };
const remove = (at: number): readonly [number, Input] => [at, { kind: 'delete' }];
const code = (life: Life, name: string) => statusOf(life.state.api, name)?.state.terminated?.exitCode;
const gone = (life: Life) => (writes(life).find(({ type }) => type === 'DELETED')?.atMs ?? Number.NaN) / 1000;
const endOf = (life: Life, name: string) =>
  life.inputs.findLast(([, input]) => input.kind === 'exited' && input.instance.startsWith(`${name}/`))![0] / 1000;
const deaf: Run = { term: 'ignore' };
const quick: Run = { term: [1, 0] };

test('LC60: sidecars whose preStop never ends die together about 32 s after the main, with 137', () => {
  const spec: PodSpec = {
    restartPolicy: 'Never',
    initContainers: [side('s1', hook), side('s2', hook), side('s3', hook)],
    containers: [c('m')],
  };
  const endless: Run = { term: 'ignore', preStop: [1000] };
  const life = live(ideal, spec, { runs: { s1: [endless], s2: [endless], s3: [endless], m: [{ exit: [5, 0] }] } }, 100);
  for (const name of ['s1', 's2', 's3']) {
    assert.equal(endOf(life, name), 37);
    assert.equal(code(life, name), 137);
  }
});

test('LC62: deleted while an init runs: gone within the grace', () => {
  const spec: PodSpec = { terminationGracePeriodSeconds: 5, initContainers: [c('i')], containers: [c('m')] };
  const life = live(kubelet, spec, { runs: { i: [{ exit: [300, 0], ...quick }] }, inputs: [remove(10)] }, 100);
  assert.ok(gone(life) < 10 + 5 + 3, String(gone(life)));
});

test('LC63: a sidecar that never started holds nobody up', () => {
  const startupProbe = { exec: { command: ['x'] }, failureThreshold: 1000, periodSeconds: 1 };
  const spec: PodSpec = {
    terminationGracePeriodSeconds: 180,
    initContainers: [side('s1'), side('s2', { startupProbe }), side('s3')],
    containers: [c('m')],
  };
  const never = { ...quick, probes: { startup: () => 'failure' as const } };
  const life = live(kubelet, spec, { runs: { s1: [quick], s2: [never] }, inputs: [remove(60)] }, 400);
  assert.deepEqual(startsOf(life, 's3'), []);
  assert.ok(gone(life) - 60 < 61);
});

const five = (more: Partial<PodSpec> = {}): PodSpec => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 5,
  initContainers: [side('s1'), side('s2'), side('s3')],
  containers: [c('m')],
  ...more,
});

test('LC66: the main uses up the grace: Failed, 137; then 2 s for each sidecar, enough for the quick one', () => {
  const life = live(
    ideal,
    five(),
    { runs: { m: [deaf], s1: [quick], s2: [deaf], s3: [deaf] }, inputs: [remove(10)] },
    100,
  );
  assert.equal(life.state.api.status.phase, 'Failed');
  assert.deepEqual(
    ['m', 's1', 's2', 's3'].map((name) => code(life, name)),
    [137, 0, 137, 137],
  );
  assert.deepEqual(
    deeds(life).filter((deed) => /stop s\d/.test(deed)),
    ['15 stop s1 2', '15 stop s2 2', '15 stop s3 2'],
  );
});

test('LC67: a sidecar uses up the grace, the main was quick: Succeeded; that sidecar 137, the others 0', () => {
  const life = live(
    ideal,
    five(),
    { runs: { m: [quick], s1: [quick], s2: [quick], s3: [deaf] }, inputs: [remove(10)] },
    100,
  );
  assert.equal(life.state.api.status.phase, 'Succeeded');
  assert.deepEqual(
    ['m', 's1', 's2', 's3'].map((name) => code(life, name)),
    [0, 0, 0, 137],
  );
});

test('LC69: the preStop of a sidecar uses up the grace: Succeeded; a slow sidecar 137, the others 0', () => {
  const spec = five({ initContainers: [side('s1'), side('s2', hook), side('s3')] });
  const runs = { m: [quick], s1: [quick], s2: [{ ...deaf, preStop: [100] as const }], s3: [quick] };
  const life = live(ideal, spec, { runs, inputs: [remove(10)] }, 100);
  assert.equal(life.state.api.status.phase, 'Succeeded');
  assert.deepEqual(
    ['m', 's1', 's2', 's3'].map((name) => code(life, name)),
    [0, 0, 137, 0],
  );
});

test('EE42: TERM is ignored, KILL comes: 137, Error', () => {
  const life = live(
    ideal,
    { terminationGracePeriodSeconds: 3, containers: [c('a')] },
    { runs: { a: [deaf] }, inputs: [remove(1)] },
    20,
  );
  const ended = statusOf(life.state.api, 'a')?.state.terminated;
  assert.deepEqual([ended?.exitCode, ended?.reason], [137, 'Error']);
});

test('EE43: a pod that waits for a volume that is not there is gone at once when it is deleted', () => {
  const spec: PodSpec = { containers: [c('a')], volumes: [{ name: 'v', secret: { secretName: 'missing' } }] };
  let [state, effects] = createPod(kubelet, { metadata: { name: 'p' }, spec }, 0);
  assert.ok(effects.some(({ kind }) => kind === 'mountVolumes'));
  [state, effects] = transition(kubelet, state, { kind: 'delete' }, 5000);
  for (let steps = 0; steps < 10 && !state.gone; steps++)
    [state] = transition(kubelet, state, { kind: 'tick' }, state.wakeAtMs);
  assert.equal(state.gone, true);
  assert.ok(state.wakeAtMs === Number.POSITIVE_INFINITY);
});

const order = (): PodSpec => ({
  terminationGracePeriodSeconds: 30,
  initContainers: [side('s1', hook), side('s2')],
  containers: [c('app', hook)],
});
const orderRuns = {
  app: [{ term: [3, 0], preStop: [5] }],
  s1: [{ term: [1, 0], preStop: [1] }],
  s2: [{ term: [1, 0] }],
} as const;
const after = (life: Life) =>
  deeds(life)
    .filter((deed) => Number(deed.split(' ')[0]) >= 10)
    .map((deed) => deed.replace(/^[\d.]+/, (at) => String(Number(at) - 10)));

test('h-sidecar-reverse-order normal: all hooks at once, then app, s2, s1', () => {
  const life = live(ideal, order(), { runs: orderRuns, inputs: [remove(10)] }, 100);
  const before = writes(life).findLast(({ atMs }) => atMs < 10_000)!.pod;
  assert.equal(before.status.phase, 'Running');
  assert.ok(['s1', 's2', 'app'].every((name) => statusOf(before, name)?.ready));
  assert.deepEqual(after(life), [
    '0 preStop app',
    '0 preStop s1',
    '5 stop app 25',
    '8 stop s2 22',
    '9 stop s1 21',
    '10 stopSandbox',
  ]);
  assert.equal(gone(life), 20);
});

test('h-sidecar-reverse-order slow: the app is killed at 30; then no order, and 2 s for the rest', () => {
  const life = live(
    ideal,
    order(),
    { runs: { ...orderRuns, app: [{ term: 'ignore', preStop: [5] }], s1: [deaf], s2: [deaf] }, inputs: [remove(10)] },
    100,
  );
  assert.deepEqual(after(life).slice(2), ['5 stop app 25', '30 stop s2 2', '30 stop s1 2', '32 stopSandbox']);
  assert.equal(code(life, 'app'), 137);
});

test('h-sidecar-reverse-order s2-dies: a sidecar that dies during the end is not restarted; the order of the others stays', () => {
  const life = live(ideal, order(), { runs: { ...orderRuns, s2: [{ exit: [12, 1] }] }, inputs: [remove(10)] }, 100);
  assert.deepEqual(after(life), ['0 preStop app', '0 preStop s1', '5 stop app 25', '8 stop s1 22', '9 stopSandbox']);
  assert.deepEqual(startsOf(life, 's2'), [0]);
});

interface Job {
  readonly id: string;
  readonly sidecar: readonly Run[];
  readonly legacy?: boolean;
  readonly main?: number;
  readonly phase: string;
  readonly at: number;
}
const jobs: readonly Job[] = [
  { id: 'native-ignores', sidecar: [deaf], phase: 'Succeeded', at: 50 },
  { id: 'native-143', sidecar: [{ term: [0, 143] }], phase: 'Succeeded', at: 20 },
  {
    id: 'native-crashed-before',
    sidecar: [{ exit: [2, 1] }, { exit: [2, 1] }, { term: [0, 0] }],
    phase: 'Succeeded',
    at: 20,
  },
  { id: 'legacy-143', sidecar: [{ exit: [21, 143] }], legacy: true, phase: 'Failed', at: 21 },
  { id: 'legacy-0', sidecar: [{ exit: [21, 0] }], legacy: true, phase: 'Succeeded', at: 21 },
  { id: 'main-fails', sidecar: [{ term: [0, 0] }], main: 3, phase: 'Failed', at: 20 },
];

for (const { id, sidecar, legacy = false, main = 0, phase, at } of jobs) {
  test(`h-job-sidecar-137 ${id}: ${phase} at ${at}`, () => {
    const containers = legacy ? [c('main'), c('side')] : [c('main')];
    const spec: PodSpec = { restartPolicy: 'Never', initContainers: legacy ? [] : [side('side')], containers };
    const life = live(ideal, spec, { runs: { side: sidecar, main: [{ exit: [20, main] }] } }, 200);
    assert.equal(life.state.api.status.phase, phase);
    assert.equal(writes(life).find(({ pod }) => pod.status.phase === phase)!.atMs / 1000, at);
    assert.equal(code(life, 'side') === 137, id === 'native-ignores');
  });
}

const two = (restartPolicy: 'Never' | 'OnFailure'): PodSpec => ({ restartPolicy, containers: [c('a'), c('b')] });

test('h-phase-monotone late-report: Failed at 5 and for ever, whatever the runtime says later', () => {
  const spec: PodSpec = { restartPolicy: 'Never', containers: [c('app')] };
  const instance = 'app/3';
  const late: readonly (readonly [number, Input])[] = [
    [6, { kind: 'recordLost', instance }],
    [7, { kind: 'exited', instance, exitCode: 0 }],
  ];
  const life = live(ideal, spec, { runs: { app: [{ exit: [5, 2] }] }, inputs: late }, 20);
  assert.deepEqual(phases(life), ['Pending', 'Running', 'Failed']);
  assert.equal(writes(life).at(-1)!.atMs, 5000);
});

test('a record that is lost before its start was answered is a failed start, and is tried again', () => {
  const inputs: readonly (readonly [number, Input])[] = [[0.5, { kind: 'recordLost', instance: 'app/3' }]];
  const costsMs = { sandbox: 0, start: 1000, stop: 0 };
  const life = live(ideal, { containers: [c('app')] }, { inputs, costsMs }, 60);
  const waited = writes(life).map(({ pod }) => pod.status.containerStatuses?.[0]?.state?.waiting?.reason);
  assert.ok(waited.includes('RunContainerError'), String(waited));
  assert.equal(writes(life).at(-1)!.pod.status.phase, 'Running');
});

test('h-phase-monotone start-error: Failed, ended with StartError 128, not tried again', () => {
  const life = live(
    ideal,
    { restartPolicy: 'Never', containers: [c('app')] },
    { runs: { app: [{ startError: 'RunContainerError' }] } },
    100,
  );
  const ended = statusOf(life.state.api, 'app')?.state.terminated;
  assert.deepEqual(phases(life), ['Pending', 'Failed']);
  assert.deepEqual([ended?.reason, ended?.exitCode], ['StartError', 128]);
  assert.equal(startsOf(life, 'app').length, 1);
});

test('h-phase-monotone two: Running until both have ended, then Failed', () => {
  const life = live(ideal, two('Never'), { runs: { a: [{ exit: [5, 1] }], b: [{ exit: [9, 0] }] } }, 50);
  assert.deepEqual(phases(life), ['Pending', 'Running', 'Failed']);
  assert.equal(writes(life).find(({ pod }) => pod.status.phase === 'Failed')!.atMs, 9000);
});

test('h-phase-monotone onfailure: Running until both have ended with 0, then Succeeded', () => {
  const life = live(ideal, two('OnFailure'), { runs: { a: [{ exit: [5, 0] }], b: [{ exit: [9, 0] }] } }, 50);
  assert.deepEqual(phases(life), ['Pending', 'Running', 'Succeeded']);
  assert.equal(writes(life).find(({ pod }) => pod.status.phase === 'Succeeded')!.atMs, 9000);
});

test('h-phase-monotone always-all-exit: Running while it waits to restart, never Succeeded', () => {
  const life = live(ideal, { containers: [c('app')] }, { runs: { app: [{ exit: [5, 0] }] } }, 500);
  assert.deepEqual(phases(life), ['Pending', 'Running']);
});

test('h-phase-monotone deleted-running: its own exit 0 after TERM makes it Succeeded, then the object goes', () => {
  const life = live(
    ideal,
    { restartPolicy: 'Never', containers: [c('app')] },
    { runs: { app: [quick] }, inputs: [remove(5)] },
    50,
  );
  assert.deepEqual(phases(life), ['Pending', 'Running', 'Succeeded']);
  assert.equal(gone(life), 6);
});

test('a delete during a start is acted on when the pass is over', () => {
  const spec: PodSpec = { containers: [c('a'), c('b')] };
  const life = live(ideal, spec, { costsMs: { sandbox: 1000, start: 1000, stop: 0 }, inputs: [remove(1.5)] }, 50);
  assert.deepEqual(deeds(life), [
    '0 createSandbox',
    '1 start a',
    '2 start b',
    '3 stop a 30',
    '3 stop b 30',
    '3 stopSandbox',
  ]);
});
