// Lives that restart: back-off in time, RestartAllContainers, new sandboxes (cases BO-E, CA-Y, EE1 to EE18, LC86,
// h-restart-all-containers).
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  unrepeated,
  writes,
} from './lab.ts';
import { type PolicyOptions, policyOf } from './policy.ts';
import type { Container, PodSpec, RestartPolicy, RestartRule } from './spec.ts';

const ideal = policyOf();
const side = (name: string, more: Partial<Container> = {}) => c(name, { ...more, restartPolicy: 'Always' });
const all = (value: number): readonly RestartRule[] => [
  { action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [value] } },
];
const count = (life: Life, name: string) => statusOf(life.state.api, name)?.restartCount;
const crash: Run = { exit: [0, 1] };

const steps = (from: number, to: number, by: number) =>
  Array.from({ length: (to - from) / by + 1 }, (_, i) => from + i * by);
const loops: readonly (readonly [id: string, options: PolicyOptions, starts: readonly number[], most: number])[] = [
  ['BO-E/E1', {}, [0, 0, 10, 30, 70, 150, 310], 7],
  ['BO-E/E2', { maxContainerRestartPeriodMs: 30_000 }, [0, 0, 10, 30, ...steps(60, 300, 30)], 13],
  [
    'BO-E/E4',
    { maxContainerRestartPeriodMs: 1000, gates: { ReduceDefaultCrashLoopBackOffDecay: true } },
    [0, 0, ...steps(1, 297, 1)],
    298,
  ],
];

for (const [id, options, starts, most] of loops) {
  test(`${id} BO-E/E5: an instant crash starts at ${starts.slice(0, 7).join(', ')} …, always Running`, () => {
    const life = live(policyOf(options), { containers: [c('a')] }, { runs: { a: [crash] } }, starts.at(-1)!);
    assert.deepEqual(startsOf(life, 'a'), starts);
    assert.ok((count(life, 'a') ?? 0) >= 3 && (count(life, 'a') ?? 0) <= most);
    assert.deepEqual(phases(life), ['Pending', 'Running']);
  });
}

test('BO-E/E7: after ten minutes of 5 s runs two delays in a row are between 300 and 390 s', () => {
  for (const seed of [1, 2, 3]) {
    const life = live(
      policyOf({ timing: 'kubelet', seed }),
      { containers: [c('a')] },
      { runs: { a: [{ exit: [5, 1] }] } },
      2000,
    );
    const starts = startsOf(life, 'a').filter((at) => at > 600);
    const delays = starts.slice(1, 3).map((at, index) => at - (starts[index]! + 5));
    for (const delay of delays) assert.ok(delay >= 299 && delay <= 395, `seed ${seed}: ${delay}`);
  }
});

test('a run of more than ten minutes starts over at once and at the initial delay', () => {
  const life = live(
    ideal,
    { containers: [c('a')] },
    { runs: { a: [crash, crash, crash, { exit: [700, 1] }, crash] } },
    790,
  );
  assert.deepEqual(startsOf(life, 'a'), [0, 0, 10, 30, 730, 740, 760]);
});

const history: readonly Run[] = [{ exit: [1, 1] }, { exit: [1, 0] }, {}];
const policies: readonly (readonly [
  id: string,
  policy: RestartPolicy,
  phase: string,
  restarts: number,
  isReady: string,
])[] = [
  ['EE1', 'Always', 'Running', 2, 'True'],
  ['EE2', 'OnFailure', 'Succeeded', 1, 'False'],
  ['EE3', 'Never', 'Failed', 0, 'False'],
];

for (const [id, policy, phase, restarts, isReady] of policies) {
  test(`${id}: exits 1, then 0, then runs, under ${policy}: ${phase} after ${restarts} restarts`, () => {
    const life = live(ideal, { restartPolicy: policy, containers: [c('a')] }, { runs: { a: history } }, 60);
    const { api } = life.state;
    assert.deepEqual([api.status.phase, count(life, 'a'), condition(api, 'Ready')?.status], [phase, restarts, isReady]);
  });
}

