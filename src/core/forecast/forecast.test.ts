import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, PodSpec } from '../pod/index.ts';
import { budgetOf } from './budget.ts';
import { budgetFindings } from './findings.ts';
import { type HookTime, startSteps } from './start.ts';
import { endWords, startWords, stopWords } from './words.ts';

const always = { restartPolicy: 'Always' } as const;
const main = (name: string, rest: object = {}): Container => ({ name, image: 'x', ...rest });
const side = (name: string, rest: object = {}): Container => ({ name, image: 'x', ...always, ...rest });
const hooked = (seconds: number, which = 'preStop') => ({ lifecycle: { [which]: { sleep: { seconds } } } });
const unknownHook = { lifecycle: { preStop: { httpGet: { port: 1 } } } };
const hookTime: HookTime = (container, hook) => {
  const seconds = container.lifecycle?.[hook]?.sleep?.seconds;
  return seconds === undefined ? undefined : seconds * 1000;
};
const seconds = (ms: number) => ms / 1000;

/** container, SIGTERM at the earliest and the latest, SIGKILL at the latest; in seconds */
type Stop = readonly [container: string, earliest: number, latest: number, kill: number];
const budgets: readonly (readonly [name: string, spec: PodSpec, steps: readonly Stop[]])[] = [
  ['one main', { containers: [main('a')] }, [['a', 0, 0, 30]]],
  [
    'a hook inside the grace',
    { terminationGracePeriodSeconds: 10, containers: [main('a', hooked(4))] },
    [['a', 4, 4, 10]],
  ],
  [
    'a hook that leaves 1 s',
    { terminationGracePeriodSeconds: 10, containers: [main('a', hooked(9))] },
    [['a', 9, 9, 11]],
  ],
  [
    'a hook beyond the grace',
    { terminationGracePeriodSeconds: 10, containers: [main('a', hooked(300))] },
    [['a', 10, 10, 12]],
  ],
  ['an unknown hook', { containers: [main('a', unknownHook)] }, [['a', 0, 30, 32]]],
  ['grace 0 counts as 1', { terminationGracePeriodSeconds: 0, containers: [main('a')] }, [['a', 0, 0, 2]]],
  [
    'sidecars wait in reverse order',
    { initContainers: [side('s1', hooked(1)), side('s2')], containers: [main('a', hooked(5))] },
    [
      ['a', 5, 5, 30],
      ['s2', 5, 30, 32],
      ['s1', 5, 30, 32],
    ],
  ],
  [
    'a later sidecar’s hook holds an earlier one',
    { initContainers: [side('s1'), side('s2', hooked(8))], containers: [main('a')] },
    [
      ['a', 0, 0, 30],
      ['s2', 8, 30, 32],
      ['s1', 8, 30, 32],
    ],
  ],
];

for (const [name, spec, steps] of budgets) {
  test(`budget: ${name}`, () => {
    const budget = budgetOf(spec, hookTime);
    assert.deepEqual(
      budget.steps.map(({ container, termMs, killMs }) => [container, ...termMs.map(seconds), seconds(killMs)]),
      steps,
    );
    assert.equal(seconds(budget.overMs), Math.max(...steps.map(([, , , kill]) => kill)));
  });
}

const findings: readonly (readonly [name: string, spec: PodSpec, found: readonly string[]])[] = [
  ['none', { containers: [main('a', hooked(5))] }, []],
  [
    'longer than the grace',
    { terminationGracePeriodSeconds: 10, containers: [main('b'), main('a', hooked(300))] },
    ['error spec.containers[1].lifecycle.preStop: preStop 300 s > grace 10 s'],
  ],
  [
    'the whole grace',
    { terminationGracePeriodSeconds: 10, containers: [main('a', hooked(10))] },
    ['warning spec.containers[0].lifecycle.preStop: preStop 10 s of grace 10 s'],
  ],
  [
    'no grace',
    { terminationGracePeriodSeconds: 0, containers: [main('a', hooked(1))] },
    ['error spec.containers[0].lifecycle.preStop: hook will not finish'],
  ],
  ['unknown', { containers: [main('a', unknownHook)] }, []],
  [
    'a sidecar',
    { initContainers: [side('s', hooked(40))], containers: [main('a')] },
    ['error spec.initContainers[0].lifecycle.preStop: preStop 40 s > grace 30 s'],
  ],
];

for (const [name, spec, found] of findings) {
  test(`budget finding: ${name}`, () => {
    const told = budgetFindings(spec, budgetOf(spec, hookTime)).map(
      ({ severity, path, message }) => `${severity} ${path}: ${message}`,
    );
    assert.deepEqual(
      told.map((text, index) => text.slice(0, found[index]?.length)),
      found,
    );
  });
}

const startup = {
  startupProbe: { exec: { command: ['true'] }, periodSeconds: 2, failureThreshold: 5, initialDelaySeconds: 3 },
};
const gated: PodSpec = {
  initContainers: [main('setup'), side('proxy', startup)],
  containers: [main('app', { ...hooked(4, 'postStart'), readinessProbe: { exec: {}, periodSeconds: 5 } }), main('b')],
};

test('start: what waits for what', () => {
  assert.deepEqual(
    startSteps(gated, hookTime).map(({ container, after, holdsMs, because }) => [
      container,
      after.kind,
      seconds(holdsMs),
      because,
    ]),
    [
      ['setup', 'nothing', Number.POSITIVE_INFINITY, 'works'],
      ['proxy', 'ends', 14, 'startup probe'],
      ['app', 'started', 4, 'postStart hook'],
      ['b', 'begun', 0, 'nothing'],
    ],
  );
});

test('start: in words', () => {
  assert.deepEqual(startWords(startSteps(gated, hookTime)), [
    '1. setup (init) starts first; the next one waits for its end',
    '2. proxy (sidecar) starts when setup has ended with 0; holds the next one up for at most 14s, then it is killed and started again; ready 3s to 6s after its start, if its probes succeed',
    '3. app (main) starts when the startup probe of proxy has succeeded; its postStart hook holds the next one up for 4s; ready 0s to 6s after its start, if its probes succeed',
    '4. b (main) starts right after app',
    'There is no upper bound of the start: an init container may work, or a hook may hang, as long as it likes.',
  ]);
});

test('ends: in words', () => {
  const spec: PodSpec = {
    restartPolicy: 'Never',
    activeDeadlineSeconds: 60,
    initContainers: [main('setup'), side('proxy')],
    containers: [
      main('app', {
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
      }),
    ],
  };
  assert.deepEqual(endWords(spec), [
    'setup (init): exit 0 lets the next one start, any other code fails the pod',
    'proxy (sidecar): started again after any end; nobody else is',
    'app (main): after exit code 42 all containers of the pod begin anew; else done after its end',
    'When all mains are done, its sidecars are told to end and do not count, the pod is Succeeded if every main ended with 0, otherwise Failed.',
    'After 1m the pod fails, whatever runs (activeDeadlineSeconds).',
  ]);
});

test('termination: in words', () => {
  assert.deepEqual(
    stopWords(budgetOf({ initContainers: [side('proxy')], containers: [main('app', hooked(5))] }, hookTime)).slice(1),
    [
      'app (main): its preStop hook takes 5s; SIGTERM at 5s; then it has 25s until SIGKILL',
      'proxy (sidecar): no preStop hook; SIGTERM when app has ended, between 5s and 30s; then it has 2s to 27s until SIGKILL',
      'At worst the last process is gone 32s after the deletion.',
    ],
  );
});
