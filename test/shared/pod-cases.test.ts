// The shared cases `h-*` about a pod's life, through the command line.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import { at, type LifeData, live, phases, restarts, story } from './pod-life.ts';
import { sharedPath } from './shared.ts';

const pod = (name: string) => readFileSync(sharedPath(`cases/${name}/input.yaml`), 'utf8');
const changed = (name: string, change: (spec: Record<string, unknown>) => void) => {
  const manifest = parse(pod(name)) as { spec: Record<string, unknown> };
  change(manifest.spec);
  return manifest;
};

/** On TERM: so long, then this exit code. */
const ends = (seconds: number, code = 0) => [
  { trap: { TERM: [{ sleep: seconds }, { exit: code }] } },
  { sleep: 'forever' },
];

const crash = {
  setup: { run: [{ sleep: 2 }] },
  side: {
    run: ends(0),
    probes: {
      startup: [
        { from: 0, answer: 'failure' },
        { from: 1, answer: 'success' },
      ],
    },
  },
  app: { runs: [[{ sleep: 50 }, { exit: 1 }], 'serve'] },
};
const upToCrash = ['0 setup started', '2 setup exit 0', '2 side started', '3 app started', '53 app exit 1'];

for (const [id, events] of [
  ['plain', []],
  ['kubelet-restart', [{ at: 40, do: 'kubelet-restart' }]],
] as const) {
  test(`h-app-crash-sidecar-running/${id}`, async () => {
    const life = await live(pod('h-app-crash-sidecar-running'), { containers: crash, events }, '--until', '2m');
    assert.deepEqual(story(life), [...upToCrash, '53 app started']);
    assert.deepEqual(restarts(life), { setup: 0, side: 0, app: 1 });
    assert.deepEqual(phases(life), ['Pending', 'Running']);
  });
}

test('h-app-crash-sidecar-running/never', async () => {
  const never = changed('h-app-crash-sidecar-running', (spec) => (spec['restartPolicy'] = 'Never'));
  const life = await live(never, { containers: { ...crash, side: { ...crash.side, run: ends(2) } } }, '--until', '2m');
  assert.deepEqual(story(life), [...upToCrash, '53 side TERM', '55 side exit 0']);
  assert.deepEqual(restarts(life), { setup: 0, side: 0, app: 0 });
  assert.equal(at(life, 54.9).podStatus.phase, 'Running');
  assert.equal(at(life, 55).podStatus.phase, 'Failed');
});

const zero = { containers: { app: { run: 'deaf' } } };
/** The story from the deletion at 10 s on, counted from it. */
const since = (life: LifeData, seconds: number) =>
  story({
    ...life,
    node: life.node
      .filter((entry) => entry.at >= seconds)
      .map((entry) => ({ ...entry, at: Math.round((entry.at - seconds) * 1000) / 1000 })),
  });
const goneAt = (life: LifeData) => life.statuses.find(({ type }) => type === 'DELETED')?.at;
const raised = ['0 app preStop began', '1 app preStop cut', '1 app TERM', '3 app KILL', '3 app exit 137'];

test('h-grace-zero/force', async () => {
  const life = await live(pod('h-grace-zero'), { ...zero, events: [{ at: 10, do: 'delete', force: true }] });
  assert.equal(goneAt(life), 10);
  assert.deepEqual(since(life, 10), raised);
});

test('h-grace-zero/spec-zero', async () => {
  const manifest = changed('h-grace-zero', (spec) => (spec['terminationGracePeriodSeconds'] = 0));
  const life = await live(manifest, { ...zero, events: [{ at: 10, do: 'delete' }] });
  assert.deepEqual(
    life.statuses
      .slice(-2)
      .map(({ type, at: when, deletionTimestamp }) => [type, when, deletionTimestamp !== undefined]),
    [
      ['MODIFIED', 10, true],
      ['DELETED', 10, true],
    ],
  );
  assert.deepEqual(since(life, 10), raised);
});

test('h-grace-zero/shrink', async () => {
  const life = await live(pod('h-grace-zero'), {
    ...zero,
    events: [
      { at: 10, do: 'delete', grace: 30 },
      { at: 15, do: 'delete', grace: 0 },
    ],
  });
  assert.equal(goneAt(life), 15);
  assert.deepEqual(since(life, 10), [
    '0 app preStop began',
    '20 app preStop ended',
    '20 app TERM',
    '30 app KILL',
    '30 app exit 137',
  ]);
});