const own: readonly (readonly [id: string, own: Partial<Container>, policy: RestartPolicy, restarts: boolean])[] = [
  [
    'EE10',
    {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
    },
    'Never',
    false,
  ],
  ['EE11', { restartPolicy: 'Never' }, 'Always', false],
  ['EE12', { restartPolicy: 'Always' }, 'Never', true],
  ['EE13', {}, 'Always', true],
];

for (const [id, more, policy, restarts] of own) {
  test(`${id}: exit 1 with own policy ${more.restartPolicy ?? 'unset'} under ${policy}: ${restarts ? 'restarts' : 'the pod ends'}`, () => {
    const life = live(
      ideal,
      { restartPolicy: policy, containers: [c('a', more)] },
      { runs: { a: [{ exit: [1, 1] }] } },
      60,
    );
    assert.equal((count(life, 'a') ?? 0) > 0, restarts);
    assert.equal(life.state.api.status.phase, restarts ? 'Running' : 'Failed');
  });
}

test('EE15: a source sidecar restarts all: init, sidecar, source, main', () => {
  const spec: PodSpec = {
    restartPolicy: 'Never',
    initContainers: [c('i'), side('s'), side('src', { restartPolicyRules: all(42) })],
    containers: [c('m')],
  };
  const life = live(ideal, spec, { runs: { i: [{ exit: [1, 0] }], src: [{ exit: [30, 42] }, {}] } }, 60);
  assert.deepEqual(
    ['i', 's', 'src', 'm'].map((name) => count(life, name)),
    [1, 1, 1, 1],
  );
});

test('EE16: a source init restarts what came before it; the main starts later for the first time', () => {
  const spec: PodSpec = {
    restartPolicy: 'Never',
    initContainers: [c('i'), side('s'), c('src', { restartPolicy: 'Never', restartPolicyRules: all(42) })],
    containers: [c('m')],
  };
  const life = live(ideal, spec, { runs: { i: [{ exit: [1, 0] }], src: [{ exit: [3, 42] }, { exit: [1, 0] }] } }, 60);
  assert.deepEqual(
    ['i', 's', 'src', 'm'].map((name) => count(life, name)),
    [1, 1, 1, 0],
  );
  assert.ok(statusOf(life.state.api, 'm')?.state.running);
});

test('EE18: a source may restart by itself first, and then with all', () => {
  const spec: PodSpec = {
    restartPolicy: 'Always',
    containers: [c('src', { restartPolicy: 'Always', restartPolicyRules: all(42) }), c('m')],
  };
  const life = live(ideal, spec, { runs: { src: [{ exit: [1, 1] }, { exit: [5, 42] }, {}] } }, 60);
  assert.deepEqual([count(life, 'src'), count(life, 'm')], [2, 1]);
});

for (const [id, at] of [
  ['EE19', 20.5],
  ['EE20', 22],
] as const) {
  test(`${id}: a kubelet that restarts at ${at} s, ${id === 'EE19' ? 'while all are ended' : 'while all start again'}, comes to the same result`, () => {
    const spec: PodSpec = {
      restartPolicy: 'Never',
      initContainers: [c('i')],
      containers: [c('src', { restartPolicy: 'Never', restartPolicyRules: all(42) }), c('m')],
    };
    const runs = {
      i: [{ exit: [3, 0] as const }],
      src: [{ exit: [17, 42] as const }, {}],
      m: [{ term: [2, 0] as const }],
    };
    const life = live(ideal, spec, { runs, inputs: [[at, { kind: 'kubeletRestart' }]] }, 100);
    const { api } = life.state;
    assert.equal(api.status.phase, 'Running');
    assert.ok(['src', 'm'].every((name) => statusOf(api, name)?.state.running && count(life, name) === 1));
    assert.equal(condition(api, 'AllContainersRestarting')?.status, 'False');
  });
}

const worker: PodSpec = {
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 30,
  initContainers: [c('setup'), side('watch', { restartPolicyRules: all(88) })],
  containers: [c('main', { lifecycle: { preStop: { exec: { command: ['sleep', '20'] } } } }), c('once')],
};
const workerRuns = {
  setup: [{ exit: [2, 0] }],
  watch: [{ exit: [58, 88] }, {}],
  main: [{ term: [0.2, 143] }, { exit: [40, 0] }],
  once: [{ exit: [5, 0] }],
} as const;

