// No process outlives fairway: not after its end, not after kill -9, not one that left its group and session.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith, runPods, shellPod } from './run.ts';

let next = 71_000 + (process.pid % 1000) * 10;

for (const isolation of ['namespaces', 'groups']) {
  for (const how of ['SIGINT', 'SIGKILL'] as const) {
    test(`${isolation}: ${how} leaves nothing`, async () => {
      const mark = `sleep ${next++}`; // a length of sleep that nobody else sleeps
      const script = `setsid ${mark} & trap "exit 0" TERM; (${mark}) & echo up; ${mark} & wait`;
      const run = runPods(shellPod('orphans', script), ['--isolation', isolation]);
      await run.saw('up');
      assert.ok(processesWith(mark).length >= 2, 'the processes are there');
      run.child.kill(how);
      await run.ended;
      await gone(mark);
      run.remove();
    });
  }
}

test('groups say at the start what they cannot do', async () => {
  const run = runPods(shellPod('quick', 'true'), ['--isolation', 'groups']);
  assert.equal(await run.ended, 0);
  assert.match(run.stderr(), /^note: .*amespaces/m);
  run.remove();
});

/** The kernel and the watchdog need a moment after fairway is gone. */
async function gone(mark: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (processesWith(mark).length === 0) return;
    await sleep(50);
  }
  assert.deepEqual(processesWith(mark), []);
}
