// The host against real sockets, files and processes of this machine: everything on loopback, nothing sleeps.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server as NodeServer } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Asked, HttpRequest } from '../../ports/host.ts';
import { nodeHost } from './host.ts';

const host = nodeHost();
const folder = mkdtempSync(join(tmpdir(), 'host-'));
after(() => rmSync(folder, { recursive: true }));

function listening(server: Pick<NodeServer, 'listen' | 'address'>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

test('files: written whole, folders made, missing ones are undefined', () => {
  const path = join(folder, 'a', 'b.json');
  assert.equal(host.files.read(path), undefined);
  assert.equal(host.files.write(path, 'text', 0o600), undefined);
  assert.equal(readFileSync(path, 'utf8'), 'text');
  assert.equal(host.files.exists(path), true);
  host.files.remove(path);
  host.files.remove(path);
  assert.equal(existsSync(path), false);
  assert.match(host.files.write(join(folder, 'a', '\0'), '') ?? '', /Error/);
  assert.equal(host.files.write('/dev/null', 'x'), undefined);
});

test('requests: status, headers, body; cut, late and refused ones are values', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/late') return;
    response.setHeader('x-from', request.socket.remoteAddress ?? '');
    request.pipe(response.writeHead(request.url === '/404' ? 404 : 200));
  });
  const port = await listening(server);
  const ask = (more: Partial<HttpRequest>): HttpRequest => ({
    method: 'POST',
    host: '127.0.0.1',
    port,
    path: '/',
    timeoutMs: 2000,
    ...more,
  });
  const echoed = await host.net.fetch(ask({ body: 'hello', localAddress: '127.0.0.6' }));
  assert.ok(echoed.kind === 'answer');
  assert.equal(Buffer.from(echoed.body).toString(), 'hello');
  assert.equal(echoed.headers['x-from'], '127.0.0.6');
  assert.equal(echoed.cut, false);
  const cut = await host.net.fetch(ask({ body: 'hello', maxBytes: 3 }));
  assert.deepEqual(cut.kind === 'answer' && [Buffer.from(cut.body).toString(), cut.cut], ['hel', true]);
  const missing = await host.net.fetch(ask({ path: '/404' }));
  assert.equal(missing.kind === 'answer' && missing.status, 404);
  assert.deepEqual(await host.net.fetch(ask({ path: '/late', timeoutMs: 30 })), {
    kind: 'failed',
    problem: 'no answer within 30 ms',
  });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.equal((await host.net.fetch(ask({}))).kind, 'failed');
  assert.deepEqual(await host.net.dial({ host: '127.0.0.1', port, timeoutMs: 1000, localAddress: '127.0.0.6' }), {
    kind: 'refused',
  });
});

test('dials: open', async () => {
  const server = createTcp((socket) => socket.destroy());
  const port = await listening(server as unknown as NodeServer);
  assert.deepEqual(await host.net.dial({ host: '127.0.0.1', port, timeoutMs: 1000 }), { kind: 'open' });
  server.close();
});

test('gRPC health: serving, not serving, another service, nobody there', async () => {
  const server = createHttp2();
  server.on('stream', (stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const service = Buffer.concat(chunks).subarray(7).toString();
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': service === 'none' ? '5' : '0' }));
      if (service === 'none') stream.end();
      else stream.end(Buffer.from([0, 0, 0, 0, 2, 8, service === 'bad' ? 2 : 1]));
    });
  });
  const port = await listening(server as unknown as NodeServer);
  const health = (service: string): Promise<{ kind: string }> =>
    host.net.grpcHealth({ host: '127.0.0.1', port, timeoutMs: 2000 }, service);
  assert.deepEqual(await health(''), { kind: 'open' });
  assert.deepEqual(await health('x'.repeat(200)), { kind: 'open' });
  assert.deepEqual(await health('bad'), { kind: 'not-serving' });
  assert.deepEqual(await health('none'), { kind: 'not-serving' });
  await new Promise((resolve) => server.close(resolve));
  assert.deepEqual(await health(''), { kind: 'refused' });
});

test('the status server: what was asked, streams as gzip, afterwards, end', async () => {
  const asked: Asked[] = [];
  let afterwards = 0;
  const server = await host.net.serve(0, (request) => {
    asked.push(request);
    const body = request.path === '/stream' ? streamed() : 'whole';
    return Promise.resolve({ status: 200, body, afterwards: () => afterwards++ });
  });
  const ask = (path: string, headers: Record<string, string> = {}): Promise<unknown> =>
    host.net.fetch({ method: 'GET', host: '127.0.0.1', port: server.port, path, headers, timeoutMs: 2000 });
  const whole = (await ask('/a?b=c')) as { body: Uint8Array };
  assert.equal(Buffer.from(whole.body).toString(), 'whole');
  assert.deepEqual([asked[0]?.path, asked[0]?.query, asked[0]?.remoteAddress], ['/a', 'b=c', '127.0.0.1']);
  const zipped = (await ask('/stream', { 'accept-encoding': 'gzip' })) as {
    body: Uint8Array;
    headers: Record<string, string>;
  };
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(zipped.body).toString(), 'onetwo');
  assert.equal(afterwards, 2);
  await assert.rejects(
    host.net.serve(server.port, () => Promise.resolve({ status: 200, body: '' })),
    /EADDRINUSE/,
  );
  server.end();
  assert.equal(((await ask('/')) as { kind: string }).kind, 'failed');
});

async function* streamed(): AsyncIterable<Uint8Array> {
  yield Buffer.from('one');
  yield await Promise.resolve(Buffer.from('two'));
}

const ends: readonly (readonly [script: string, end: object])[] = [
  ['exit 3', { kind: 'code', code: 3 }],
  ['kill -SEGV $$', { kind: 'signal', name: 'SIGSEGV', number: 11 }],
];
for (const [script, end] of ends) {
  test(`processes: ${script}`, async () => {
    const child = host.processes.spawn({ path: '/bin/sh', args: ['-c', script], env: {}, user: undefined });
    assert.deepEqual(await child.ended, end);
  });
}

test('processes: start time, signals, what cannot be started', async () => {
  const child = host.processes.spawn({ path: '/bin/sh', args: ['-c', 'sleep 60'], env: { A: 'b' }, user: undefined });
  const pid = child.pid ?? 0;
  assert.ok((host.processes.startTicks(pid) ?? 0) > 0);
  host.processes.kill(pid, 'SIGKILL');
  assert.deepEqual(await child.ended, { kind: 'signal', name: 'SIGKILL', number: 9 });
  assert.equal(host.processes.startTicks(pid), undefined);
  host.processes.kill(pid, 'SIGKILL');
  const missing = host.processes.spawn({ path: '/no/such', args: [], env: {}, user: undefined });
  assert.equal(missing.pid, undefined);
  assert.equal((await missing.ended).kind, 'not-started');
  for (const [name, value] of Object.entries(host.processes.usage())) assert.ok(value > 0, name);
});

test('the clock: a timer that is called off does not run', async () => {
  const ran: string[] = [];
  const callOff = host.clock.after(1, () => ran.push('off'));
  callOff();
  const began = host.clock.nowMs();
  await new Promise<void>((resolve) => host.clock.after(5, resolve));
  assert.ok(host.clock.nowMs() - began >= 4);
  assert.deepEqual(ran, []);
});
