// Laws over random policies and random schedules.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { ProxyEffect, ProxyInput, ProxyState } from './life.ts';
import { beginProxy, dueAtMs, isTerminating, transition } from './machine.ts';
import { type DrainSettings, improvements, type ProxyPolicy, proxyPolicy } from './policy.ts';
import { rehearse, type World } from './rehearse.ts';
import type { Reading } from './stats.ts';

const settings: fc.Arbitrary<DrainSettings> = fc.record({
  role: fc.constantFrom('sidecar', 'router'),
  compat: fc.constantFrom('istio', 'none', 'none'),
  without: fc.subarray([...improvements], { maxLength: 3 }),
  exitOnZero: fc.constantFrom('off', 'connections', 'requests'),
  terminationDrainMs: fc.integer({ min: 0, max: 40_000 }),
  minimumDrainMs: fc.integer({ min: 0, max: 40_000 }),
  deadlineMs: fc.option(fc.integer({ min: 0, max: 60_000 }), { nil: undefined }),
  waitForApp: fc.boolean(),
  appPorts: fc.subarray([80, 443]),
  appFiles: fc.subarray(['/running/app'], { maxLength: 1 }),
  bootstrap: fc.constantFrom('own', 'custom'),
});
const reading: fc.Arbitrary<Reading> = fc.oneof(
  fc.record({ kind: fc.constant('active' as const), count: fc.nat(3), skipped: fc.constant([]) }),
  fc.constant({ kind: 'absent' as const }),
  fc.constant({ kind: 'failed' as const, problem: 'time-out' }),
);
const outside: fc.Arbitrary<ProxyInput> = fc.constantFrom<ProxyInput>(
  { kind: 'ready' },
  { kind: 'drain' },
  { kind: 'terminate' },
  { kind: 'quit' },
  { kind: 'app-gone' },
  { kind: 'drain-answered', problem: 'refused' },
  { kind: 'tick' },
);
const anyInput: fc.Arbitrary<ProxyInput> = fc.oneof(
  { weight: 8, arbitrary: outside },
  { weight: 3, arbitrary: reading.map((seen): ProxyInput => ({ kind: 'counted', reading: seen })) },
  { weight: 2, arbitrary: fc.subarray([80, 443]).map((open): ProxyInput => ({ kind: 'dialled', open })) },
  { weight: 1, arbitrary: fc.constant<ProxyInput>({ kind: 'exited', status: { kind: 'code', code: 1 } }) },
);
const moves = fc.array(fc.tuple(fc.nat(3000), anyInput), { maxLength: 40 });

interface Seen {
  readonly before: ProxyState;
  readonly input: ProxyInput;
  readonly after: ProxyState;
  readonly effects: readonly ProxyEffect[];
  readonly nowMs: number;
}

function walk(policy: ProxyPolicy, steps: readonly (readonly [number, ProxyInput])[]): Seen[] {
  let [before] = beginProxy(policy, 0);
  let nowMs = 0;
  return steps.map(([wait, input]) => {
    nowMs += wait;
    const [after, effects] = transition(policy, before, input, nowMs);
    const seen = { before, input, after, effects, nowMs };
    before = after;
    return seen;
  });
}

const order: readonly ProxyState['at'][] = ['starting', 'serving', 'draining', 'stopping', 'exited'];

test('law: states only move on; terminating is never taken back; exit is told once', () => {
  fc.assert(
    fc.property(settings, moves, (given, steps) => {
      const seen = walk(proxyPolicy(given), steps);
      for (const { before, after } of seen) {
        assert.ok(order.indexOf(after.at) >= order.indexOf(before.at));
        assert.ok(isTerminating(after) || !isTerminating(before));
      }
      assert.ok(seen.flatMap(({ effects }) => effects).filter(({ kind }) => kind === 'exit').length <= 1);
    }),
    { numRuns: 300 },
  );
});