test('h-restart-all-containers: the whole pod begins anew in its sandbox, and ends well', () => {
  const life = live(ideal, worker, { runs: workerRuns }, 200);
  assert.deepEqual(deeds(life), [
    '0 createSandbox',
    '0 start setup',
    '2 start watch',
    '2 start main',
    '2 start once',
    '60 stop main 2',
    '60.2 remove main',
    '60.2 remove once',
    '60.2 remove setup',
    '60.2 remove watch',
    '60.2 start setup',
    '62.2 start watch',
    '62.2 start main',
    '62.2 start once',
    '102.2 stop watch 30',
    '102.2 stopSandbox',
  ]);
  assert.deepEqual(
    ['setup', 'watch', 'main', 'once'].map((name) => count(life, name)),
    [1, 1, 1, 1],
  );
  assert.deepEqual(phases(life), ['Pending', 'Running', 'Pending', 'Running', 'Pending', 'Running', 'Succeeded']);
});

test('h-restart-all-containers: what is shown on the way', () => {
  const life = live(ideal, worker, { runs: workerRuns }, 200);
  const cleaning = podAt(life, 60.1);
  assert.equal(condition(cleaning, 'AllContainersRestarting')?.status, 'True');
  assert.equal(cleaning.status.phase, 'Running');
  const removed = writes(life).find(
    ({ pod }) => statusOf(pod, 'main')?.state.waiting?.reason === 'RestartingAllContainers',
  )!.pod;
  assert.equal(removed.status.phase, 'Running');
  assert.equal(condition(removed, 'AllContainersRestarting')?.status, 'False');
  assert.equal(condition(removed, 'Ready')?.status, 'False');
  for (const name of ['setup', 'watch', 'main', 'once']) {
    const shown = statusOf(removed, name)!;
    assert.equal(shown.state.waiting?.reason, 'RestartingAllContainers');
    assert.deepEqual([shown.lastState?.terminated?.exitCode, shown.restartCount], [137, 1]);
  }
  assert.ok(writes(life).every(({ atMs, pod }) => atMs < 3000 || condition(pod, 'Initialized')?.status === 'True'));
  assert.equal(new Set(writes(life).flatMap(({ pod }) => pod.status.podIP ?? [])).size, 1);
});

test('h-restart-all-containers: a setup that fails in the second round under Never: Failed', () => {
  const life = live(ideal, worker, { runs: { ...workerRuns, setup: [{ exit: [2, 0] }, { exit: [1, 1] }] } }, 200);
  assert.equal(life.state.api.status.phase, 'Failed');
});

test('h-restart-all-containers: no back-off, however often', () => {
  const spec: PodSpec = {
    restartPolicy: 'Never',
    containers: [c('a', { restartPolicy: 'Never', restartPolicyRules: all(42) })],
  };
  const life = live(ideal, spec, { runs: { a: [{ exit: [2, 42] }] } }, 21);
  assert.deepEqual(startsOf(life, 'a'), steps(0, 20, 2));
  assert.deepEqual(events(life, 'BackOff'), []);
  assert.equal(count(life, 'a'), 10);
});

test('the condition of RestartAllContainers has the name that the policy asks for', () => {
  const named = policyOf({ restartAllCondition: 'PodRestartInPlace' });
  const life = live(named, worker, { runs: workerRuns }, 61);
  assert.equal(condition(podAt(life, 60.1), 'PodRestartInPlace')?.status, 'True');
  assert.deepEqual(startsOf(life, 'setup'), [0, 60.2]);
});

const walk: PodSpec = { initContainers: [c('init1')], containers: [c('a'), c('b')] };
const records = (life: Life) =>
  life.state.runtime.instances.map(
    ({ container, state, restartCount, sandbox }) => `${container} ${state} ${restartCount} ${sandbox}`,
  );

