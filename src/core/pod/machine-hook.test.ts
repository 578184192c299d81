// Lives with hooks and their place in the grace: cases HK and the cases h-prestop-exceeds-grace, h-grace-zero.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Input } from './input.ts';
import { c, deeds, events, type Life, live, type Run, writes } from './lab.ts';
import { policyOf } from './policy.ts';
import type { HookHandler } from './spec.ts';

const ideal = policyOf();
const http: HookHandler = { httpGet: { port: 80 } };
const https: HookHandler = { httpGet: { port: 443, scheme: 'HTTPS' } };
const exec: HookHandler = { exec: { command: ['x'] } };
const remove = (at: number, gracePeriodSeconds?: number): readonly [number, Input] => [
  at,
  { kind: 'delete', gracePeriodSeconds },
];
const ends = (life: Life) =>
  life.inputs.flatMap(([atMs, input]) => (input.kind === 'exited' ? [`${atMs / 1000} ${input.exitCode}`] : []));
const hooks = (life: Life) => life.log.flatMap(({ effect }) => (effect.kind === 'runHook' ? [effect] : []));

for (const [id, handler] of [
  ['HK1', exec],
  ['HK2', http],
  ['HK3', https],
] as const) {
  test(`${id}: postStart is asked of the runtime right after the start`, () => {
    const life = live(ideal, { containers: [c('a', { lifecycle: { postStart: handler } })] }, {}, 10);
    assert.deepEqual(
      hooks(life).map((each) => [each.hook, each.handler]),
      [['postStart', handler]],
    );
  });
}

for (const [id, handler] of [
  ['HK4', exec],
  ['HK5', http],
  ['HK6', https],
] as const) {
  test(`${id}: preStop is asked of the runtime when the pod is deleted`, () => {
    const life = live(
      ideal,
      { containers: [c('a', { lifecycle: { preStop: handler } })] },
      { inputs: [remove(5)] },
      60,
    );
    assert.deepEqual(
      hooks(life).map((each) => [each.hook, each.handler]),
      [['preStop', handler]],
    );
  });
}

const sleeping = (seconds: number, grace: number) => ({
  terminationGracePeriodSeconds: grace,
  containers: [c('a', { lifecycle: { preStop: { sleep: { seconds } } } })],
});
const sleeps: readonly (readonly [
  id: string,
  sleep: number,
  grace: number,
  asked: number | undefined,
  least: number,
  most: number,
])[] = [
  ['HK13', 50, 100, undefined, 50, 100],
  ['HK14', 50, 100, 30, 30, 50],
  ['HK16', 0, 30, undefined, 0, 30],
];

for (const [id, sleep, grace, asked, least, most] of sleeps) {
  test(`${id}: preStop sleeps ${sleep}, grace ${asked ?? grace}: gone between ${least} and ${most} s`, () => {
    const life = live(ideal, sleeping(sleep, grace), { inputs: [remove(0, asked)] }, 300);
    const gone = writes(life).find(({ type }) => type === 'DELETED')!.atMs / 1000;
    assert.ok(gone >= least && gone <= most, String(gone));
  });
}

test('HK17: the stop signal of the spec goes to the runtime and into the status, where the gate is on', () => {
  const spec = { os: { name: 'linux' as const }, containers: [c('a', { lifecycle: { stopSignal: 'SIGUSR1' } })] };
  const signals = (on: boolean) => {
    const life = live(policyOf({ gates: { ContainerStopSignals: on } }), spec, { inputs: [remove(5)] }, 60);
    return life.log.flatMap(({ effect }) => (effect.kind === 'stopContainer' ? [effect.signal] : []));
  };
  assert.deepEqual(signals(true), ['SIGUSR1']);
  assert.deepEqual(signals(false), [undefined]);
});

test('HK20: the second main starts only after the postStart of the first has returned', () => {
  const spec = { containers: [c('a', { lifecycle: { postStart: exec } }), c('b')] };
  const life = live(ideal, spec, { runs: { a: [{ postStart: [4] }] } }, 10);
  assert.deepEqual(deeds(life), ['0 createSandbox', '0 start a', '0 postStart a', '4 start b']);
  const running = writes(life).find(({ pod }) => pod.status.phase === 'Running')!.atMs;
  assert.equal(running, 4000);
});

test('a postStart that fails: the container ends with its preStop, and restarts', () => {
  const spec = { containers: [c('a', { lifecycle: { postStart: exec, preStop: exec } })] };
  const life = live(ideal, spec, { runs: { a: [{ postStart: [1, 'no'] }, {}] } }, 5);
  assert.deepEqual(deeds(life), [
    '0 createSandbox',
    '0 start a',
    '0 postStart a',
    '1 preStop a',
    '1 stop a 30',
    '1 start a',
    '1 postStart a',
  ]);
  assert.deepEqual(events(life, 'FailedPostStartHook'), [1]);
  const waiting = writes(life).map(({ pod }) => pod.status.containerStatuses?.[0]?.state.waiting?.reason);
  assert.ok(waiting.includes('PostStartHookError'));
});

