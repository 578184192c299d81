// Lives with init containers and sidecars on their way up: cases LC12 to LC55, LC70, EE16 to EE27.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from './input.ts';
import { c, condition, deeds, events, type Life, live, phases, podAt, startsOf, statusOf, writes } from './lab.ts';
import { policyOf } from './policy.ts';
import type { Container, PodSpec, RestartPolicy } from './spec.ts';

const ideal = policyOf();
const all: readonly RestartPolicy[] = ['Never', 'OnFailure', 'Always'];
const side = (name: string, more: Partial<Container> = {}) => c(name, { ...more, restartPolicy: 'Always' });
const ok = (after: number) => [{ exit: [after, 0] as const }];
const fails = (after: number) => [{ exit: [after, 1] as const }];
const edit = (at: number, spec: PodSpec, names: readonly string[]): readonly [number, Input] => {
  const renew = (container: Container) =>
    names.includes(container.name) ? { ...container, image: 'new:2' } : container;
  return [
    at,
    {
      kind: 'updateSpec',
      spec: {
        ...spec,
        initContainers: spec.initContainers?.map(renew),
        containers: spec.containers.map(renew),
        restartPolicy: spec.restartPolicy ?? 'Always',
        terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
      },
    },
  ];
};
const imagesOf = (life: Life, name: string) =>
  life.log.flatMap(({ effect }) =>
    effect.kind === 'startContainer' && effect.container.name === name ? [effect.container.image] : [],
  );
const count = (life: Life, name: string) => statusOf(life.state.api, name)?.restartCount;
const probe = { exec: { command: ['x'] }, periodSeconds: 1, failureThreshold: 1 };
const failing = () => 'failure' as const;

for (const [index, policy] of all.entries()) {
  test(`LC${index + 1}: the image of a running main is edited under ${policy}: it restarts with the new one`, () => {
    const spec: PodSpec = { restartPolicy: policy, containers: [c('a')] };
    const life = live(ideal, spec, { inputs: [edit(5, spec, ['a'])] }, 20);
    assert.deepEqual(imagesOf(life, 'a'), ['a:1', 'new:2']);
    assert.equal(count(life, 'a'), 1);
  });

  test(`LC${index + 4}: the main's image is edited under ${policy} while an init runs: the new one is used, after the init`, () => {
    const spec: PodSpec = { restartPolicy: policy, initContainers: [c('i')], containers: [c('a')] };
    const life = live(ideal, spec, { runs: { i: ok(10) }, inputs: [edit(5, spec, ['a'])] }, 20);
    assert.deepEqual(startsOf(life, 'a'), [10]);
    assert.deepEqual(imagesOf(life, 'a'), ['new:2']);
  });
}

for (const [id, kind, policy] of [
  ['LC7', 'startup', 'Always'],
  ['LC8', 'liveness', 'OnFailure'],
] as const) {
  test(`${id}: the image is edited after a ${kind} failure under ${policy}: the new image runs`, () => {
    const spec: PodSpec = { restartPolicy: policy, containers: [c('a', { [`${kind}Probe`]: probe })] };
    const bad = { term: [0, 1] as const, probes: { [kind]: failing } };
    const runs = { a: [bad, bad, bad, {}] };
    const life = live(ideal, spec, { runs, inputs: [edit(6, spec, ['a'])] }, 60);
    assert.equal(imagesOf(life, 'a').at(-1), 'new:2');
  });
}

test('LC12: three inits and a main under Never go one after the other', () => {
  const spec: PodSpec = { restartPolicy: 'Never', initContainers: [c('i1'), c('i2'), c('i3')], containers: [c('m')] };
  const life = live(ideal, spec, { runs: { i1: ok(1), i2: ok(2), i3: ok(3), m: ok(1) } }, 20);
  assert.deepEqual(
    deeds(life).filter((deed) => deed.includes('start ')),
    ['0 start i1', '1 start i2', '3 start i3', '6 start m'],
  );
  assert.equal(life.state.api.status.phase, 'Succeeded');
});

