// gRPC over real sockets, both ends ours; test/envoy puts a real Envoy at the other end, and runs these with Bun too.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http2';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import type { GrpcHandler, GrpcTarget } from '../../../ports/grpc.ts';
import { nodeGrpc } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'grpc-'));
after(() => rmSync(folder, { recursive: true }));

const bounded = { timeout: 60_000 };
let count = 0;
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (message: Uint8Array): string => new TextDecoder().decode(message);

async function collect<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}

/** A server of these calls, a channel to it, and the end of both. */
async function pair(t: TestContext, answer: GrpcHandler, more: Partial<GrpcTarget> = {}) {
  const path = join(folder, `made/${count++}.sock`);
  const server = await nodeGrpc.serve(path, answer);
  const channel = nodeGrpc.connect({ at: { kind: 'unix', path }, tls: undefined, connectTimeoutMs: 5000, ...more });
  const end = (): void => {
    channel.close();
    server.end();
  };
  t.after(end);
  return { path, server, channel };
}

const ok = { code: 'OK', message: '' } as const;

const echo: GrpcHandler = async (call) => {
  for await (const message of call.messages(1000)) await call.send(message);
  return ok;
};

test('a stream both ways; the server goes on until the client has said all', bounded, async (t) => {
  const ends = await pair(t, echo);
  const call = ends.channel.open('/a.B/Echo');
  const answers = call.messages(1000)[Symbol.asyncIterator]();
  for (const word of ['one', '', 'three']) {
    assert.equal(await call.send(utf8(word)), true);
    assert.equal(textOf((await answers.next()).value), word);
  }
  call.closeSend();
  assert.equal((await answers.next()).done, true);
  assert.deepEqual(await call.ended, ok);
  assert.equal(await call.send(utf8('late')), false);
});

test('unary: method and metadata arrive, status and message come back', bounded, async (t) => {
  const ends = await pair(t, async (call) => {
    for await (const message of call.messages(1000)) {
      if (textOf(message) === 'refuse') return { code: 'PERMISSION_DENIED', message: 'nö: 100%\n' };
      await call.send(utf8(`${call.method} ${call.metadata['authorization']}`));
    }
    return ok;
  });
  const ask = (text: string, maxBytes = 1000): Promise<unknown> =>
    ends.channel.unary('/a.B/C', utf8(text), { metadata: { authorization: 'Bearer x' }, timeoutMs: 5000, maxBytes });
  assert.deepEqual(await ask('x'), { kind: 'answer', message: Buffer.from('/a.B/C Bearer x') });
  assert.deepEqual(await ask('refuse'), {
    kind: 'failed',
    status: { code: 'PERMISSION_DENIED', message: 'nö: 100%\n' },
  });
  const long = (await ask('x', 10)) as { readonly status: { readonly code: string } };
  assert.equal(long.status.code, 'RESOURCE_EXHAUSTED');
});

test('a handler that ends early, one that fails, one that says nothing', bounded, async (t) => {
  const ends = await pair(t, async (call) => {
    if (call.method === '/fails') throw new Error('broken');
    if (call.method === '/early') for await (const _ of call.messages(9)) return { code: 'ABORTED', message: 'enough' };
    return { code: 'UNIMPLEMENTED', message: call.method };
  });
  const statusOf = async (method: string): Promise<string> => {
    const call = ends.channel.open(method);
    await call.send(utf8('x'));
    for await (const _ of call.pieces()) assert.fail();
    const { code, message } = await call.ended;
    return `${code} ${message}`;
  };
  assert.equal(await statusOf('/fails'), 'INTERNAL Error: broken');
  assert.equal(await statusOf('/early'), 'ABORTED enough');
  assert.equal(await statusOf('/none'), 'UNIMPLEMENTED /none');
});

test('a large message comes in pieces that make it', bounded, async (t) => {
  const size = 2 ** 20 + 77;
  const whole = Buffer.alloc(size, 'abcdefg');
  const ends = await pair(t, async (call) => {
    await call.send(utf8('small'));
    await call.send(whole);
    await call.send(utf8('after'));
    return ok;
  });
  const call = ends.channel.open('/a');
  const pieces = await collect(call.pieces());
  assert.deepEqual([pieces[0]?.size, pieces[1]?.size, pieces[1]?.bytes.length], [5, size, 2 ** 18]);
  const large = pieces.slice(1, -1);
  assert.ok(
    large.every((piece, i) => piece.offset === large.slice(0, i).reduce((sum, { bytes }) => sum + bytes.length, 0)),
  );
  assert.ok(Buffer.concat(large.map((piece) => piece.bytes)).equals(whole));
  assert.equal(textOf(pieces.at(-1)?.bytes ?? whole), 'after');
});

test('pieces are sent on as they come', bounded, async (t) => {
  const whole = Buffer.alloc(2 ** 20, 'abcdefg');
  const source = await pair(t, async (call) => (await call.send(whole), ok));
  const relay = await pair(t, async (call) => {
    const from = source.channel.open('/a');
    for await (const piece of from.pieces()) await call.sendPiece(piece);
    return from.ended;
  });
  const call = relay.channel.open('/a');
  const [message] = await collect(call.messages(2 ** 21));
  assert.ok(whole.equals(message ?? utf8('')));
  assert.deepEqual(await call.ended, ok);
});

