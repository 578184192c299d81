// Whole lives in virtual time: what the agent does at which second. The last argument of a row is the trace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProxyInput } from './life.ts';
import { type DrainSettings, proxyPolicy } from './policy.ts';
import { rehearse, type World } from './rehearse.ts';
import type { Reading } from './stats.ts';

export const usual: DrainSettings = {
  role: 'sidecar',
  compat: 'none',
  without: [],
  exitOnZero: 'off',
  terminationDrainMs: 5000,
  minimumDrainMs: 5000,
  deadlineMs: 28_000,
  waitForApp: true,
  appPorts: [],
  bootstrap: 'own',
};
const ready: ProxyInput = { kind: 'ready' };
const terminate: ProxyInput = { kind: 'terminate' };
const drain: ProxyInput = { kind: 'drain' };
const quit: ProxyInput = { kind: 'quit' };
const active = (count: number): { reading: Reading } => ({ reading: { kind: 'active', count, skipped: [] } });
const failed = { reading: { kind: 'failed', problem: 'time-out' } } as const;
const inbound = '/drain_listeners?inboundonly&graceful';

const rows: readonly (readonly [
  what: string,
  settings: Partial<DrainSettings>,
  world: World,
  trace: readonly string[],
])[] = [
  [
    'SIGTERM: drain, the drain duration, stop',
    {},
    {
      inputs: [
        [1, ready],
        [10, terminate],
      ],
    },
    ['0 start', `10 ${inbound}`, '15 SIGTERM', '15.01 exit 0'],
  ],
  [
    'a router drains outbound too',
    { role: 'router', appPorts: [80] },
    { inputs: [[0, terminate]] },
    ['0 start', '0 /drain_listeners?graceful', '5 SIGTERM', '5.01 exit 0'],
  ],
  [
    'as upstream: the status port closes, Envoy is killed',
    { compat: 'istio' },
    { inputs: [[0, terminate]] },
    ['0 start', `0 ${inbound}`, '0 close-status', '5 SIGKILL', '5.001 exit 0'],
  ],
  [
    'the drain duration is longer than the deadline',
    { terminationDrainMs: 310_000 },
    { inputs: [[0, terminate]] },
    ['0 start', `0 ${inbound}`, '28 SIGTERM', '28.01 exit 0'],
  ],
  [
    'as upstream there is no deadline',
    { terminationDrainMs: 310_000, compat: 'istio' },
    { inputs: [[0, terminate]] },
    ['0 start', `0 ${inbound}`, '0 close-status', '310 SIGKILL', '310.001 exit 0'],
  ],
  [
    'an assumed deadline gives way to a longer drain that somebody configured',
    { terminationDrainMs: 60_000, deadlineMs: undefined },
    { inputs: [[0, terminate]] },
    ['0 start', `0 ${inbound}`, '60 SIGTERM', '60.01 exit 0'],
  ],
  [
    'exit on zero: minimum, then looks until nothing is active twice in a row',
    { exitOnZero: 'connections', terminationDrainMs: 90_000 },
    { inputs: [[0, terminate]], count: (nth) => active([2, 0, 1, 0, 0][nth] ?? 9) },
    [
      '0 start',
      `0 ${inbound}`,
      '6 count connections',
      '6.25 count connections',
      '6.5 count connections',
      '6.75 count connections',
      '7 count connections',
      '7.001 SIGTERM',
      '7.011 exit 0',
    ],
  ],
  [
    'exit on zero as upstream: minimum, then a look each second until nothing is active',
    { exitOnZero: 'connections', terminationDrainMs: 90_000, compat: 'istio' },
    { inputs: [[0, terminate]], count: (nth) => active([2, 0, 1, 0, 0][nth] ?? 9) },
    [
      '0 start',
      `0 ${inbound}`,
      '0 close-status',
      '6 count connections',
      '7 count connections',
      '7.001 SIGKILL',
      '7.002 exit 0',
    ],
  ],
  [
    'the prompt exit is switched off by name',
    { exitOnZero: 'connections', minimumDrainMs: 0, without: ['prompt-exit'] },
    { inputs: [[0, terminate]], count: (nth) => active([2, 0, 1, 0, 0][nth] ?? 9) },
    ['0 start', `0 ${inbound}`, '1 count connections', '2 count connections', '2.001 SIGTERM', '2.011 exit 0'],
  ],
  [
    'looks that take Envoy long come less often, but a zero is looked at again soon',
    { exitOnZero: 'connections', minimumDrainMs: 0 },
    {
      inputs: [[0, terminate]],
      count: (nth) => ({ ...active(nth < 3 ? 1 : 0), afterMs: [10, 50, 300, 20, 20][nth] ?? 9000 }),
    },
    [
      '0 start',
      `0 ${inbound}`,
      '1 count connections',
      '1.25 count connections',
      '1.75 count connections',
      '2.75 count connections',
      '3 count connections',
      '3.02 SIGTERM',
      '3.03 exit 0',
    ],
  ],
  [
    'exit on zero for requests',
    { exitOnZero: 'requests', minimumDrainMs: 0 },
    { inputs: [[0, terminate]], count: () => active(0) },
    ['0 start', `0 ${inbound}`, '1 count requests', '1.001 SIGTERM', '1.011 exit 0'],
  ],
  [
    'exit on zero, never zero: the assumed deadline ends it',
    { exitOnZero: 'connections', deadlineMs: undefined, minimumDrainMs: 23_000 },
    { inputs: [[0, terminate]], count: () => ({ ...active(1), afterMs: 100 }) },
    ['0 start', `0 ${inbound}`, '24 count connections', '25 SIGTERM', '25.01 exit 0'],
  ],
  [
    'a slow answer delays the next question, it does not double it',
    { exitOnZero: 'connections', minimumDrainMs: 0 },
    { inputs: [[0, terminate]], count: (nth) => (nth === 0 ? { ...failed, afterMs: 2000 } : active(0)) },
    [
      '0 start',
      `0 ${inbound}`,
      '1 count connections',
      '3 count connections',
      '3.25 count connections',
      '3.251 SIGTERM',
      '3.261 exit 0',
    ],
  ],
  [
    'five errors in a row end the wait',
    { exitOnZero: 'connections', minimumDrainMs: 0 },
    { inputs: [[0, terminate]], count: (nth) => (nth === 1 ? active(3) : failed) },
    [
      '0 start',
      `0 ${inbound}`,
      '1 count connections',
      '2 count connections',
      '2.25 count connections',
      '3.25 count connections',
      '4.25 count connections',
      '5.25 count connections',
      '6.25 count connections',
      '6.251 SIGTERM',
      '6.261 exit 0',
    ],
  ],
  [
    'no counter with a custom bootstrap, as upstream: stop at once',
    { exitOnZero: 'connections', bootstrap: 'custom', compat: 'istio' },
    { inputs: [[0, terminate]] },
    ['0 start', `0 ${inbound}`, '0 close-status', '6 count connections', '6.001 SIGKILL', '6.002 exit 0'],
  ],
  [
    '/drain keeps listening; the SIGTERM after it stops at once',
    {},
    {
      inputs: [
        [1, ready],
        [2, drain],
        [3, drain],
        [20, terminate],
      ],
    },
    ['0 start', `2 ${inbound}&skip_exit`, '20 SIGTERM', '20.01 exit 0'],
  ],
  [
    '/drain without SIGTERM never ends Envoy: the application still runs',
    { deadlineMs: 10_000 },
    {
      inputs: [
        [0, drain],
        [50, ready],
      ],
    },
    ['0 start', `0 ${inbound}&skip_exit`],
  ],
  [
    '/drain, then SIGTERM: exit on zero still waits for the last answer, and asks at once',
    { exitOnZero: 'connections', appPorts: [80] },
    {
      inputs: [
        [0, drain],
        [20, terminate],
      ],
      count: (nth) => active(Math.max(0, 1 - nth)),
      open: () => [80],
    },
    [
      '0 start',
      `0 ${inbound}&skip_exit`,
      '20 count connections',
      '20.25 count connections',
      '20.5 count connections',
      '20.501 SIGTERM',
      '20.511 exit 0',
    ],
  ],
  [
    'as upstream, /drain then SIGTERM does not wait',
    { exitOnZero: 'connections', compat: 'istio' },
    {
      inputs: [
        [0, drain],
        [20, terminate],
      ],
      count: () => active(1),
    },
    ['0 start', `0 ${inbound}&skip_exit`, '20 SIGKILL', '20 close-status', '20.001 exit 0'],
  ],
  [
    'the clock of the deadline starts at /drain',
    { exitOnZero: 'connections' },
    {
      inputs: [
        [0, drain],
        [27, terminate],
      ],
      count: () => ({ ...active(1), afterMs: 100 }),
    },
    ['0 start', `0 ${inbound}&skip_exit`, '27 count connections', '28 SIGTERM', '28.01 exit 0'],
  ],
  [
    'SIGTERM after the deadline stops at once',
    { exitOnZero: 'connections' },
    {
      inputs: [
        [0, drain],
        [40, terminate],
      ],
      count: () => active(1),
    },
    ['0 start', `0 ${inbound}&skip_exit`, '40 SIGTERM', '40.01 exit 0'],
  ],
  [
    'Envoy outlives the application: two refusals in a row',
    { appPorts: [80, 81], terminationDrainMs: 1000 },
    { inputs: [[0, terminate]], open: (at) => (at < 2 ? [80] : at === 3 ? [81] : []) },
    [
      '0 start',
      `0 ${inbound}`,
      '0 dial 80,81',
      '1 dial 80,81',
      '2 dial 80,81',
      '3 dial 80,81',
      '4 dial 80,81',
      '5 dial 80,81',
      '5.001 SIGTERM',
      '5.011 exit 0',
    ],
  ],
  [
    'the application is gone, but the drain duration is not over',
    { appPorts: [80], terminationDrainMs: 3000 },
    { inputs: [[0, terminate]] },
    ['0 start', `0 ${inbound}`, '0 dial 80', '1 dial 80', '3 SIGTERM', '3.01 exit 0'],
  ],
  [
    'nothing active, but the application still runs; then something is active again',
    { appPorts: [80], exitOnZero: 'connections', minimumDrainMs: 0 },
    { inputs: [[0, terminate]], count: (nth) => active(nth === 2 ? 1 : 0), open: (at) => (at < 2 ? [80] : []) },
    [
      '0 start',
      `0 ${inbound}`,
      '0 dial 80',
      '1 count connections',
      '1 dial 80',
      '2 count connections',
      '2 dial 80',
      '3 count connections',
      '3 dial 80',
      '3.25 count connections',
      '3.5 count connections',
      '3.501 SIGTERM',
      '3.511 exit 0',
    ],
  ],
  [
    'nothing active while the application runs; then no answer: the old zero does not count',
    { appPorts: [80], exitOnZero: 'connections', minimumDrainMs: 0 },
    {
      inputs: [[0, terminate]],
      count: (nth) => (nth === 0 || nth >= 3 ? active(0) : failed),
      open: (at) => (at < 1 ? [80] : []),
    },
    [
      '0 start',
      `0 ${inbound}`,
      '0 dial 80',
      '1 count connections',
      '1 dial 80',
      '2 count connections',
      '2 dial 80',
      '3 count connections',
      '4 count connections',
      '4.25 count connections',
      '4.251 SIGTERM',
      '4.261 exit 0',
    ],
  ],
  [
    'an application that never ends: the deadline',
    { appPorts: [80], deadlineMs: 1500, terminationDrainMs: 0 },
    { inputs: [[0, terminate]], open: () => [80] },
    ['0 start', `0 ${inbound}`, '0 dial 80', '1 dial 80', '1.5 SIGTERM', '1.51 exit 0'],
  ],
  [
    'who sees processes says that the application is gone',
    { appPorts: [80], terminationDrainMs: 0 },
    {
      inputs: [
        [0, terminate],
        [0.5, { kind: 'app-gone' }],
      ],
      open: () => [80],
    },
    ['0 start', `0 ${inbound}`, '0 dial 80', '0.5 SIGTERM', '0.51 exit 0'],
  ],
  [
    'processes count, not ports: they refuse already while the application finishes',
    { appPorts: [80], appFiles: ['/running/app'], terminationDrainMs: 0 },
    { inputs: [[1, terminate]], appGoneSeconds: 3.25 },
    ['0 start', `1 ${inbound}`, '1 watch /running/app', '3.25 SIGTERM', '3.26 exit 0'],
  ],
  [
    'an application whose processes never end: the deadline',
    { appFiles: ['/running/app'], deadlineMs: 1500, terminationDrainMs: 0 },
    { inputs: [[0, terminate]] },
    ['0 start', `0 ${inbound}`, '0 watch /running/app', '1.5 SIGTERM', '1.51 exit 0'],
  ],
  [
    'after /drain nobody is watched',
    { appFiles: ['/running/app'], exitOnZero: 'connections', minimumDrainMs: 0 },
    {
      inputs: [
        [0, drain],
        [2, terminate],
      ],
      count: () => active(0),
    },
    ['0 start', `0 ${inbound}&skip_exit`, '2 count connections', '2.001 SIGTERM', '2.011 exit 0'],
  ],
  [
    'waiting for the application is switched off by name',
    { appPorts: [80], terminationDrainMs: 0, without: ['wait-for-app'] },
    { inputs: [[0, terminate]], open: () => [80] },
    ['0 start', `0 ${inbound}`, '0 SIGTERM', '0.01 exit 0'],
  ],
  [
    'a second SIGTERM ends the drain, a third kills',
    {},
    {
      inputs: [
        [0, terminate],
        [1, terminate],
        [1.5, terminate],
      ],
      endsAfterMs: 'never',
    },
    ['0 start', `0 ${inbound}`, '1 SIGTERM', '1.5 SIGKILL', '1.501 exit 0'],
  ],
  [
    'as upstream, later SIGTERMs change nothing',
    { compat: 'istio' },
    {
      inputs: [
        [0, terminate],
        [1, terminate],
        [1.5, terminate],
      ],
    },
    ['0 start', `0 ${inbound}`, '0 close-status', '5 SIGKILL', '5.001 exit 0'],
  ],
  [
    'an Envoy that does not end on SIGTERM is killed a second later',
    {},
    { inputs: [[0, quit]], endsAfterMs: 'never' },
    ['0 start', '0 SIGTERM', '1 SIGKILL', '1.001 exit 0'],
  ],
  [
    '/quitquitquit during the drain',
    {},
    {
      inputs: [
        [0, terminate],
        [2, quit],
      ],
    },
    ['0 start', `0 ${inbound}`, '2 SIGTERM', '2.01 exit 0'],
  ],
  [
    '/quitquitquit after /drain',
    {},
    {
      inputs: [
        [0, drain],
        [2, quit],
      ],
    },
    ['0 start', `0 ${inbound}&skip_exit`, '2 SIGTERM', '2.01 exit 0'],
  ],
  [
    'Envoy ends by itself before it was ready',
    {},
    { inputs: [[1, { kind: 'exited', status: { kind: 'code', code: 1 } }]] },
    ['0 start', '1 exit 1'],
  ],
  [
    'Envoy is killed while it serves',
    {},
    {
      inputs: [
        [1, ready],
        [9, { kind: 'exited', status: { kind: 'signal', name: 'SIGKILL', number: 9 } }],
      ],
    },
    ['0 start', '9 exit 137'],
  ],
  [
    'Envoy crashes during the drain',
    {},
    {
      inputs: [
        [0, terminate],
        [2, { kind: 'exited', status: { kind: 'signal', name: 'SIGSEGV', number: 11 } }],
      ],
    },
    ['0 start', `0 ${inbound}`, '2 exit 139'],
  ],
  [
    'as upstream, every end is a success',
    { compat: 'istio' },
    { inputs: [[9, { kind: 'exited', status: { kind: 'signal', name: 'SIGSEGV', number: 11 } }]] },
    ['0 start', '9 exit 0'],
  ],
  [
    'Envoy cannot be started',
    {},
    { inputs: [[0, { kind: 'exited', status: { kind: 'not-started', problem: 'ENOENT' } }]] },
    ['0 start', '0 exit 127'],
  ],
];
for (const [what, settings, world, trace] of rows) {
  test(`a proxy's life: ${what}`, () => {
    assert.deepEqual(rehearse(proxyPolicy({ ...usual, ...settings }), world).trace, trace);
  });
}