test('LC13: an init that fails under Never: the main never starts, the pod is Failed', () => {
  const spec: PodSpec = { restartPolicy: 'Never', initContainers: [c('i1'), c('i2')], containers: [c('m')] };
  const life = live(ideal, spec, { runs: { i1: fails(1) } }, 20);
  assert.deepEqual(deeds(life), ['0 createSandbox', '0 start i1', '1 stopSandbox']);
  assert.equal(life.state.api.status.phase, 'Failed');
});

test('LC15: an init whose image is missing under Never waits for ever: a pull never ends a pod', () => {
  const spec: PodSpec = { restartPolicy: 'Never', initContainers: [c('i')], containers: [c('m')] };
  const life = live(ideal, spec, { pulls: { i: () => 'ErrImagePull' } }, 200);
  assert.deepEqual(startsOf(life, 'i'), []);
  assert.equal(life.state.api.status.phase, 'Pending');
  const reasons = writes(life).map(({ pod }) => statusOf(pod, 'i')?.state.waiting?.reason);
  assert.ok(reasons.includes('ErrImagePull') && reasons.includes('ImagePullBackOff'));
  assert.equal(statusOf(life.state.api, 'i')?.state.waiting?.reason, 'ImagePullBackOff');
});

test('LC16: a main that restarts does not run the inits again', () => {
  const spec: PodSpec = { initContainers: [c('i')], containers: [c('m')] };
  const life = live(ideal, spec, { runs: { i: ok(1), m: fails(2) } }, 60);
  assert.deepEqual(startsOf(life, 'i'), [0]);
  assert.ok(startsOf(life, 'm').length > 2);
});

for (const [id, kind] of [
  ['LC19', 'startup'],
  ['LC20', 'liveness'],
] as const) {
  test(`${id}: when ${kind} fails, preStop runs while the main is up, then the main ends`, () => {
    const hook = { lifecycle: { preStop: { exec: { command: ['x'] } } } };
    const spec: PodSpec = { restartPolicy: 'Never', containers: [c('a', { ...hook, [`${kind}Probe`]: probe })] };
    const life = live(ideal, spec, { runs: { a: [{ preStop: [2], probes: { [kind]: failing } }] } }, 30);
    assert.deepEqual(deeds(life).slice(1), ['0 start a', '1 preStop a', '3 stop a 28', '3 stopSandbox']);
  });
}

test('LC21: during a preStop of 10 s readiness is probed, liveness is not', () => {
  const hook = { lifecycle: { preStop: { exec: { command: ['x'] } } } };
  const spec = { containers: [c('a', { ...hook, readinessProbe: probe, livenessProbe: probe })] };
  const life = live(ideal, spec, { runs: { a: [{ preStop: [10] }] }, inputs: [[5, { kind: 'delete' }]] }, 30);
  const kinds = life.log.flatMap(({ atMs, effect }) => (effect.kind === 'probe' && atMs > 5500 ? [effect.probe] : []));
  assert.ok(kinds.length >= 9 && kinds.every((kind) => kind === 'readiness'));
});

const initAndMain: PodSpec = { initContainers: [c('i')], containers: [c('m')] };

test('LC23: the image of an init that has ended is edited: it does not run again', () => {
  const life = live(ideal, initAndMain, { runs: { i: ok(1) }, inputs: [edit(5, initAndMain, ['i'])] }, 20);
  assert.deepEqual(startsOf(life, 'i'), [0]);
});

test('LC24: the image of a running init is edited: it ends with the old one, never restarted', () => {
  const life = live(ideal, initAndMain, { runs: { i: ok(10) }, inputs: [edit(5, initAndMain, ['i'])] }, 20);
  assert.deepEqual(imagesOf(life, 'i'), ['i:1']);
  assert.equal(count(life, 'i'), 0);
});

test('LC25: the image of an init is edited while the pod ends: nothing starts', () => {
  const runs = { i: [{ term: [5, 0] as const }] };
  const life = live(ideal, initAndMain, { runs, inputs: [[5, { kind: 'delete' }], edit(6, initAndMain, ['i'])] }, 30);
  assert.deepEqual(deeds(life), ['0 createSandbox', '0 start i', '5 stop i 30', '10 stopSandbox']);
});