test("law: Envoy's own exit ends every state at once, with a code that tells who ended it", () => {
  fc.assert(
    fc.property(settings, moves, (given, steps) => {
      const policy = proxyPolicy(given);
      const { after: last, nowMs } = walk(policy, [[0, { kind: 'tick' }], ...steps]).at(-1) as Seen;
      const [gone] = transition(policy, last, { kind: 'exited', status: { kind: 'code', code: 7 } }, nowMs);
      const asked = last.at === 'stopping' || !policy.has['exit-code'];
      assert.deepEqual(gone, last.at === 'exited' ? last : { at: 'exited', code: asked ? 0 : 7 });
    }),
    { numRuns: 300 },
  );
});

test('law: at most one drain request of a kind, none after a stop; no signal before a stop', () => {
  fc.assert(
    fc.property(settings, moves, (given, steps) => {
      const trail = walk(proxyPolicy(given), steps).flatMap(({ effects, after }) =>
        effects.map((effect) => ({ effect, after })),
      );
      const drains = trail.flatMap(({ effect }) => (effect.kind === 'drain' ? [effect.path] : []));
      assert.ok(drains.length <= 1, drains.join());
      for (const { effect, after } of trail) if (effect.kind === 'signal') assert.equal(after.at, 'stopping');
    }),
    { numRuns: 300 },
  );
});

test('law: a tick at its due moment changes something; one before it does nothing', () => {
  fc.assert(
    fc.property(settings, moves, (given, steps) => {
      const policy = proxyPolicy(given);
      for (const { after, nowMs } of walk(policy, steps)) {
        const due = dueAtMs(policy, after);
        if (due === undefined) continue;
        const [state, effects] = transition(policy, after, { kind: 'tick' }, Math.max(due, nowMs));
        assert.ok(effects.length > 0 || JSON.stringify(state) !== JSON.stringify(after));
        if (due > nowMs + 1) assert.deepEqual(transition(policy, after, { kind: 'tick' }, due - 1), [after, []]);
      }
    }),
    { numRuns: 300 },
  );
});

const worlds: fc.Arbitrary<World> = fc
  .record({
    inputs: fc.array(
      fc.tuple(fc.nat(40), fc.constantFrom<ProxyInput>({ kind: 'ready' }, { kind: 'drain' }, { kind: 'tick' })),
      {
        maxLength: 4,
      },
    ),
    sigterm: fc.nat(40),
    readings: fc.array(reading, { minLength: 1, maxLength: 8 }),
    latency: fc.nat(2000),
    goneAt: fc.nat(120),
    endsAfterMs: fc.constantFrom<number | 'never'>(5, 900, 'never'),
  })
  .map(({ inputs, sigterm, readings, latency, goneAt, endsAfterMs }) => ({
    inputs: [...inputs, [sigterm, { kind: 'terminate' }] as const],
    count: (nth) => ({ reading: readings[nth % readings.length] as Reading, afterMs: latency }),
    open: (at) => (at < goneAt ? [80] : []),
    appGoneSeconds: goneAt,
    endsAfterMs,
  }));

function sigtermSeconds({ inputs }: World): number {
  return inputs.find(([, { kind }]) => kind === 'terminate')?.[0] ?? 0;
}

test('law: with a deadline the agent leaves in time, with success, whatever the counters and the application do', () => {
  fc.assert(
    fc.property(settings, worlds, (given, world) => {
      const policy = proxyPolicy({ ...given, compat: 'none', without: [] });
      const { exitSeconds, final } = rehearse(policy, world);
      const deadline = (policy.deadline?.ms ?? 0) / 1000;
      assert.ok((exitSeconds ?? Infinity) <= sigtermSeconds(world) + deadline + 1.01);
      assert.deepEqual(final, { at: 'exited', code: 0 });
    }),
    { numRuns: 300 },
  );
});

test('law: nothing but the deadline cuts the minimum short, and Envoy outlives an application that is waited for', () => {
  fc.assert(
    fc.property(settings, worlds, (given, world) => {
      const policy = proxyPolicy({ ...given, compat: 'none', without: [], deadlineMs: 3_000_000 });
      const { exitSeconds = Infinity, trace } = rehearse(policy, world);
      if (trace.some((line) => line.includes('skip_exit'))) return;
      const least = (policy.exitOnZero === 'off' ? policy.terminationDrainMs : policy.minimumDrainMs) / 1000;
      assert.ok(exitSeconds >= sigtermSeconds(world) + least - 0.001);
      if (policy.app.kind === 'processes') assert.ok(exitSeconds >= (world.appGoneSeconds ?? Infinity));
      if (policy.app.kind === 'ports')
        assert.ok(exitSeconds >= (world.open?.(sigtermSeconds(world)).length === 0 ? 0 : 1));
      const stop = trace.find((line) => line.endsWith('SIGTERM'));
      if (policy.app.kind === 'ports') assert.deepEqual(world.open?.(Number(stop?.split(' ')[0])), []);
    }),
    { numRuns: 300 },
  );
});

