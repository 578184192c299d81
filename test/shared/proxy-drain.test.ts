// The shared cases about the end of a proxy: the agent's part of b-*, and a job's call of /quitquitquit.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  countActive,
  type DrainSettings,
  drainBudget,
  drainDeadlineMs,
  logLine,
  type ProxyInput,
  proxyPolicy,
  type Reading,
} from '../../src/core/proxy/index.ts';
import { rehearse, type World } from '../../src/core/proxy/rehearse.ts';
import { parseDurationMs } from '../../src/core/std/duration.ts';
import { readSharedJson, sharedPath } from './shared.ts';

interface Case {
  readonly minDrain: number;
  readonly terminationDrainDuration: number;
  readonly grace: number;
  readonly sigtermAt: number;
  readonly polls: readonly string[];
  readonly second: readonly string[];
}

const own = { ports: [15021, 15090], by: 'address' } as const;
const terminate: ProxyInput = { kind: 'terminate' };

function settings(of: Partial<Case>, more: Partial<DrainSettings> = {}): DrainSettings {
  return {
    role: 'sidecar',
    compat: 'none',
    without: [],
    exitOnZero: 'connections',
    terminationDrainMs: (of.terminationDrainDuration ?? 5) * 1000,
    minimumDrainMs: (of.minDrain ?? 5) * 1000,
    deadlineMs: of.grace === undefined ? undefined : drainDeadlineMs({ graceMs: of.grace * 1000, preStopMs: 0 }),
    waitForApp: true,
    appPorts: [],
    bootstrap: 'own',
    ...more,
  };
}

function read(name: string): Case {
  return readSharedJson(`cases/${name}/input.json`) as Case;
}

function messages(notes: ReturnType<typeof rehearse>['notes']): string[] {
  return notes.map((note) => logLine(note).message);
}

for (const [bootstrap, stopAt] of [
  ['own', 6],
  ['custom', 20],
] as const) {
  test(`b-active-minus-one: ${bootstrap} bootstrap`, () => {
    const given = read('b-active-minus-one');
    const world: World = {
      inputs: [[given.sigtermAt, terminate]],
      count: () => ({ reading: countActive('', 'connections', own) }),
    };
    const { exitSeconds, notes, trace } = rehearse(proxyPolicy(settings(given, { bootstrap })), world);
    assert.equal(Math.floor(exitSeconds ?? 0), stopAt);
    assert.equal(trace.filter((line) => line.endsWith('count connections')).join(), '6 count connections');
    assert.equal(messages(notes).filter((text) => text.startsWith('connection counter not available')).length, 1);
    assert.ok(!trace.some((line) => line.endsWith('SIGKILL')));
  });
}

test('b-active-minus-one: a body without listeners, or with known ones only, is zero', () => {
  for (const body of ['http.inbound.downstream_cx_active: 3\n', 'listener.0.0.0.0_15021.downstream_cx_active: 3\n'])
    assert.deepEqual(countActive(body, 'connections', own), { kind: 'active', count: 0, skipped: [] });
});

test('b-drain-longer-than-grace', () => {
  const [preStopMs, graceMs] = [20_000, 30_000];
  const manifest = readFileSync(sharedPath('cases/b-drain-longer-than-grace/input.yaml'), 'utf8');
  const duration = (name: string): number =>
    parseDurationMs(new RegExp(`\\b${name}: (\\S+)`).exec(manifest)?.[1] ?? '') ?? Number.NaN;
  assert.deepEqual(
    drainBudget({
      graceMs,
      preStopMs,
      drainMs: duration('terminationDrainDuration'),
      envoyDrainMs: duration('drainDuration'),
    }),
    {
      fits: 'no',
      needMs: 330_000,
      drainsForMs: 10_000,
      lengthenGraceToMs: 332_000,
      shortenDrainToMs: 8000,
      envoyDrainIsCutOff: true,
    },
  );
  assert.deepEqual(['310s', '5m10s', '1.5s', '500ms'].map(parseDurationMs), [310_000, 310_000, 1500, 500]);
  assert.deepEqual(['310', '5 m'].map(parseDurationMs), [undefined, undefined]);
});

test('b-endpoint-propagation: the agent asks for a graceful drain and keeps Envoy until clients know', () => {
  const { endpointRemovalSeenByClients } = readSharedJson('cases/b-endpoint-propagation/input.json') as {
    readonly endpointRemovalSeenByClients: number;
  };
  const { trace, exitSeconds = 0 } = rehearse(proxyPolicy(settings({ grace: 30 }, { exitOnZero: 'off' })), {
    inputs: [[0, terminate]],
  });
  assert.ok(trace.includes('0 /drain_listeners?inboundonly&graceful'));
  assert.ok(exitSeconds > endpointRemovalSeenByClients);
});