test('LC31: inits and sidecars take turns; sidecars stay up beside what comes after them', () => {
  const spec: PodSpec = {
    restartPolicy: 'Never',
    initContainers: [c('i1'), side('s1'), c('i2'), side('s2'), c('i3')],
    containers: [c('m')],
  };
  const life = live(ideal, spec, { runs: { i1: ok(1), i2: ok(1), i3: ok(1), m: ok(2) } }, 30);
  assert.deepEqual(deeds(life), [
    '0 createSandbox',
    '0 start i1',
    '1 start s1',
    '1 start i2',
    '2 start s2',
    '2 start i3',
    '3 start m',
    '5 stop s2 30',
    '5 stop s1 30',
    '5 stopSandbox',
  ]);
});

for (const policy of ['Never', 'OnFailure'] as const) {
  test(`LC35: a sidecar beside a main that ends under ${policy}: Succeeded, the sidecar never restarted`, () => {
    const spec: PodSpec = { restartPolicy: policy, initContainers: [side('s')], containers: [c('m')] };
    const life = live(ideal, spec, { runs: { m: ok(5) } }, 30);
    assert.equal(life.state.api.status.phase, 'Succeeded');
    assert.equal(count(life, 's'), 0);
  });
}

test('LC36: under Always the main restarts, the sidecar does not', () => {
  const life = live(ideal, { initContainers: [side('s')], containers: [c('m')] }, { runs: { m: ok(5) } }, 12);
  assert.ok((count(life, 'm') ?? 0) > 0);
  assert.equal(count(life, 's'), 0);
});

for (const policy of all) {
  const spec: PodSpec = { restartPolicy: policy, initContainers: [side('s')], containers: [c('m')] };
  test(`LC37: the image of a sidecar is edited under ${policy}: it restarts with the new one`, () => {
    const life = live(ideal, spec, { inputs: [edit(5, spec, ['s'])] }, 20);
    assert.deepEqual(imagesOf(life, 's'), ['s:1', 'new:2']);
    assert.equal(count(life, 'm'), 0);
  });

  test(`LC38: the image of a sidecar is missing under ${policy}: it waits, and the main never starts`, () => {
    const life = live(ideal, spec, { pulls: { s: () => 'ErrImagePull' } }, 120);
    assert.equal(statusOf(life.state.api, 's')?.state.waiting?.reason, 'ImagePullBackOff');
    assert.deepEqual(startsOf(life, 'm'), []);
  });

  const index = all.indexOf(policy);
  test(`LC${53 + index}: the liveness of a sidecar fails, then its image is edited under ${policy}: the new one runs`, () => {
    const live1 = { ...spec, initContainers: [side('s', { livenessProbe: probe })] };
    const runs = { s: [{ probes: { liveness: failing } }, {}] };
    const life = live(ideal, live1, { runs, inputs: [edit(10, live1, ['s'])] }, 30);
    assert.equal(imagesOf(life, 's').at(-1), 'new:2');
  });

  test(`LC${57 + index}: the image of a sidecar is edited while the pod ends under ${policy}: still graceful, no restart`, () => {
    const runs = { m: [{ term: [3, 0] as const }], s: [{ term: [1, 0] as const }] };
    const life = live(ideal, spec, { runs, inputs: [[5, { kind: 'delete' }], edit(6, spec, ['s'])] }, 60);
    assert.deepEqual(startsOf(life, 's'), [0]);
    assert.ok(deeds(life).includes('8 stop s 27'));
  });
}

const beforeSidecar = (policy: RestartPolicy): PodSpec => ({
  restartPolicy: policy,
  initContainers: [c('i'), side('s')],
  containers: [c('m')],
});
const afterSidecar = (policy: RestartPolicy): PodSpec => ({
  restartPolicy: policy,
  initContainers: [side('s'), c('i')],
  containers: [c('m')],
});

test('LC45: an init before a sidecar fails under Never: Failed, the sidecar never starts', () => {
  const life = live(ideal, beforeSidecar('Never'), { runs: { i: fails(1) } }, 20);
  assert.equal(life.state.api.status.phase, 'Failed');
  assert.deepEqual(startsOf(life, 's'), []);
});