test('h-grace-zero/negative', async () => {
  const manifest = changed('h-grace-zero', (spec) => (spec['terminationGracePeriodSeconds'] = -1));
  const life = await live(manifest, { ...zero, events: [{ at: 10, do: 'delete' }] });
  assert.deepEqual(since(life, 10), raised);
});

test('h-grace-zero/grow', async () => {
  const life = await live(pod('h-grace-zero'), {
    ...zero,
    events: [
      { at: 10, do: 'delete', grace: 10 },
      { at: 13, do: 'delete', grace: 60 },
    ],
  });
  const end = life.node.find(({ what }) => what === 'ended');
  assert.ok(end !== undefined && end.at <= 22, `ended at ${end?.at}`);
});

type Sidecar = { readonly native: boolean; readonly runs: readonly unknown[] };
const job = ({ native, runs }: Sidecar, main: readonly unknown[]) => {
  const sidecar = { name: 'side', image: 'side:1', ...(native ? { restartPolicy: 'Always' } : {}) };
  const app = { name: 'main', image: 'main:1' };
  const spec = native ? { initContainers: [sidecar], containers: [app] } : { containers: [app, sidecar] };
  return [
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work' },
      spec: { template: { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 30, ...spec } } },
    },
    { containers: { main: { run: main }, side: { runs } } },
  ] as const;
};
const done = [{ sleep: 20 }, { exit: 0 }];
const jobs: readonly (readonly [
  id: string,
  sidecar: Sidecar,
  main: readonly unknown[],
  phase: string,
  atSeconds: number,
])[] = [
  ['native-ignores', { native: true, runs: ['deaf'] }, done, 'Succeeded', 50],
  ['native-143', { native: true, runs: [ends(0, 143)] }, done, 'Succeeded', 20],
  [
    'native-crashed-before',
    { native: true, runs: [[{ sleep: 2 }, { exit: 1 }], [{ sleep: 2 }, { exit: 1 }], 'serve'] },
    done,
    'Succeeded',
    20,
  ],
  ['legacy-143', { native: false, runs: [[{ sleep: 21 }, { exit: 143 }]] }, done, 'Failed', 21],
  ['legacy-0', { native: false, runs: [[{ sleep: 21 }, { exit: 0 }]] }, done, 'Succeeded', 21],
  ['main-fails', { native: true, runs: [ends(0)] }, [{ sleep: 20 }, { exit: 3 }], 'Failed', 20],
];

for (const [id, sidecar, main, phase, atSeconds] of jobs) {
  test(`h-job-sidecar-137/${id}`, async () => {
    const life = await live(...job(sidecar, main));
    const last = life.statuses.at(-1);
    assert.deepEqual([last?.podStatus.phase, last?.at], [phase, atSeconds]);
    assert.equal(life.over, true);
  });
}

const hooked = (run: unknown, preStop?: unknown) => ({
  containers: { app: { run, ...(preStop === undefined ? {} : { hooks: { preStop } }) } },
  events: [{ at: 10, do: 'delete' }],
});
const preStops: readonly (readonly [id: string, scenario: object, expected: readonly string[]])[] = [
  [
    'hang',
    hooked('deaf'),
    ['0 app preStop began', '10 app preStop cut', '10 app TERM', '12 app KILL', '12 app exit 137'],
  ],
  ['short', hooked(ends(3), 4), ['0 app preStop began', '4 app preStop ended', '4 app TERM', '7 app exit 0']],
  [
    'edge',
    hooked(ends(5), 9),
    ['0 app preStop began', '9 app preStop ended', '9 app TERM', '11 app KILL', '11 app exit 137'],
  ],
  [
    'fails',
    hooked(ends(3), [{ sleep: 1 }, { exit: 1 }]),
    ['0 app preStop began', '1 app preStop failed', '1 app TERM', '4 app exit 0'],
  ],
];

for (const [id, scenario, expected] of preStops) {
  test(`h-prestop-exceeds-grace/${id}`, async () => {
    const life = await live(pod('h-prestop-exceeds-grace'), scenario);
    assert.deepEqual(since(life, 10), expected);
    assert.equal(
      life.events.some(({ reason }) => reason === 'FailedPreStopHook'),
      id === 'fails' || id === 'hang',
    );
  });
}

