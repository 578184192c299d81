import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { Socket } from 'node:net';
import { mock, test } from 'node:test';
import { connect } from 'node:tls';
import { issue, newAuthority } from './authority.ts';
import { type Request, readBody } from './body.ts';
import { listen } from './server.ts';

const life = { nowMs: Date.now(), lifeMs: 3_600_000 };

interface Served {
  readonly port: number;
  readonly ca: string;
}

/** Listens while `use` goes on; reads requests and answers none. */
async function whileListening(use: (served: Served) => Promise<void>): Promise<void> {
  const authority = await newAuthority(life);
  const certificate = await issue(authority, ['localhost'], life);
  const onRequest = async (request: Request): Promise<void> => void (await readBody(request));
  const listener = await listen({ host: '127.0.0.1', port: 0, certificate, onRequest });
  try {
    await use({ port: listener.port, ca: authority.cert });
  } finally {
    await listener.close(0);
  }
}

test('answers of HTTP/1.1 do not wait for acknowledgements', async () => {
  const setNoDelay = mock.method(Socket.prototype, 'setNoDelay');
  await whileListening(async ({ port, ca }) => {
    const client = connect({ host: 'localhost', port, ca });
    await once(client, 'secureConnect');
    client.destroy();
    const accepted = setNoDelay.mock.calls.filter(({ this: socket }) => (socket as Socket).localPort === port);
    assert.deepEqual(
      accepted.map(({ arguments: [on = true] }) => on),
      [true],
    );
  }).finally(() => mock.restoreAll());
});

test('a body of HTTP/2 that never ends is cut', async () => {
  await whileListening(async ({ port, ca }) => {
    const session = connectHttp2(`https://localhost:${port}`, { ca });
    try {
      await once(session, 'remoteSettings');
      assert.equal(session.remoteSettings.maxConcurrentStreams, 250);
      mock.timers.enable({ apis: ['setTimeout'] });
      const stream = session.request({ ':method': 'POST', 'content-type': 'application/json' });
      stream.write('{');
      await new Promise((resolve) => session.ping(resolve));
      mock.timers.tick(29_999);
      await new Promise((resolve) => session.ping(resolve));
      assert.equal(stream.closed, false);
      mock.timers.tick(1);
      await once(stream, 'close');
      assert.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
    } finally {
      mock.timers.reset();
      session.destroy();
    }
  });
});
