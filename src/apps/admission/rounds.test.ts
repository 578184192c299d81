import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRounds } from './rounds.ts';

test('a change brings a round though the idle time is endless, also one that comes during a round', async () => {
  let rounds = 0;
  let inRound = Promise.withResolvers<void>();
  let goOn = Promise.withResolvers<void>();
  const running = startRounds(
    () => {
      rounds++;
      inRound.resolve();
      return goOn.promise;
    },
    { idleMs: 1_000_000_000 },
    (error) => assert.fail(String(error)),
  );
  for (let expected = 1; expected <= 3; expected++) {
    await inRound.promise;
    assert.equal(rounds, expected);
    const before = goOn;
    [inRound, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    running.soon();
    running.soon();
    before.resolve();
  }
  goOn.resolve();
  await running.stop();
});