test('b-internal-listeners', () => {
  const body = readFileSync(sharedPath('cases/b-internal-listeners/input.txt'), 'utf8');
  assert.deepEqual(countActive(body, 'connections', own), {
    kind: 'active',
    count: 5,
    skipped: ['listener.vip.downstream_cx_active: x', 'broken line without a colon'],
  });
  const quiet = body
    .replace('15006.downstream_cx_active: 3', '15006.downstream_cx_active: 0')
    .replace('9043.downstream_cx_active: 2', '9043.downstream_cx_active: 0');
  assert.equal((countActive(quiet, 'connections', own) as { count: number }).count, 0);
});

test('b-longlived-stream-cap', () => {
  const given = read('b-longlived-stream-cap');
  const {
    exitSeconds = 0,
    final,
    notes,
    trace,
  } = rehearse(proxyPolicy(settings(given)), {
    inputs: [[given.sigtermAt, terminate]],
    count: () => ({ reading: { kind: 'active', count: 1, skipped: [] } }),
  });
  assert.ok(trace.includes('58 SIGTERM') && exitSeconds < given.grace);
  assert.ok(!trace.some((line) => line.endsWith('SIGKILL')));
  assert.deepEqual(final, { at: 'exited', code: 0 });
  const lines = notes.map(logLine);
  assert.equal(lines.find(({ message }) => message === 'draining')?.fields['deadlineMs'], 58_000);
  assert.equal(lines.filter(({ fields }) => fields['connectionsCut'] === 1).length, 1);
});

function replies(polls: readonly string[]): NonNullable<World['count']> {
  return (nth) => {
    const reply = polls[nth];
    const failed = (problem: string): Reading => ({ kind: 'failed', problem });
    if (reply === undefined && nth > polls.length) throw new Error(`a poll too many: ${nth}`);
    if (reply === undefined) return { reading: { kind: 'active', count: 0, skipped: [] } }; // a zero is looked at twice
    if (reply === 'TIMEOUT') return { reading: failed('time-out after 2 s'), afterMs: 2000 };
    if (reply.startsWith('HTTP')) return { reading: failed(reply) };
    return { reading: { kind: 'active', count: Number(reply), skipped: [] } };
  };
}

test('b-stats-timeout-abort: errors between answers never end the wait', () => {
  const given = read('b-stats-timeout-abort');
  const policy = proxyPolicy(settings({ minDrain: given.minDrain, grace: 60 }));
  const { notes } = rehearse(policy, { inputs: [[0, terminate]], count: replies(given.polls) });
  assert.equal(
    notes.filter(({ kind }) => kind === 'active').length,
    given.polls.filter((poll) => /^\d+$/.test(poll)).length,
  );
  assert.deepEqual(notes.at(-1), { kind: 'stopped', because: 'nothing-active' });
});

test('b-stats-timeout-abort: five errors in a row end it, with the reason', () => {
  const given = read('b-stats-timeout-abort');
  const policy = proxyPolicy(settings({ minDrain: given.minDrain, grace: 60 }));
  const { notes } = rehearse(policy, { inputs: [[0, terminate]], count: replies(given.second) });
  assert.deepEqual(notes.at(-1), { kind: 'stopped', because: 'counting-failed' });
  assert.deepEqual(notes.filter(({ kind }) => kind === 'count-failed').at(-1), {
    kind: 'count-failed',
    problem: 'time-out after 2 s',
    errors: 5,
  });
});

test('b-stats-timeout-abort: a poll that hangs holds up neither SIGTERM nor the end of Envoy', () => {
  const policy = proxyPolicy(settings({ grace: 60 }));
  const hanging = { count: () => ({ reading: { kind: 'failed', problem: 'never' } as const, afterMs: 3_600_000 }) };
  const again = rehearse(policy, {
    ...hanging,
    inputs: [
      [0, terminate],
      [7, terminate],
    ],
  });
  assert.equal(again.exitSeconds, 7.01);
  const crashed: ProxyInput = { kind: 'exited', status: { kind: 'signal', name: 'SIGSEGV', number: 11 } };
  assert.deepEqual(
    rehearse(policy, {
      ...hanging,
      inputs: [
        [0, terminate],
        [7, crashed],
      ],
    }).final,
    { at: 'exited', code: 139 },
  );
});

test("a-job-never-completes: a job's call of the quit endpoint ends the proxy at once, with success", () => {
  const { exitSeconds = 0, final } = rehearse(proxyPolicy(settings({ grace: 30 })), {
    inputs: [
      [1, { kind: 'ready' }],
      [20, { kind: 'quit' }],
    ],
  });
  assert.ok(exitSeconds >= 20 && exitSeconds <= 22);
  assert.deepEqual(final, { at: 'exited', code: 0 });
});