test('a postStart that fails under Never: the exit code of the kill decides', () => {
  const spec = { restartPolicy: 'Never' as const, containers: [c('a', { lifecycle: { postStart: exec } })] };
  const life = live(ideal, spec, { runs: { a: [{ postStart: [1, 'no'], term: [0, 143] }] } }, 5);
  assert.equal(life.state.api.status.phase, 'Failed');
});

const hanging = (grace: number, seconds: number) => ({
  terminationGracePeriodSeconds: grace,
  containers: [c('app', { lifecycle: { preStop: { exec: { command: ['sleep', String(seconds)] } } } })],
});
const deafAfter = (seconds: number, fails?: string): Run => ({
  term: 'ignore',
  preStop: fails === undefined ? [seconds] : [seconds, fails],
});
const exceeding: readonly (readonly [id: string, run: Run, hookOver: string, ended: string])[] = [
  ['h-prestop-exceeds-grace hang', deafAfter(300), '10 cancel app, 10 stop app 2', '12 137'],
  ['h-prestop-exceeds-grace short', { ...deafAfter(4), term: [3, 0] }, '4 stop app 6', '7 0'],
  ['h-prestop-exceeds-grace edge', { ...deafAfter(9), term: [5, 0] }, '9 stop app 2', '11 137'],
  ['h-prestop-exceeds-grace fails', { ...deafAfter(1, 'exit 1'), term: [3, 0] }, '1 stop app 9', '4 0'],
];

for (const [id, run, hookOver, ended] of exceeding) {
  test(`${id}: ${hookOver}; ended ${ended}`, () => {
    const life = live(ideal, hanging(10, 300), { runs: { app: [run] }, inputs: [remove(0)] }, 100);
    assert.equal(
      deeds(life)
        .filter((deed) => /cancel|stop app/.test(deed))
        .join(', '),
      hookOver,
    );
    assert.deepEqual(ends(life), [ended]);
    assert.equal(events(life, 'FailedPreStopHook').length, id.endsWith('fails') || id.endsWith('hang') ? 1 : 0);
  });
}

const deafApp: Run = { term: 'ignore', preStop: [20] };
const zeros: readonly (readonly [
  id: string,
  grace: number,
  deletes: readonly (readonly [number, number | undefined])[],
  gone: number,
  stop: string,
  ended: string,
])[] = [
  ['h-grace-zero force', 30, [[0, 0]], 0, '1 stop app 2', '3 137'],
  ['h-grace-zero spec-zero', 0, [[0, undefined]], 0, '1 stop app 2', '3 137'],
  [
    'h-grace-zero shrink',
    30,
    [
      [0, 30],
      [5, 0],
    ],
    5,
    '20 stop app 10',
    '30 137',
  ],
  ['h-grace-zero negative', 30, [[0, -1]], 3, '1 stop app 2', '3 137'],
  [
    'h-grace-zero grow',
    30,
    [
      [0, 10],
      [3, 60],
    ],
    12,
    '10 stop app 2',
    '12 137',
  ],
];

for (const [id, grace, deletes, gone, stop, ended] of zeros) {
  test(`${id}: the object goes at ${gone}; ${stop}; ended ${ended}`, () => {
    const inputs = deletes.map(([at, asked]) => remove(at + 1, asked));
    const life = live(ideal, hanging(grace, 20), { runs: { app: [deafApp] }, inputs }, 100);
    const shift = (text: string) => text.replace(/^[\d.]+/, (at) => String(Number(at) - 1));
    assert.equal(writes(life).find(({ type }) => type === 'DELETED')!.atMs / 1000 - 1, gone);
    assert.deepEqual(
      deeds(life)
        .filter((deed) => deed.includes('stop app'))
        .map(shift),
      [stop],
    );
    assert.deepEqual(ends(life).map(shift), [ended]);
  });
}

test('h-grace-zero: a watch sees a pod that is removed at once marked first, then gone, with no final status', () => {
  const life = live(ideal, hanging(0, 20), { runs: { app: [deafApp] }, inputs: [remove(1)] }, 100);
  const last = writes(life).slice(-2);
  assert.deepEqual(
    last.map(({ type }) => type),
    ['MODIFIED', 'DELETED'],
  );
  assert.ok(last.every(({ pod }) => pod.metadata.deletionTimestamp !== undefined && pod.status.phase === 'Running'));
});