/** Something is active until then; a look takes the time that it takes. */
const activity = fc.record({
  endsAtMs: fc.integer({ min: 1000, max: 20_000 }),
  lookMs: fc.integer({ min: 0, max: 400 }),
});

test('law: the agent leaves within a second of the last request, and looks take Envoy a tenth of the time at most', () => {
  fc.assert(
    fc.property(activity, fc.constantFrom('connections', 'requests'), ({ endsAtMs, lookMs }, exitOnZero) => {
      const looks: number[] = [];
      const { exitSeconds = Infinity } = rehearse(promptly({ exitOnZero }), {
        inputs: [[0, { kind: 'terminate' }]],
        count: (_, atSeconds) => {
          const atMs = Math.round(atSeconds * 1000);
          looks.push(atMs);
          const count = atMs < endsAtMs ? 1 : 0;
          return { reading: { kind: 'active', count, skipped: [] }, afterMs: lookMs };
        },
      });
      const untilZero = looks.filter((atMs) => atMs < endsAtMs);
      for (const [nth, atMs] of untilZero.slice(1).entries())
        assert.ok(atMs - (untilZero[nth] as number) >= Math.min(1000, Math.max(250, lookMs * 10)));
      const slowestMs = Math.min(1000, Math.max(250, lookMs * 10)) + 250 + 2 * lookMs + 10;
      assert.ok(exitSeconds * 1000 - endsAtMs <= slowestMs, `${exitSeconds} s, looks at ${looks.join()}`);
      if (lookMs <= 45) assert.ok(exitSeconds * 1000 - endsAtMs <= 1000);
    }),
    { numRuns: 300 },
  );
});

test('law: as upstream two looks are a second apart, and the first zero ends the drain', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }), fc.nat(900), (counts, lookMs) => {
      const looks: number[] = [];
      const { exitSeconds = Infinity } = rehearse(promptly({ compat: 'istio' }), {
        inputs: [[0, { kind: 'terminate' }]],
        count: (nth, atSeconds) => {
          looks.push(atSeconds);
          return { reading: { kind: 'active', count: counts[nth] ?? 0, skipped: [] }, afterMs: lookMs };
        },
      });
      const zeroAt = [...counts, 0].indexOf(0);
      assert.deepEqual(
        looks,
        Array.from({ length: zeroAt + 1 }, (_, nth) => nth + 1),
      );
      assert.ok(exitSeconds <= zeroAt + 1 + lookMs / 1000 + 0.01);
    }),
    { numRuns: 100 },
  );
});

function promptly(more: Partial<DrainSettings>): ProxyPolicy {
  const zero = { role: 'sidecar', compat: 'none', without: [], exitOnZero: 'connections', minimumDrainMs: 0 } as const;
  const rest = { terminationDrainMs: 0, deadlineMs: 60_000, waitForApp: true, appPorts: [], bootstrap: 'own' } as const;
  return proxyPolicy({ ...zero, ...rest, ...more });
}

test('law: as upstream nobody dials, nothing is bounded, every end is a success', () => {
  fc.assert(
    fc.property(settings, moves, (given, steps) => {
      const seen = walk(proxyPolicy({ ...given, compat: 'istio' }), steps);
      for (const { effects } of seen)
        for (const effect of effects) {
          assert.notEqual(effect.kind, 'dial');
          if (effect.kind === 'signal') assert.equal(effect.signal, 'SIGKILL');
          if (effect.kind === 'exit') assert.equal(effect.code, 0);
          if (effect.kind === 'note' && effect.note.kind === 'stopping')
            assert.ok(effect.note.because !== 'deadline' && effect.note.because !== 'hastened');
        }
    }),
    { numRuns: 300 },
  );
});
