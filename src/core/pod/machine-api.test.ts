// Lives under the hands of API clients: generation, conditions, gates, edits, what is written when (cases EE29 to EE40, CO-E,
// SM-X, h-readiness-gate), image pulls and resize.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from './input.ts';
import { c, condition, events, type Life, live, podAt, startsOf, statusOf, unrepeated, writes } from './lab.ts';
import { createPod, transition } from './machine.ts';
import { policyOf } from './policy.ts';
import type { PodSpec } from './spec.ts';

const ideal = policyOf();
const exec = { exec: { command: ['x'] } };
const base: PodSpec = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  initContainers: [c('i')],
  containers: [c('a')],
};
const edited = (change: Partial<PodSpec>): Input => ({ kind: 'updateSpec', spec: { ...base, ...change } });

test('EE29: a grace of -1 is stored as 1, on creation and on update', () => {
  const [state] = createPod(
    ideal,
    { metadata: { name: 'p' }, spec: { ...base, terminationGracePeriodSeconds: -1 } },
    0,
  );
  assert.equal(state.api.spec.terminationGracePeriodSeconds, 1);
  const [next] = transition(ideal, state, edited({ terminationGracePeriodSeconds: -1, activeDeadlineSeconds: 9 }), 1);
  assert.equal(next.api.spec.terminationGracePeriodSeconds, 1);
});

const generations: readonly (readonly [id: string, what: string, input: Input | undefined, generation: number])[] = [
  ['EE30', 'creation', undefined, 1],
  ['EE31', 'an update that changes nothing', edited({}), 1],
  ['EE32', 'a toleration', edited({ tolerations: [{ key: 'x' }] }), 2],
  ['EE33', 'a deadline', edited({ activeDeadlineSeconds: 500 }), 2],
  ['EE34', 'an image', edited({ containers: [c('a', { image: 'new:2' })] }), 2],
  ['EE35', 'an init image', edited({ initContainers: [c('i', { image: 'new:2' })] }), 2],
  ['EE36', 'an annotation', { kind: 'updateMetadata', annotations: { a: 'b' } }, 1],
];

for (const [id, what, input, generation] of generations) {
  test(`${id}: ${what} makes generation ${generation}, and the kubelet follows`, () => {
    const inputs = input === undefined ? [] : [[10, input] as const];
    const life = live(policyOf({ timing: 'kubelet', seed: 2 }), base, { runs: { i: [{ exit: [1, 0] }] }, inputs }, 30);
    assert.equal(life.state.api.metadata.generation, generation);
    assert.equal(life.state.api.status.observedGeneration, generation);
  });
}

test('EE36: a generation that the client sends is ignored; the first graceful deletion counts one, the second none', () => {
  const [state] = createPod(ideal, { metadata: { name: 'p', generation: 77 }, spec: base }, 0);
  assert.equal(state.api.metadata.generation, 1);
  const life = live(
    ideal,
    base,
    {
      runs: { a: [{ term: 'ignore' }], i: [{ exit: [0, 0] }] },
      inputs: [
        [5, { kind: 'delete' }],
        [6, { kind: 'delete', gracePeriodSeconds: 5 }],
      ],
    },
    8,
  );
  assert.equal(life.state.api.metadata.generation, 2);
});

test('EE39: a bad image: conditions carry generation 1, and 2 once the image is mended', () => {
  const spec: PodSpec = { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, containers: [c('a')] };
  const mend: Input = { kind: 'updateSpec', spec: { ...spec, containers: [c('a', { image: 'good:1' })] } };
  const life = live(
    ideal,
    spec,
    { pulls: { a: (at) => (at < 20 ? 'InvalidImageName' : undefined) }, inputs: [[20, mend]] },
    60,
  );
  const observed = (seconds: number) =>
    ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => condition(podAt(life, seconds), type)?.observedGeneration,
    );
  assert.deepEqual(observed(15), [1, 1, 1, 1]);
  assert.deepEqual(observed(50), [2, 2, 2, 2]);
});

const gate = (type: string, status: 'True' | 'False' | 'Unknown'): Input => ({
  kind: 'setCondition',
  condition: { type, status },
});

