import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { followVersion } from './cluster-version.ts';
import { fakeCluster } from './fake-cluster.ts';

/** What the API server says from one question to the next; then nothing more is asked. */
function asked({ mock: { timers } }: TestContext, ...answers: readonly (string | Error)[]) {
  timers.enable({ apis: ['setTimeout'] });
  const warned: string[] = [];
  const quiet = (): void => {};
  const log = {
    debug: quiet,
    info: quiet,
    warn: (_: object, message: string) => void warned.push(message),
    error: quiet,
  };
  const cluster = fakeCluster(() => {
    const answer = answers[cluster.sent.length - 1];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('asked too often');
    return { status: 200, body: { minor: answer } };
  });
  const later = async (ms: number): Promise<void> => {
    timers.tick(ms);
    await setImmediate();
  };
  return { cluster, warned, version: followVersion(cluster, log), later };
}

test('a version that could not be told is asked for again within seconds, one that is known every ten minutes', async (context) => {
  const { cluster, warned, version, later } = asked(context, new Error('refused'), '36+', '37');
  await later(0);
  assert.deepEqual([version.minor(), warned.length], [undefined, 1]);
  await later(5_000);
  assert.equal(version.minor(), 36);
  await later(599_999);
  assert.deepEqual([version.minor(), cluster.sent.length], [36, 2]);
  await later(1);
  assert.equal(version.minor(), 37);
  version.stop();
});

test('once known it stays, and who has stopped asks no more', async (context) => {
  const { cluster, version, later } = asked(context, '36', new Error('refused'));
  await later(0);
  await later(600_000);
  assert.equal(version.minor(), 36);
  version.stop();
  await later(1_200_000);
  assert.equal(cluster.sent.length, 2);
});