test('h-readiness-gate', async () => {
  const gate = { type: 'example.test/lb' };
  const set = (seconds: number, status: string) => ({ at: seconds, do: 'set-condition', ...gate, status });
  const life = await live(
    pod('h-readiness-gate'),
    {
      containers: {
        app: {
          probes: {
            readiness: [
              { from: 0, answer: 'failure' },
              { from: 2, answer: 'success' },
            ],
          },
        },
      },
      events: [
        set(5, 'False'),
        set(10, 'True'),
        set(20, 'False'),
        set(25, 'True'),
        set(30, 'Unknown'),
        { at: 35, do: 'remove-condition', ...gate },
      ],
    },
    '--until',
    '40s',
  );
  const missing = 'corresponding condition of pod readiness gate "example.test/lb" does not exist.';
  const notTrue = (value: string) => `the status of pod readiness gate "example.test/lb" is not "True", but ${value}`;
  const rows = [
    [0, 'False', 'False', 'ContainersNotReady', 'containers with unready status: [app]'],
    [2, 'True', 'False', 'ReadinessGatesNotReady', missing],
    [5, 'True', 'False', 'ReadinessGatesNotReady', notTrue('False')],
    [10, 'True', 'True', undefined, undefined],
    [20, 'True', 'False', 'ReadinessGatesNotReady', notTrue('False')],
    [25, 'True', 'True', undefined, undefined],
    [30, 'True', 'False', 'ReadinessGatesNotReady', notTrue('Unknown')],
    [35, 'True', 'False', 'ReadinessGatesNotReady', missing],
  ] as const;
  const seen = rows.map(([seconds]) => {
    const { conditions } = at(life, seconds).podStatus;
    const ready = conditions.find(({ type }) => type === 'Ready');
    return [
      seconds,
      conditions.find(({ type }) => type === 'ContainersReady')?.status,
      ready?.status,
      ready?.reason,
      ready?.message,
    ];
  });
  assert.deepEqual(seen, rows);
  const times = life.statuses
    .map(({ podStatus }) => podStatus.conditions.find(({ type }) => type === 'Ready')?.lastTransitionTime)
    .filter((time) => time !== undefined);
  assert.deepEqual(
    [...new Set(times)].map((time) => Number(time.slice(17, 19))),
    [0, 10, 20, 25, 30],
  );
});

const everything = {
  setup: { run: [{ sleep: 2 }] },
  watch: { runs: [[{ sleep: 58 }, { exit: 88 }], 'serve'] },
  main: { runs: ['serve', [{ sleep: 40 }]] },
  once: { run: [{ sleep: 5 }] },
};

test('h-restart-all-containers', async () => {
  const life = await live(pod('h-restart-all-containers'), { containers: everything });
  assert.deepEqual(story(life), [
    '0 setup started',
    '2 setup exit 0',
    '2 watch started',
    '2 main started',
    '2 once started',
    '7 once exit 0',
    '60 watch exit 88',
    '60 main TERM',
    '60 main exit 0',
    '60 setup started',
    '62 setup exit 0',
    '62 watch started',
    '62 main started',
    '62 once started',
    '67 once exit 0',
    '102 main exit 0',
    '102 watch TERM',
    '102 watch exit 0',
  ]);
  assert.deepEqual(restarts(life), { setup: 1, watch: 1, main: 1, once: 1 });
  assert.deepEqual(phases({ ...life, statuses: life.statuses.filter((status) => status.at >= 59) }), [
    'Running',
    'Pending',
    'Running',
    'Pending',
    'Running',
    'Succeeded',
  ]);
  const restarting = life.statuses.filter(({ podStatus }) =>
    podStatus.conditions.some(({ type, status }) => type === 'AllContainersRestarting' && status === 'True'),
  );
  assert.ok(
    restarting.length > 0 && restarting.every((status) => status.at === 60 && status.podStatus.phase === 'Running'),
  );
  const cleaned = life.statuses.find(
    ({ podStatus: { containerStatuses = [] } }) =>
      containerStatuses.length > 0 &&
      containerStatuses.every(({ state }) => state.waiting?.reason === 'RestartingAllContainers'),
  );
  assert.equal(cleaned?.podStatus.phase, 'Running');
  assert.ok(
    life.statuses
      .filter((status) => status.at > 2)
      .every(({ podStatus }) =>
        podStatus.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True'),
      ),
  );
  assert.equal(new Set(life.statuses.flatMap(({ podStatus }) => podStatus.podIP ?? [])).size, 1);
});