test('EE40: with two gates the pod is ready only while both are True', () => {
  const spec: PodSpec = { readinessGates: [{ conditionType: 'g1' }, { conditionType: 'g2' }], containers: [c('a')] };
  const inputs = [
    [5, gate('g1', 'True')],
    [6, gate('g2', 'True')],
    [8, gate('g1', 'False')],
  ] as const;
  const life = live(ideal, spec, { inputs }, 20);
  assert.deepEqual(
    [4, 5, 7, 9].map((at) => condition(podAt(life, at), 'Ready')?.status),
    ['False', 'False', 'True', 'False'],
  );
});

test('h-readiness-gate: Ready follows the gate, its time only changes with its status', () => {
  const lb = 'example.test/lb';
  const spec: PodSpec = {
    readinessGates: [{ conditionType: lb }],
    containers: [c('app', { readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 } })],
  };
  const inputs: readonly (readonly [number, Input])[] = [
    [5, gate(lb, 'False')],
    [10, gate(lb, 'True')],
    [20, gate(lb, 'False')],
    [25, gate(lb, 'True')],
    [30, gate(lb, 'Unknown')],
    [35, { kind: 'removeCondition', type: lb }],
  ];
  const ready2 = (up: number) => (up >= 2 ? ('success' as const) : ('failure' as const));
  const life = live(ideal, spec, { runs: { app: [{ probes: { readiness: ready2 } }] }, inputs }, 40);
  const missing = `corresponding condition of pod readiness gate "${lb}" does not exist.`;
  const unmet = (value: string) => `the status of pod readiness gate "${lb}" is not "True", but ${value}`;
  const expected: readonly (readonly [number, string, string, string | undefined])[] = [
    [0, 'False', 'ContainersNotReady', 'containers with unready status: [app]'],
    [2, 'True', 'ReadinessGatesNotReady', missing],
    [5, 'True', 'ReadinessGatesNotReady', unmet('False')],
    [10, 'True', 'True', undefined],
    [20, 'True', 'ReadinessGatesNotReady', unmet('False')],
    [25, 'True', 'True', undefined],
    [30, 'True', 'ReadinessGatesNotReady', unmet('Unknown')],
    [35, 'True', 'ReadinessGatesNotReady', missing],
  ];
  for (const [at, containers, isReady, message] of expected) {
    const pod = podAt(life, at + 0.5);
    const shown = condition(pod, 'Ready')!;
    assert.equal(condition(pod, 'ContainersReady')?.status, containers, `at ${at}`);
    assert.deepEqual([shown.reason ?? shown.status, shown.message], [isReady, message], `at ${at}`);
  }
  const times = writes(life).flatMap(({ pod }) => condition(pod, 'Ready')?.lastTransitionTime ?? []);
  assert.deepEqual(unrepeated(times), [0, 10_000, 20_000, 25_000, 30_000]);
});

const transitionTimes = (life: Life) =>
  ['PodScheduled', 'Initialized', 'PodReadyToStartContainers', 'ContainersReady', 'Ready'].map(
    (type) => condition(life.state.api, type)?.lastTransitionTime ?? Number.NaN,
  );
const slowly = { costsMs: { sandbox: 3000, start: 2000, stop: 0 } };

test('CO-E/E1: without inits: scheduled, initialized, ready to start, containers ready, ready, in this order', () => {
  const times = transitionTimes(live(ideal, { containers: [c('a')] }, slowly, 30));
  assert.deepEqual(
    times,
    times.toSorted((x, y) => x - y),
  );
  assert.ok(times[1]! < times[2]! && times[2]! < times[3]!);
});

test('CO-E/E2: with an init of 5 s: ready to start comes before initialized', () => {
  const [scheduled, initialized, toStart, containers, ready] = transitionTimes(
    live(ideal, base, { ...slowly, runs: { i: [{ exit: [5, 0] }] } }, 60),
  );
  assert.ok(scheduled! <= toStart! && toStart! < initialized! && initialized! < containers! && containers! <= ready!);
});

test('CO-E/E4: a volume that does not exist: scheduled, and nothing else', () => {
  const spec: PodSpec = { ...base, volumes: [{ name: 'v', configMap: { name: 'missing' } }] };
  let [state, effects] = createPod(ideal, { metadata: { name: 'p' }, spec }, 0);
  const mount = effects.find((effect) => effect.kind === 'mountVolumes')!;
  [state, effects] = transition(ideal, state, { kind: 'failed', call: mount.call, message: 'not found' }, 1000);
  assert.ok(effects.some((effect) => effect.kind === 'event' && effect.reason === 'FailedMount'));
  assert.equal(state.wakeAtMs, 11_000);
  assert.deepEqual(
    state.api.status.conditions.map(({ type, status }) => `${type}=${status}`),
    [
      'PodReadyToStartContainers=False',
      'Initialized=False',
      'Ready=False',
      'ContainersReady=False',
      'PodScheduled=True',
    ],
  );
});

