// Real sockets of this machine, on ports that the kernel chooses.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Replied, Reply, Transport } from '../../ports/messages.ts';
import { nodeMessages } from './messages.ts';

const loopback = '127.0.0.1';
const echo: Reply = (message) => Promise.resolve(message);
const any = (): boolean => true;
const hello = Buffer.from('hello');

async function serving(t: TestContext, transport: Transport, reply: Reply = echo, host = loopback): Promise<number> {
  const server = await nodeMessages.serve(transport, { host, port: 0 }, reply);
  t.after(server.end);
  return server.port;
}

function text(replied: Replied): string {
  return replied.kind === 'answer' ? Buffer.from(replied.message).toString('utf8') : replied.problem;
}

for (const transport of ['udp', 'tcp'] as const) {
  test(`${transport}: a message and its answer, in both families, also a long one`, async (t) => {
    for (const host of [loopback, '::1']) {
      const port = await serving(t, transport, echo, host);
      for (const message of [hello, Buffer.alloc(20_000, 120)]) {
        const replied = await nodeMessages.ask(
          transport,
          { host, port },
          { message, timeoutMs: 10_000, isAnswer: any },
        );
        assert.equal(text(replied), message.toString('utf8'));
      }
    }
  });

  test(`${transport}: nobody listens: told at once`, async (t) => {
    const server = await nodeMessages.serve(transport, { host: loopback, port: 0 }, echo);
    server.end();
    const question = { message: hello, timeoutMs: 60_000, isAnswer: any };
    assert.match(
      text(await nodeMessages.ask(transport, { host: loopback, port: server.port }, question)),
      /ECONNREFUSED/,
    );
    const port = await serving(t, transport);
    await assert.rejects(nodeMessages.serve(transport, { host: loopback, port }, echo), /EADDRINUSE/);
  });

  test(`${transport}: a server that is silent is waited for as long as told`, async (t) => {
    const port = await serving(t, transport, () => Promise.resolve(undefined));
    const question = { message: hello, timeoutMs: 50, isAnswer: any };
    assert.equal(text(await nodeMessages.ask(transport, { host: loopback, port }, question)), 'no answer within 50 ms');
  });
}

test('udp: what is no answer is passed over; tcp: it ends the wait', async (t) => {
  const isAnswer = (message: Uint8Array): boolean => message.length < 5;
  const port = await serving(t, 'udp');
  const waited = await nodeMessages.ask('udp', { host: loopback, port }, { message: hello, timeoutMs: 50, isAnswer });
  assert.equal(text(waited), 'no answer within 50 ms');
  const tcpPort = await serving(t, 'tcp');
  const question = { message: hello, timeoutMs: 60_000, isAnswer };
  assert.equal(text(await nodeMessages.ask('tcp', { host: loopback, port: tcpPort }, question)), 'another answer');
});

/** Sends bytes and gives back what came until the server ended. */
function exchange(port: number, chunks: readonly Uint8Array[]): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect({ host: loopback, port });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  socket.on('close', () => resolve(received));
  for (const chunk of chunks) socket.write(chunk);
  socket.end();
  return promise;
}

test('tcp: several messages on one connection, cut anywhere; half a one at the end is dropped', async (t) => {
  const port = await serving(t, 'tcp');
  const bytes = Buffer.from('\0\x01a\0\x02bc\0\x05d', 'latin1');
  assert.equal(
    await exchange(
      port,
      [...bytes].map((byte) => Buffer.from([byte])),
    ),
    '\0\x01a\0\x02bc',
  );
});

test('tcp: a connection asks so often and no more', async (t) => {
  const port = await serving(t, 'tcp');
  const received = await exchange(port, [Buffer.from('\0\x01a'.repeat(200), 'latin1')]);
  assert.equal(received.length, 128 * 3);
});

test('tcp: answers go out as they are ready', async (t) => {
  const first = Promise.withResolvers<Uint8Array>();
  const port = await serving(t, 'tcp', (message) => {
    if (message[0] === 97) return first.promise;
    first.resolve(message.slice().fill(97));
    return Promise.resolve(message);
  });
  assert.equal((await exchange(port, [Buffer.from('\0\x01a\0\x01b', 'latin1')])).length, 6);
});