for (const policy of ['OnFailure', 'Always'] as const) {
  test(`LC46: under ${policy} the init is tried again, the pod is Pending, the sidecar waits`, () => {
    const life = live(ideal, beforeSidecar(policy), { runs: { i: fails(1) } }, 40);
    assert.deepEqual(phases(life), ['Pending']);
    assert.ok((count(life, 'i') ?? 0) > 0);
    assert.deepEqual(startsOf(life, 's'), []);
  });

  test(`LC48: an init after a sidecar fails under ${policy}: tried again, with the sidecar up`, () => {
    const life = live(ideal, afterSidecar(policy), { runs: { i: fails(1) } }, 40);
    assert.equal(life.state.api.status.phase, 'Pending');
    assert.ok((count(life, 'i') ?? 0) > 0);
    assert.ok(statusOf(life.state.api, 's')?.state.running);
  });
}

test('LC49: with startup probes the next sidecar, and then the main, waits for the success of the one before', () => {
  const startupProbe = { ...probe, failureThreshold: 30 };
  const spec: PodSpec = {
    initContainers: [side('s1', { startupProbe }), side('s2', { startupProbe })],
    containers: [c('m')],
  };
  const slow = [{ probes: { startup: (up: number) => (up >= 3 ? ('success' as const) : ('failure' as const)) } }];
  const life = live(ideal, spec, { runs: { s1: slow, s2: slow } }, 20);
  assert.deepEqual([startsOf(life, 's1'), startsOf(life, 's2'), startsOf(life, 'm')], [[0], [3], [6]]);
});

test('LC52: the liveness of a sidecar fails: preStop, end, restart; what comes next starts anyway', () => {
  const hook = { lifecycle: { preStop: { exec: { command: ['x'] } } } };
  const spec: PodSpec = {
    restartPolicy: 'Never',
    initContainers: [side('s', { ...hook, livenessProbe: probe })],
    containers: [c('m')],
  };
  const life = live(ideal, spec, { runs: { s: [{ preStop: [1], probes: { liveness: failing } }, {}] } }, 20);
  assert.deepEqual(deeds(life), [
    '0 createSandbox',
    '0 start s',
    '0 start m',
    '1 preStop s',
    '2 stop s 29',
    '2 start s',
  ]);
});

test('LC70: a sidecar that fails once under Never runs again, and the main starts after its startup', () => {
  const startupProbe = { ...probe, initialDelaySeconds: 3, failureThreshold: 3 };
  const spec: PodSpec = { restartPolicy: 'Never', initContainers: [side('s', { startupProbe })], containers: [c('m')] };
  const life = live(ideal, spec, { runs: { s: [{ exit: [1, 1] }, {}] } }, 20);
  assert.equal(count(life, 's'), 1);
  assert.deepEqual(startsOf(life, 'm'), [4]);
});

test('EE23: an init that fails under Always: Pending, tried again and again, the message names both inits', () => {
  const spec: PodSpec = { initContainers: [c('init1'), c('init2')], containers: [c('m')] };
  const life = live(ideal, spec, { runs: { init1: fails(0) } }, 60);
  const { api } = life.state;
  assert.equal(api.status.phase, 'Pending');
  assert.ok((count(life, 'init1') ?? 0) >= 3);
  assert.equal(condition(api, 'Initialized')?.message, 'containers with incomplete status: [init1 init2]');
  assert.deepEqual(startsOf(life, 'm'), []);
});

test('EE24: the second init fails under Never: Failed, not initialized, the main still waits', () => {
  const spec: PodSpec = { restartPolicy: 'Never', initContainers: [c('init1'), c('init2')], containers: [c('m')] };
  const life = live(ideal, spec, { runs: { init1: ok(1), init2: fails(1) } }, 20);
  const { api } = life.state;
  assert.equal(api.status.phase, 'Failed');
  assert.equal(condition(api, 'Initialized')?.status, 'False');
  assert.equal(statusOf(api, 'm')?.state.waiting?.reason, 'PodInitializing');
});

