import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { prng } from '../std/prng.ts';
import { type Effect, type Input, initialState, transition, usualPolicy } from './machine.ts';

type Fault = 'none' | 'close' | 'fail' | 'gone' | 'silence';
const faults = fc.constantFrom<Fault>('none', 'close', 'fail', 'gone', 'silence');
const writes = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() });
const schedule = fc.array(fc.record({ fault: faults, write: writes }), { maxLength: 60 });

test('whatever fails, a copy that hears the server again equals it, and one request runs at a time', () => {
  fc.assert(
    fc.property(schedule, fc.nat(), (steps, seed) => {
      const world = simulate(seed);
      for (const { fault, write } of steps) {
        world.write(write.key, write.remove);
        world.run(fault);
      }
      for (let i = 0; i < 6; i++) world.run('none');
      assert.deepEqual(world.copy(), world.truth());
    }),
    { numRuns: 300 },
  );
});

/** A server with a log of changes, and the machine as its client. */
function simulate(seed: number) {
  const chance = prng(seed);
  let nowMs = 0;
  let version = 1;
  let oldest = 0;
  const objects = new Map<string, number>();
  const log: { readonly version: number; readonly key: string; readonly gone: boolean }[] = [];
  const copy = new Set<string>();
  let state = initialState(0);
  let request: Extract<Effect, { kind: 'list' | 'watch' }> | undefined;
  let timer = 0;

  const feed = (input: Input): void => {
    const [next, effects] = transition(state, input, { policy: usualPolicy, prng: chance, nowMs });
    state = next;
    if (input.kind === 'page' || input.kind === 'failed' || input.kind === 'closed') request = undefined;
    for (const effect of effects) perform(effect);
  };
  const perform = (effect: Effect): void => {
    if (effect.kind === 'abort') request = undefined;
    if (effect.kind === 'timer') timer = effect.atMs;
    if (effect.kind === 'put') copy.add(effect.key);
    if (effect.kind === 'remove') copy.delete(effect.key);
    if (effect.kind !== 'list' && effect.kind !== 'watch') return;
    assert.equal(request, undefined, 'a request is still running');
    request = effect;
  };
  const serve = (): void => {
    if (request?.kind === 'list') {
      const items = Array.from(objects, ([key, each]) => ({ key, version: String(each) }));
      return feed({ kind: 'page', items, version: String(version) });
    }
    if (request?.kind !== 'watch') return;
    const from = Number(request.version);
    if (from < oldest) return feed({ kind: 'failed', status: 410 });
    for (const entry of log.filter((each) => each.version > Number(state.version)))
      feed({ kind: entry.gone ? 'deleted' : 'changed', item: { key: entry.key, version: String(entry.version) } });
  };
  const fault = (kind: Fault): void => {
    if (kind === 'close' && request?.kind === 'watch') feed({ kind: 'closed' });
    if (kind === 'fail' && request !== undefined) feed({ kind: 'failed', status: 500 });
    if (kind === 'gone') oldest = version;
    if (kind === 'silence') [nowMs] = [Math.max(nowMs, timer)];
  };
  feed({ kind: 'start' });
  return {
    write: (key: string, remove: boolean) => {
      version++;
      if (remove && !objects.delete(key)) return;
      if (!remove) objects.set(key, version);
      log.push({ version, key, gone: remove });
    },
    run: (kind: Fault) => {
      nowMs += 1000;
      fault(kind);
      if (nowMs >= timer || request === undefined) {
        nowMs = Math.max(nowMs, timer);
        feed({ kind: 'due' });
      }
      if (kind === 'none') for (let i = 0; i < 3; i++) serve();
    },
    copy: () => [...copy].sort(),
    truth: () => [...objects.keys()].sort(),
  };
}
