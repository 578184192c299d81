import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Step } from '../scenario/format.ts';
import { parseShell } from '../shell/parse.ts';
import { actsOf } from './act.ts';
import { podFiles } from './files.ts';
import { createProcess, type Process } from './process.ts';

type Signal = readonly [atMs: number, name: string];

const container = { name: 'c', volumeMounts: [{ name: 'v', mountPath: '/v' }] };

/** Runs a process with signals at times; gives when it ended and with what, or undefined where it never does. */
function lived(process: Process, signals: readonly Signal[] = []): readonly [atMs: number, code: number] | undefined {
  const pending = [...signals];
  let nowMs = 0;
  let progress = process.wake(0);
  while (progress.kind === 'waiting') {
    const [next] = pending;
    nowMs = Math.min(progress.untilMs, next?.[0] ?? Number.POSITIVE_INFINITY);
    if (nowMs === Number.POSITIVE_INFINITY) return undefined;
    if (next !== undefined && next[0] === nowMs) progress = process.signal(pending.shift()?.[1] ?? '', nowMs);
    else progress = process.wake(nowMs);
  }
  return [nowMs, progress.exit.code];
}

const scripts: readonly (readonly [
  script: string,
  signals: readonly Signal[],
  ended: readonly [number, number] | undefined,
])[] = [
  ['sleep 2', [], [2000, 0]],
  ['sleep 2; exit 1', [], [2000, 1]],
  ['exit 300', [], [0, 44]],
  ['false', [], [0, 1]],
  ['false || exit 3; exit 4', [], [0, 3]],
  ['true && sleep 1 && exit 2', [], [1000, 2]],
  ['! false && exit 5', [], [0, 5]],
  ['sleep infinity', [[1000, 'TERM']], undefined],
  ['sleep infinity', [[1000, 'KILL']], [1000, 137]],
  ["trap '' TERM; sleep 5", [[1000, 'TERM']], [5000, 0]],
  ["trap 'exit 7' TERM; while :; do sleep 0.2; done", [[1050, 'TERM']], [1200, 7]],
  ["trap 'sleep 1; exit 0' TERM; while :; do sleep 0.2; done", [[1000, 'TERM']], [2000, 0]],
  ["trap 'exit 1' TERM; sleep 2; exit 0", [[500, 'TERM']], [2000, 1]],
  ["trap 'exit 1' USR1; sleep 2", [[500, 'TERM']], [2000, 0]],
  ["trap 'exit 1' TERM; trap - TERM; sleep 2", [[500, 'TERM']], [2000, 0]],
  ['if [ -f /x ]; then exit 1; elif test -e /v; then exit 2; else exit 3; fi', [], [0, 3]],
  ['touch /x; [ -f /x ] && rm /x; test -f /x || exit 9', [], [0, 9]],
  ['for i in 1 2 3; do sleep 1; done; exit $i', [], [3000, 3]],
  ['n=1; until [ $n -ge 4 ]; do n=$((n+1)); sleep 1; done; exit $n', [], [3000, 4]],
  ['echo 5 > /v/n; n=$(cat /v/n); exit $((n - 2))', [], [0, 3]],
  ['n=$(cat /no 2>/dev/null || echo 8); exit $n', [], [0, 8]],
  ['x="a b"; [ "$x" = "a b" ] && exit 4', [], [0, 4]],
  ['{ sleep 1; exit 6; }; exit 7', [], [1000, 6]],
  ['exec sleep 3', [], [3000, 0]],
  ['# nothing\nsleep 1 # a second\nexit 2', [], [1000, 2]],
  ['while :; do :; done', [[10, 'KILL']], [10, 137]],
  ['while :; do sleep 0; done', [[10, 'KILL']], [10, 137]],
];

for (const [script, signals, ended] of scripts) {
  test(`sh ${JSON.stringify(script)} ${JSON.stringify(signals)}`, () => {
    const process = createProcess(parseShell(script), podFiles().view(container, 'c/1'));
    assert.deepEqual(lived(process, signals), ended);
  });
}

const runs: readonly (readonly [
  name: string,
  steps: readonly Step[],
  signals: readonly Signal[],
  ended: readonly [number, number] | undefined,
])[] = [
  ['a sleep is interrupted by a trap', [{ trap: { TERM: [{ exit: 3 }] } }, { sleep: 10 }], [[1500, 'TERM']], [1500, 3]],
  ['a busy wait is not', [{ trap: { SIGTERM: [{ exit: 3 }] } }, { busy: 10 }], [[1500, 'TERM']], [10_000, 3]],
  [
    'after a trap it goes on where it was',
    [{ trap: { TERM: [{ touch: '/x' }] } }, { sleep: 10 }, { sh: 'test -f /x' }],
    [[1500, 'TERM']],
    [10_000, 0],
  ],
  [
    'a second signal during a trap',
    [{ trap: { TERM: [{ sleep: 5 }], INT: [{ exit: 2 }] } }, { sleep: 'forever' }],
    [
      [1000, 'TERM'],
      [2000, 'INT'],
    ],
    [2000, 2],
  ],
  [
    'a repeat',
    [{ trap: { TERM: [{ exit: 0 }] } }, { repeat: [{ touch: '/a' }, { sleep: 1 }, { rm: '/a' }] }],
    [[2500, 'TERM']],
    [2500, 0],
  ],
];

for (const [name, steps, signals, ended] of runs) {
  test(`steps: ${name}`, () => {
    const process = createProcess(actsOf(steps, parseShell), podFiles().view(container, 'c/1'));
    assert.deepEqual(lived(process, signals), ended);
  });
}

test('files below a mount outlive a run, others do not', () => {
  const files = podFiles();
  lived(createProcess(parseShell('touch /v/a /tmp/a'), files.view(container, 'c/1')));
  const again = files.view(container, 'c/2');
  assert.deepEqual([again.exists('/v/a'), again.exists('/tmp/a')], [true, false]);
  const other = files.view({ name: 'd', volumeMounts: [{ name: 'v', mountPath: '/data/' }] }, 'd/3');
  assert.equal(other.exists('/data/a'), true);
});