test('EE26: a pod whose init fails, deleted at any moment, never reports its main started', () => {
  const spec: PodSpec = { restartPolicy: 'Never', initContainers: [c('i')], containers: [c('m')] };
  for (let at = 0; at < 3; at += 0.1) {
    const life = live(
      policyOf({ timing: 'kubelet', seed: at * 10 }),
      spec,
      {
        runs: { i: fails(0.5) },
        inputs: [[at, { kind: 'delete' }]],
        costsMs: { sandbox: 400, start: 100, stop: 50 },
      },
      60,
    );
    for (const { pod } of writes(life)) assert.equal(statusOf(pod, 'm')?.started ?? false, false);
  }
});

test('EE27: a pod that has completed under OnFailure gets no new sandbox', () => {
  const spec: PodSpec = { restartPolicy: 'OnFailure', initContainers: [c('i')], containers: [c('m')] };
  const life = live(policyOf({ timing: 'kubelet', seed: 4 }), spec, { runs: { i: ok(1), m: ok(1) } }, 300);
  assert.equal(life.state.api.status.phase, 'Succeeded');
  assert.deepEqual(events(life, 'SandboxChanged'), []);
});

test('h-sidecar-startup-fails-once: killed when the fifth probe fails, restarted at once, then the main runs: Succeeded', () => {
  const startupProbe = { httpGet: { path: '/s', port: 9000 }, periodSeconds: 1, failureThreshold: 5 };
  const spec: PodSpec = {
    restartPolicy: 'Never',
    initContainers: [side('side', { startupProbe })],
    containers: [c('app')],
  };
  const second = { probes: { startup: (up: number) => (up >= 2 ? ('success' as const) : ('failure' as const)) } };
  const side1 = { term: [1, 1] as const, probes: { startup: failing } };
  const life = live(ideal, spec, { runs: { side: [side1, second], app: ok(10) } }, 100);
  assert.deepEqual(deeds(life), [
    '0 createSandbox',
    '0 start side',
    '5 stop side 30',
    '6 start side',
    '8 start app',
    '18 stop side 30',
    '18 stopSandbox',
  ]);
  assert.equal(life.state.api.status.phase, 'Succeeded');
  assert.deepEqual([count(life, 'side'), count(life, 'app')], [1, 0]);
});

const crash = (policy: RestartPolicy): PodSpec => ({
  restartPolicy: policy,
  initContainers: [
    c('setup'),
    side('side', { startupProbe: { httpGet: { path: '/s', port: 9000 }, periodSeconds: 1, failureThreshold: 30 } }),
  ],
  containers: [c('app')],
});
const startsAfter1 = [
  {
    term: [2, 0] as const,
    probes: { startup: (up: number) => (up >= 1 ? ('success' as const) : ('failure' as const)) },
  },
];

for (const [id, inputs] of [
  ['h-app-crash-sidecar-running plain', []],
  ['h-app-crash-sidecar-running kubelet-restart', [[40, { kind: 'kubeletRestart' }]]],
] as const) {
  test(`${id}: the app restarts at 53, setup is not run again, the phase stays Running`, () => {
    const life = live(
      ideal,
      crash('Always'),
      { runs: { setup: ok(2), side: startsAfter1, app: [{ exit: [50, 1] }, {}] }, inputs },
      100,
    );
    assert.deepEqual([startsOf(life, 'setup'), startsOf(life, 'side'), startsOf(life, 'app')], [[0], [2], [3, 53]]);
    assert.deepEqual([count(life, 'app'), count(life, 'side'), count(life, 'setup')], [1, 0, 0]);
    assert.deepEqual(phases(life), ['Pending', 'Running']);
  });
}

test('h-app-crash-sidecar-running never: the app stays down, the sidecar gets TERM at 53, then Failed', () => {
  const life = live(
    ideal,
    crash('Never'),
    { runs: { setup: ok(2), side: startsAfter1, app: [{ exit: [50, 1] }] } },
    100,
  );
  assert.deepEqual(deeds(life).slice(-2), ['53 stop side 30', '55 stopSandbox']);
  assert.equal(life.state.api.status.phase, 'Failed');
  assert.equal(podAt(life, 54).status.phase, 'Running');
});