test('CA-Y/Y1: the first pass starts the init, a second changes nothing; a lost sandbox begins anew with the init alone', () => {
  const up = live(ideal, walk, { runs: { init1: [{ exit: [10, 0] }] } }, 5);
  assert.deepEqual(records(up), ['init1 running 0 sandbox/0']);
  const again = live(
    ideal,
    walk,
    { runs: { init1: [{ exit: [10, 0] }] }, inputs: [[4, { kind: 'updateMetadata', labels: { x: '1' } }]] },
    5,
  );
  assert.deepEqual(records(again), records(up));
  const lost = live(
    ideal,
    walk,
    {
      runs: { init1: [{ exit: [1, 0] }, { exit: [100, 0] }] },
      inputs: [[5, { kind: 'sandboxLost', sandbox: 'sandbox/0' }]],
    },
    6,
  );
  assert.deepEqual(records(lost), ['init1 running 1 sandbox/1', 'b exited 0 sandbox/0', 'a exited 0 sandbox/0']);
});

test('CA-Y/Y2: after a reset list has removed all records the next pass starts the init alone', () => {
  const spec: PodSpec = {
    initContainers: [c('init1')],
    containers: [c('a'), c('b', { restartPolicy: 'Never', restartPolicyRules: all(42) })],
  };
  const life = live(
    ideal,
    spec,
    { runs: { init1: [{ exit: [1, 0] }, { exit: [100, 0] }], b: [{ exit: [5, 42] }] } },
    7,
  );
  assert.deepEqual(records(life), ['init1 running 1 sandbox/0']);
});

test('LC86: a sidecar with a startup probe, the kubelet restarts, the main crashes: the main restarts', () => {
  const startupProbe = { exec: { command: ['x'] }, periodSeconds: 1 };
  const spec: PodSpec = { initContainers: [side('s', { startupProbe })], containers: [c('m')] };
  const life = live(
    ideal,
    spec,
    { runs: { m: [{ exit: [40, 1] }, {}] }, inputs: [[30, { kind: 'kubeletRestart' }]] },
    100,
  );
  assert.deepEqual(startsOf(life, 'm'), [1, 41]);
  assert.deepEqual(startsOf(life, 's'), [0]);
});

test('a sandbox that is lost restarts everything: inits from the first, counts go on, phases as in a recorded life', () => {
  const spec: PodSpec = { initContainers: [c('i'), side('s')], containers: [c('m')] };
  const life = live(
    ideal,
    spec,
    { runs: { i: [{ exit: [1, 0] }] }, inputs: [[7, { kind: 'sandboxLost', sandbox: 'sandbox/0' }]] },
    20,
  );
  assert.deepEqual(
    ['i', 's', 'm'].map((name) => count(life, name)),
    [1, 1, 1],
  );
  const shown = writes(life)
    .filter(({ atMs }) => atMs >= 7000)
    .map(({ pod }) => pod.status.phase);
  assert.deepEqual(unrepeated(shown), ['Running', 'Pending', 'Running', 'Pending', 'Running']);
});

test('under Never with a container policy a lost sandbox is not made again, and the pod hangs until it is deleted', () => {
  const spec: PodSpec = { restartPolicy: 'Never', containers: [c('a', { restartPolicy: 'Always' })] };
  const life = live(
    ideal,
    spec,
    {
      inputs: [
        [7, { kind: 'sandboxLost', sandbox: 'sandbox/0' }],
        [50, { kind: 'delete' }],
      ],
    },
    100,
  );
  assert.deepEqual(startsOf(life, 'a'), [0]);
  assert.equal(podAt(life, 40).status.phase, 'Running');
  assert.equal(life.state.gone, true);
});

test('a start that fails is shown as on a real node: twice, then backed off, and the second update that waits shows it', () => {
  const spec: PodSpec = { restartPolicy: 'OnFailure', containers: [c('a')] };
  const runs = { a: [{ startError: 'RunContainerError' }] };
  const costsMs = { sandbox: 1200, start: 250, stop: 100 };
  const life = live(policyOf({ timing: 'kubelet', seed: 3 }), spec, { runs, costsMs }, 20);
  const shown = unrepeated(
    writes(life).map(
      ({ pod }) =>
        `${statusOf(pod, 'a')?.state.waiting?.reason} ${count({ ...life, state: { ...life.state, api: pod } }, 'a')}`,
    ),
  );
  assert.deepEqual(shown.slice(-5), [
    'ContainerCreating 0',
    'RunContainerError 0',
    'RunContainerError 1',
    'CrashLoopBackOff 1',
    'RunContainerError 2',
  ]);
});
