import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepAlive } from './keep-alive.ts';

/** A session that answers its first pings, and throws once it is destroyed, as Node's does. */
function sessionThatAnswers(first: number) {
  const said: string[] = [];
  let close = (): void => undefined;
  const session = {
    destroyed: false,
    ping: (answered: () => void) => {
      if (session.destroyed) throw new Error('The session has been destroyed');
      if (said.push('ping') <= first) answered();
      return true;
    },
    on: (_: 'close', heard: () => void) => {
      close = heard;
    },
  };
  const lose = (reason: string): void => {
    said.push(reason);
    session.destroyed = true;
  };
  return { session, lose, said, close: () => close() };
}

test('a ping without answer loses the session, and none follows, whenever its close is told', ({ mock }) => {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const aSecond = (): void => Array.from({ length: 100 }).forEach(() => mock.timers.tick(10));
  const { session, lose, said, close } = sessionThatAnswers(2);
  keepAlive(session, { everyMs: 100, timeoutMs: 50 }, lose);
  aSecond();
  assert.deepEqual(said, ['ping', 'ping', 'ping', 'no answer to a ping within 50 ms']);
  close();
  session.destroyed = false;
  aSecond();
  assert.equal(said.length, 4);
});