test('SM-X/X1 SM-X/X9: the start time is set once, in whole seconds, like every time', () => {
  const life = live(
    policyOf({ timing: 'kubelet', seed: 8 }),
    { containers: [c('a')] },
    { ...slowly, runs: { a: [{ exit: [1.5, 1] }] } },
    60,
  );
  const starts = new Set(writes(life).flatMap(({ pod }) => pod.status.startTime ?? []));
  assert.equal(starts.size, 1);
  const text = JSON.stringify(writes(life).map(({ pod }) => pod));
  const times = [
    ...text.matchAll(/"(?:startTime|startedAt|finishedAt|lastTransitionTime|creationTimestamp)":(\d+)/g),
  ].map(([, at]) => Number(at));
  assert.ok(times.length > 50 && times.every((at) => at % 1000 === 0));
});

test('SM-X/X2: a status that says the same is not written again', () => {
  const again: readonly (readonly [number, Input])[] = [
    [20, { kind: 'tick' }],
    [30, { kind: 'updateMetadata' }],
  ];
  const life = live(ideal, { containers: [c('a')] }, { inputs: again }, 60);
  assert.deepEqual(
    writes(life)
      .filter(({ atMs }) => atMs > 1000)
      .map(({ atMs }) => atMs),
    [30_000],
  );
});

test('SM-X/X3 SM-X/X4 SM-X/X5: after its object is gone nothing is written any more, whatever still happens', () => {
  const inputs: readonly (readonly [number, Input])[] = [
    [5, { kind: 'delete', gracePeriodSeconds: 0 }],
    [5.5, gate('late', 'True')],
    [5.6, { kind: 'updateMetadata', labels: { x: '1' } }],
    [5.7, { kind: 'delete' }],
  ];
  const life = live(
    ideal,
    { containers: [c('a', { readinessProbe: { ...exec, periodSeconds: 1 } })] },
    { runs: { a: [{ term: 'ignore' }] }, inputs },
    60,
  );
  const after = writes(life).filter(({ atMs }) => atMs >= 5000);
  assert.deepEqual(
    after.map(({ type }) => type),
    ['MODIFIED', 'DELETED'],
  );
  assert.equal(life.state.worker, 'finished');
});

test('another writer cannot hold a condition of the kubelet: it is written back', () => {
  const inputs = [[5, gate('Ready', 'False')]] as const;
  const life = live(ideal, { containers: [c('a')] }, { inputs }, 20);
  const shown = writes(life).filter(({ atMs }) => atMs >= 5000);
  assert.deepEqual(
    shown.map(({ pod }) => condition(pod, 'Ready')?.status),
    ['False', 'True'],
  );
});

test('a pod with scheduling gates waits for them, then is bound once', () => {
  const gated: PodSpec = { ...base, schedulingGates: [{ name: 'g' }] };
  const inputs: readonly (readonly [number, Input])[] = [
    [2, { kind: 'bind', nodeName: 'early' }],
    [4, edited({ schedulingGates: [] })],
    [6, { kind: 'bind', nodeName: 'other' }],
  ];
  const life = live(ideal, gated, { inputs }, 10);
  const shown = condition(podAt(life, 3), 'PodScheduled');
  assert.deepEqual([shown?.status, shown?.reason], ['False', 'SchedulingGated']);
  assert.deepEqual(startsOf(life, 'i'), [4]);
  assert.equal(life.state.api.spec.nodeName, 'node-1');
});

test('a gated pod that is deleted goes at once', () => {
  const life = live(ideal, { ...base, schedulingGates: [{ name: 'g' }] }, { inputs: [[2, { kind: 'delete' }]] }, 10);
  assert.equal(life.state.gone, true);
  assert.equal(life.state.worker, 'finished');
});

test('an eviction through the API: DisruptionTarget first, then the usual deletion', () => {
  const life = live(
    ideal,
    { containers: [c('a')] },
    { runs: { a: [{ term: [2, 0] }] }, inputs: [[5, { kind: 'evictByApi' }]] },
    30,
  );
  const shown = writes(life).filter(({ atMs }) => atMs >= 5000);
  assert.equal(condition(shown[0]!.pod, 'DisruptionTarget')?.reason, 'EvictionByEvictionAPI');
  assert.equal(shown[0]!.pod.metadata.deletionTimestamp, undefined);
  assert.equal(condition(shown.at(-1)!.pod, 'DisruptionTarget')?.status, 'True');
  assert.equal(shown.at(-1)!.type, 'DELETED');
});