test('h-restart-all-containers: setup fails in the second round', async () => {
  const life = await live(pod('h-restart-all-containers'), {
    containers: { ...everything, setup: { runs: [[{ sleep: 2 }], [{ exit: 9 }]] } },
  });
  assert.equal(life.statuses.at(-1)?.podStatus.phase, 'Failed');
});

const ordered = (app: unknown, s2: unknown = ends(1)) => ({
  containers: { app: { run: app }, s1: { run: ends(1) }, s2: { run: s2 } },
  events: [{ at: 10, do: 'delete' }],
});

test('h-sidecar-reverse-order/normal', async () => {
  const life = await live(pod('h-sidecar-reverse-order'), ordered(ends(3)));
  assert.deepEqual([at(life, 9).ready, at(life, 9).status], ['3/3', 'Running']);
  assert.deepEqual(since(life, 10), [
    '0 app preStop began',
    '0 s1 preStop began',
    '1 s1 preStop ended',
    '5 app preStop ended',
    '5 app TERM',
    '8 app exit 0',
    '8 s2 TERM',
    '9 s2 exit 0',
    '9 s1 TERM',
    '10 s1 exit 0',
  ]);
  assert.equal(goneAt(life), 20);
});

test('h-sidecar-reverse-order/slow', async () => {
  const life = await live(pod('h-sidecar-reverse-order'), ordered('deaf'));
  const told = since(life, 10).filter((line) => !line.includes('preStop'));
  assert.deepEqual(told.toSorted(), [
    '30 app KILL',
    '30 app exit 137',
    '30 s1 TERM',
    '30 s2 TERM',
    '31 s1 exit 0',
    '31 s2 exit 0',
    '5 app TERM',
  ]);
  assert.ok(life.node.every((entry) => entry.what !== 'ended' || entry.at <= 42));
});

test('h-sidecar-reverse-order/s2-dies', async () => {
  const dies = [{ sleep: 12 }, { exit: 1 }];
  const life = await live(pod('h-sidecar-reverse-order'), ordered(ends(3), dies));
  assert.deepEqual(since(life, 10), [
    '0 app preStop began',
    '0 s1 preStop began',
    '1 s1 preStop ended',
    '2 s2 exit 1',
    '5 app preStop ended',
    '5 app TERM',
    '8 app exit 0',
    '8 s1 TERM',
    '9 s1 exit 0',
  ]);
});

test('h-sidecar-startup-fails-once', async () => {
  const life = await live(pod('h-sidecar-startup-fails-once'), {
    containers: {
      side: {
        runs: [
          { steps: ends(1, 1), probes: { startup: 'failure' } },
          {
            steps: 'serve',
            probes: {
              startup: [
                { from: 0, answer: 'failure' },
                { from: 2, answer: 'success' },
              ],
            },
          },
        ],
      },
      app: { run: [{ sleep: 10 }] },
    },
  });
  const [first, term, exit1, second, app, appEnd] = life.node
    .filter(({ kind }) => kind === 'run' || kind === 'signal')
    .map((entry) => entry.at);
  assert.deepEqual(
    story(life).map((line) => line.slice(line.indexOf(' ') + 1)),
    [
      'side started',
      'side TERM',
      'side exit 1',
      'side started',
      'app started',
      'app exit 0',
      'side TERM',
      'side exit 0',
    ],
  );
  for (const [seen, about] of [
    [first, 0],
    [term, 5],
    [exit1, 6],
    [second, 6],
    [app, 8],
    [appEnd, 18],
  ] as const)
    assert.ok(Math.abs((seen ?? -9) - about) <= 1, `${seen} is not about ${about}`);
  assert.deepEqual(restarts(life), { side: 1, app: 0 });
  assert.equal(life.statuses.at(-1)?.podStatus.phase, 'Succeeded');
});
