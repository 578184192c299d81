import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prng } from '../std/prng.ts';
import { type Effect, type Input, initialState, type Policy, type State, transition, usualPolicy } from './machine.ts';

/** A schedule of inputs, each with its time; what came out, in short words. */
function play(
  inputs: readonly (readonly [atMs: number, input: Input])[],
  changes: Partial<Policy> = {},
): { state: State; said: string[] } {
  const policy = { ...usualPolicy, watchSpreadSeconds: 0, ...changes };
  const chance = prng(1);
  let state = initialState(0);
  const said: string[] = [];
  for (const [nowMs, input] of inputs) {
    const [next, effects] = transition(state, input, { policy, prng: chance, nowMs });
    state = next;
    said.push(...effects.map((effect) => word(effect)));
  }
  return { state, said: said.filter((each) => each !== 'timer') };
}

function word(effect: Effect): string {
  switch (effect.kind) {
    case 'list':
      return effect.continue === undefined ? `list ${effect.limit}` : `list ${effect.limit} from ${effect.continue}`;
    case 'watch':
      return `watch ${effect.version}`;
    case 'put':
    case 'remove':
      return `${effect.kind} ${effect.key}`;
    default:
      return effect.kind;
  }
}

const start: Input = { kind: 'start' };
const due: Input = { kind: 'due' };
const page = (version: string, items: readonly string[], more?: string): Input => ({
  kind: 'page',
  version,
  items: items.map((each) => ({ key: each.split('@')[0] ?? '', version: each.split('@')[1] ?? '' })),
  ...(more === undefined ? {} : { continue: more }),
});
const item = (kind: 'changed' | 'deleted', key: string, version: string): Input => ({ kind, item: { key, version } });
const gone: Input = { kind: 'failed', status: 410 };

test('pages, changes, a bookmark, a good end: the watch goes on from the newest version', () => {
  const { said } = play([
    [0, start],
    [10, page('100', ['a@1'], 'token')],
    [20, page('100', ['b@2'])],
    [30, item('changed', 'c', '110')],
    [40, item('deleted', 'a', '120')],
    [50, { kind: 'bookmark', version: '180' }],
    [60_000, { kind: 'closed' }],
  ]);
  assert.deepEqual(said, [
    'list 500',
    'put a',
    'list 500 from token',
    'put b',
    'synced',
    'watch 100',
    'put c',
    'remove a',
    'watch 180',
  ]);
});

test('a version that is gone: a new list, and only what differs is told', () => {
  const { said } = play([
    [0, start],
    [10, page('100', ['p1@90', 'p2@95'])],
    [20, item('changed', 'p3', '110')],
    [30, { kind: 'bookmark', version: '180' }],
    [60_000, { kind: 'closed' }],
    [60_010, gone],
    [61_100, due],
    [61_200, page('300', ['p1@90', 'p3@250'])],
  ]);
  assert.deepEqual(said.slice(6), ['watch 180', 'list 500', 'put p3', 'remove p2', 'watch 300']);
});

test('a continue token that is gone: the next list is not paged', () => {
  const { said } = play([
    [0, start],
    [10, page('1', ['a@1'], 'token')],
    [20, gone],
    [5000, due],
    [5010, page('9', ['a@1'])],
  ]);
  assert.deepEqual(said, ['list 500', 'put a', 'list 500 from token', 'list 0', 'synced', 'watch 9']);
});

test('a watch that says nothing ends by our own clock, after the time that the server was given', () => {
  const inputs: readonly (readonly [number, Input])[] = [
    [0, start],
    [10, page('10', ['p1@5'])],
    [20, item('changed', 'p1', '11')],
    [244_000, due],
    [245_010, due],
  ];
  const { said } = play(inputs, { watchSeconds: 240 });
  assert.deepEqual(said.slice(4), ['put p1', 'abort', 'watch 11']);
});

test('from the first bookmark on, silence ends a watch sooner', () => {
  const inputs: readonly (readonly [number, Input])[] = [
    [0, start],
    [10, page('10', [])],
    [60_000, { kind: 'bookmark', version: '20' }],
    [120_000, { kind: 'bookmark', version: '30' }],
    [210_000, due],
    [270_000, due],
  ];
  assert.deepEqual(play(inputs).said.slice(3), ['abort', 'watch 30']);
});

test('a list without an answer is given up and tried again', () => {
  assert.deepEqual(
    play([
      [0, start],
      [35_000, due],
      [36_100, due],
    ]).said,
    ['list 500', 'abort', 'list 500'],
  );
});

test('start while it runs, and anything after stop, does nothing', () => {
  const { state, said } = play([
    [0, start],
    [1, start],
    [2, { kind: 'stop' }],
    [3, page('1', [])],
    [4, due],
    [5, { kind: 'stop' }],
  ]);
  assert.equal(state.at, 'stopped');
  assert.deepEqual(said, ['list 500', 'abort']);
});

test('an outage of a minute: few requests, ever farther apart, and back within half a minute', () => {
  for (let seed = 0; seed < 50; seed++) {
    const chance = prng(seed);
    const circumstances = (nowMs: number) => ({ policy: usualPolicy, prng: chance, nowMs });
    let [state, effects] = transition(initialState(0), start, circumstances(0));
    const requests: number[] = [0];
    let nowMs = 0;
    while (nowMs < 60_000) {
      [state, effects] = transition(state, { kind: 'failed' }, circumstances(nowMs));
      const timer = effects.find((effect) => effect.kind === 'timer');
      assert.ok(timer !== undefined);
      nowMs = timer.atMs;
      [state, effects] = transition(state, due, circumstances(nowMs));
      requests.push(nowMs);
    }
    assert.ok(requests.length - 1 <= 12, `seed ${seed}: ${requests.length - 1} requests`);
    assert.ok(nowMs <= 90_000, `seed ${seed}: back after ${nowMs} ms`);
    for (let i = 1; i < requests.length; i++) assert.ok((requests[i] ?? 0) - (requests[i - 1] ?? 0) >= 500);
  }
});

test('the server may ask to wait longer', () => {
  const chance = prng(1);
  const [state] = transition(initialState(0), start, { policy: usualPolicy, prng: chance, nowMs: 0 });
  const [, effects] = transition(
    state,
    { kind: 'failed', status: 429, retryAfterMs: 7000 },
    { policy: usualPolicy, prng: chance, nowMs: 5 },
  );
  assert.deepEqual(effects, [{ kind: 'timer', atMs: 7005 }]);
});