test('an ephemeral container joins, ends, and is never restarted; the phase does not care', () => {
  const inputs = [[5, { kind: 'addEphemeralContainer', container: c('debug') } as const]] as const;
  const life = live(ideal, { containers: [c('a')] }, { runs: { debug: [{ exit: [2, 6] }] }, inputs }, 60);
  const shown = statusOf(life.state.api, 'debug')!;
  assert.deepEqual(
    [shown.state.terminated?.exitCode, shown.ready, shown.started, shown.restartCount],
    [6, false, false, 0],
  );
  assert.deepEqual(startsOf(life, 'debug'), [5]);
  assert.equal(life.state.api.status.phase, 'Running');
});

test('pulls that fail are held back 10, 20, 40 s; the reasons take turns; a pull that works starts the container', () => {
  const life = live(
    ideal,
    { containers: [c('a')] },
    { pulls: { a: (at) => (at < 60 ? 'ErrImagePull' : undefined) } },
    200,
  );
  const pulls = life.log.filter(({ effect }) => effect.kind === 'pullImage').map(({ atMs }) => atMs / 1000);
  assert.deepEqual(pulls, [0, 10, 30, 70]);
  assert.deepEqual(startsOf(life, 'a'), [70]);
  assert.equal(life.state.api.status.phase, 'Running');
  assert.equal(
    statusOf(podAt(life, 50), 'a')?.state.waiting?.message,
    'Back-off pulling image "a:1": ErrImagePull: because ErrImagePull',
  );
});

const sized = (cpu: string, memory = '64Mi'): PodSpec => ({
  ...base,
  initContainers: [],
  containers: [
    c('a', {
      resources: { requests: { cpu, memory } },
      resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }],
    }),
  ],
});
const resize = (at: number, spec: PodSpec): readonly [number, Input] => [at, { kind: 'updateSpec', spec }];

test('a resize of cpu happens in place: PodResizeInProgress comes and goes, nothing restarts', () => {
  const life = live(ideal, sized('50m'), { inputs: [resize(5, sized('100m'))] }, 20);
  const shown = writes(life)
    .filter(({ atMs }) => atMs >= 5000)
    .map(({ pod }) => condition(pod, 'PodResizeInProgress')?.status ?? '-');
  assert.deepEqual(unrepeated(shown), ['-', 'True', '-']);
  assert.deepEqual([events(life, 'ResizeStarted'), events(life, 'ResizeCompleted')], [[5], [5]]);
  assert.equal(statusOf(life.state.api, 'a')?.restartCount, 0);
  assert.deepEqual(statusOf(life.state.api, 'a')?.resources?.requests, { cpu: '100m', memory: '64Mi' });
});

test('a resize of memory whose policy says so restarts the container', () => {
  const life = live(ideal, sized('50m'), { inputs: [resize(5, sized('50m', '128Mi'))] }, 20);
  assert.deepEqual(startsOf(life, 'a'), [0, 5]);
  assert.equal(statusOf(life.state.api, 'a')?.restartCount, 1);
  assert.deepEqual(events(life, 'ResizeCompleted').length, 1);
});

test('a resize beyond the node is Infeasible; one beyond what is free is Deferred, and tried again', () => {
  const node = policyOf({ allocatable: { cpu: '4' }, available: { cpu: '2' } });
  const pending = (cpu: string) => {
    const life = live(node, sized('50m'), { inputs: [resize(5, sized(cpu))] }, 20);
    return [condition(life.state.api, 'PodResizePending')?.reason, life.state.wakeAtMs / 1000] as const;
  };
  assert.deepEqual(pending('8'), ['Infeasible', Number.POSITIVE_INFINITY]);
  assert.deepEqual(pending('3'), ['Deferred', 185]);
  const life = live(node, sized('50m'), { inputs: [resize(5, sized('3'))] }, 20);
  const [later] = transition(
    policyOf({ allocatable: { cpu: '4' }, available: { cpu: '4' } }),
    life.state,
    { kind: 'tick' },
    185_000,
  );
  assert.equal(condition(later.api, 'PodResizePending'), undefined);
  assert.equal(condition(later.api, 'PodResizeInProgress')?.status, 'True');
});
