// Single steps: what is told, what readiness sees, what inputs out of season do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Note, ProxyInput, ProxyState } from './life.ts';
import { beginProxy, dueAtMs, isTerminating, transition } from './machine.ts';
import { logLine, terminationMessage } from './notes.ts';
import { type DrainSettings, improvements, proxyPolicy } from './policy.ts';
import { rehearse } from './rehearse.ts';

const settings: DrainSettings = {
  role: 'sidecar',
  compat: 'none',
  without: [],
  exitOnZero: 'connections',
  terminationDrainMs: 5000,
  minimumDrainMs: 5000,
  deadlineMs: 28_000,
  waitForApp: true,
  appPorts: [8080],
  bootstrap: 'own',
};
const policy = proxyPolicy(settings);

function after(...inputs: readonly ProxyInput['kind'][]): ProxyState {
  let [state] = beginProxy(policy, 0);
  for (const kind of inputs) [state] = transition(policy, state, { kind } as ProxyInput, 0);
  return state;
}

const gates: readonly (readonly [inputs: readonly ProxyInput['kind'][], at: ProxyState['at'], terminating: boolean])[] =
  [
    [[], 'starting', false],
    [['ready'], 'serving', false],
    [['ready', 'ready'], 'serving', false],
    [['ready', 'drain'], 'draining', false],
    [['drain', 'ready'], 'draining', false],
    [['ready', 'terminate'], 'draining', true],
    [['drain', 'terminate'], 'draining', true],
    [['ready', 'terminate', 'terminate'], 'stopping', true],
    [['terminate', 'drain', 'ready', 'app-gone', 'tick'], 'draining', true],
    [['quit'], 'stopping', true],
    [['quit', 'drain', 'ready', 'quit'], 'stopping', true],
  ];
for (const [inputs, at, terminating] of gates) {
  test(`after ${inputs.join(', ') || 'the start'}: ${at}, terminating ${terminating}`, () => {
    const state = after(...inputs);
    assert.equal(state.at, at);
    assert.equal(isTerminating(state), terminating);
  });
}

test('exited takes no input and wants no tick', () => {
  const [gone] = transition(policy, after(), { kind: 'exited', status: { kind: 'code', code: 3 } }, 0);
  assert.deepEqual(transition(policy, gone, { kind: 'terminate' }, 1), [{ at: 'exited', code: 3 }, []]);
  assert.equal(dueAtMs(policy, gone), undefined);
  assert.equal(isTerminating(gone), true);
});

test('an answer that nobody waits for changes nothing', () => {
  const draining = after('terminate');
  const stale: ProxyInput = { kind: 'counted', reading: { kind: 'active', count: 0, skipped: [] } };
  assert.deepEqual(transition(policy, draining, stale, 1), [draining, []]);
  const [gone] = transition(policy, draining, { kind: 'app-gone' }, 1);
  assert.deepEqual(transition(policy, gone, { kind: 'dialled', open: [8080] }, 2), [gone, []]);
});

test('a failed drain request is told and does not stop the drain', () => {
  const draining = after('terminate');
  assert.deepEqual(transition(policy, draining, { kind: 'drain-answered', problem: 'refused' }, 1), [
    draining,
    [{ kind: 'note', note: { kind: 'drain-failed', problem: 'refused' } }],
  ]);
  assert.deepEqual(transition(policy, draining, { kind: 'drain-answered', problem: undefined }, 1), [draining, []]);
});

test('no ports to wait for is said once, at the start, and only where somebody would wait', () => {
  const said = (more: Partial<DrainSettings>): number =>
    beginProxy(proxyPolicy({ ...settings, ...more }), 0)[1].filter(({ kind }) => kind === 'note').length;
  assert.equal(said({}), 0);
  assert.equal(said({ appPorts: [] }), 1);
  assert.equal(said({ appPorts: [], appFiles: ['/running/app'] }), 0);
  assert.equal(said({ appPorts: [], role: 'router' }), 0);
  assert.equal(said({ appPorts: [], waitForApp: false }), 0);
  assert.equal(said({ appPorts: [], compat: 'istio' }), 0);
});

test('--compat istio leaves every improvement out', () => {
  const { has, deadline, app } = proxyPolicy({ ...settings, compat: 'istio' });
  assert.deepEqual(Object.values(has).filter(Boolean), []);
  assert.equal(deadline, undefined);
  assert.deepEqual(app, { kind: 'nobody' });
  for (const name of improvements) assert.equal(proxyPolicy({ ...settings, without: [name] }).has[name], false);
});

test('the log tells the deadline in force, counts that are news, and what was cut', () => {
  const { notes } = rehearse(proxyPolicy({ ...settings, appPorts: [], deadlineMs: 7500 }), {
    inputs: [[0, { kind: 'terminate' }]],
    count: (nth) => ({ reading: { kind: 'active', count: nth === 0 ? 5 : 4, skipped: ['x'] } }),
  });
  assert.deepEqual(notes.slice(1).map(logLine), [
    {
      level: 'info',
      message: 'draining',
      fields: {
        exitOnZero: 'connections',
        atLeastMs: 5000,
        waitsForPorts: [],
        deadlineMs: 7500,
        deadlineIs: 'given',
        leftMs: 7500,
      },
    },
    { level: 'info', message: 'still active', fields: { count: 5 } },
    { level: 'warn', message: 'lines of the counters cannot be read', fields: { count: 1, lines: ['x'] } },
    { level: 'info', message: 'still active', fields: { count: 4 } },
    { level: 'warn', message: 'lines of the counters cannot be read', fields: { count: 1, lines: ['x'] } },
    {
      level: 'warn',
      message: 'stopping the proxy before its work has ended',
      fields: { because: 'deadline', connectionsCut: 4 },
    },
    { level: 'info', message: 'proxy has ended', fields: { because: 'deadline' } },
  ]);
});

const deaths: readonly (readonly [note: Extract<Note, { kind: 'died' }>, message: string])[] = [
  [
    { kind: 'died', status: { kind: 'code', code: 1 }, during: 'starting' },
    'Envoy ended by itself while starting: exit code 1',
  ],
  [
    { kind: 'died', status: { kind: 'signal', name: 'SIGKILL', number: 9 }, during: 'serving' },
    'Envoy ended by itself while serving: signal SIGKILL',
  ],
  [
    { kind: 'died', status: { kind: 'not-started', problem: 'ENOENT' }, during: 'starting' },
    'Envoy ended by itself while starting: cannot be started: ENOENT',
  ],
];
for (const [note, message] of deaths) {
  test(`termination message: ${message}`, () => {
    assert.equal(terminationMessage(note), message);
    assert.equal(logLine(note).level, 'error');
  });
}