test('a slow reader stops the sender', bounded, async (t) => {
  let sent = 0;
  const over = Promise.withResolvers<void>();
  const ends = await pair(t, async (call) => {
    const chunk = Buffer.alloc(2 ** 16);
    while (await call.send(chunk)) sent += chunk.length;
    over.resolve();
    return ok;
  });
  const call = ends.channel.open('/a');
  const reader = call.pieces()[Symbol.asyncIterator]();
  await reader.next();
  let before = -1;
  while (before !== sent) {
    before = sent;
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.ok(sent < 8 * 2 ** 20, `${sent} bytes were sent to nobody`);
  for (let read = 0; read < 2 ** 25; ) read += ((await reader.next()).value as { bytes: Uint8Array }).bytes.length;
  assert.ok(sent > before, 'and goes on when somebody reads');
  call.cancel();
  assert.equal((await call.ended).code, 'CANCELLED');
  await over.promise;
});

test('the deadline ends a call at both ends', bounded, async (t) => {
  const server = Promise.withResolvers<string>();
  const ends = await pair(t, async (call) => {
    for await (const _ of call.messages(9));
    server.resolve((await call.ended).code);
    return ok;
  });
  const answer = await ends.channel.unary('/a', utf8(''), { timeoutMs: 30, maxBytes: 9 });
  // A unary client has said all, so its handler answers with nothing; a stream waits.
  assert.equal(answer.kind, 'failed');
  const call = ends.channel.open('/a', { timeoutMs: 30 });
  for await (const _ of call.pieces());
  assert.deepEqual(await call.ended, { code: 'DEADLINE_EXCEEDED', message: 'not done within 30 ms' });
  assert.ok((await server.promise) !== undefined);
});

test('the server goes: calls end, and the next call finds the next server', bounded, async (t) => {
  const ends = await pair(t, echo);
  const call = ends.channel.open('/a');
  await call.send(utf8('x'));
  const answers = call.messages(9)[Symbol.asyncIterator]();
  await answers.next();
  ends.server.end();
  assert.equal((await answers.next()).done, true);
  assert.equal((await call.ended).code, 'UNAVAILABLE');
  assert.equal(existsSync(ends.path), false);
  const nobody = await ends.channel.unary('/a', utf8(''), { timeoutMs: 5000, maxBytes: 9 });
  assert.equal(nobody.kind === 'failed' && nobody.status.code, 'UNAVAILABLE');
  const next = await nodeGrpc.serve(ends.path, echo);
  const found = await ends.channel.unary('/a', utf8('y'), { timeoutMs: 5000, maxBytes: 9 });
  assert.equal(found.kind, 'answer');
  next.end();
});

test('a server that takes the connection and says nothing: connecting and pings have an end', bounded, async (t) => {
  const silent = createTcp((socket) => void socket.on('error', () => undefined).resume());
  const port = await new Promise<number>((resolve) => {
    silent.listen(0, '127.0.0.1', () => resolve((silent.address() as AddressInfo).port));
  });
  t.after(() => silent.close());
  const at = { kind: 'tcp', host: '127.0.0.1', port } as const;
  const tls = nodeGrpc.connect({ at, tls: { roots: undefined }, connectTimeoutMs: 50 });
  const late = await tls.unary('/a', utf8(''), { timeoutMs: 30_000, maxBytes: 9 });
  assert.deepEqual(late, { kind: 'failed', status: { code: 'UNAVAILABLE', message: 'no connection within 50 ms' } });
  const plain = nodeGrpc.connect({
    at,
    tls: undefined,
    connectTimeoutMs: 5000,
    keepalive: { everyMs: 20, timeoutMs: 50 },
  });
  const call = plain.open('/a');
  for await (const _ of call.pieces());
  assert.deepEqual(await call.ended, { code: 'UNAVAILABLE', message: 'no answer to a ping within 50 ms' });
});

test('an HTTP/2 server that speaks no gRPC', bounded, async (t) => {
  const server = createServer((_request, response) => response.writeHead(503).end('busy'));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  const channel = nodeGrpc.connect({
    at: { kind: 'tcp', host: '127.0.0.1', port },
    tls: undefined,
    connectTimeoutMs: 5000,
  });
  t.after(() => {
    channel.close();
    server.close();
  });
  const answer = await channel.unary('/a', utf8(''), { timeoutMs: 5000, maxBytes: 9 });
  assert.equal(answer.kind === 'failed' && answer.status.code, 'UNAVAILABLE');
});

test("the server's own end counts, also where the caller cancels as soon as nothing more comes", bounded, async (t) => {
  const ends = await pair(t, () => Promise.resolve({ code: 'UNAUTHENTICATED', message: 'no token' }));
  const call = ends.channel.open('/a');
  for await (const _ of call.pieces()) assert.fail();
  call.cancel();
  assert.deepEqual(await call.ended, { code: 'UNAUTHENTICATED', message: 'no token' });
});

test('metadata that cannot be sent is told by its name', bounded, async (t) => {
  const ends = await pair(t, echo);
  for (const authorization of ['Bearer a\nb', 'Bearer \u0000', 'Bearer ä'])
    assert.throws(() => ends.channel.open('/a', { metadata: { authorization } }), /"authorization" has characters/);
  assert.equal((await ends.channel.unary('/a', utf8('x'), { timeoutMs: 30_000, maxBytes: 9 })).kind, 'answer');
});

test('an answer that is too long is refused, whatever the server says of it', bounded, async (t) => {
  const ends = await pair(t, async (call) => (await call.send(utf8('long')), ok));
  const call = ends.channel.open('/a');
  for await (const _ of call.messages(3)) assert.fail();
  assert.equal((await call.ended).code, 'RESOURCE_EXHAUSTED');
});
