// Each mechanism against a real server on the loopback, and what the verdict says.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { test } from 'node:test';
import type { HookHandler, Probe } from '../../core/pod/index.ts';
import { probeOnce, runHook, type Target } from './handler.ts';

const target: Target = {
  container: { name: 'a', ports: [{ name: 'http', containerPort: 1 }] },
  podIP: '127.0.0.1',
  exec: (command, signal) => {
    const [word = ''] = command;
    if (word !== 'hang') return Promise.resolve({ exitCode: Number(word), output: `said ${word}` });
    const { promise, resolve } = Promise.withResolvers<{ exitCode: number; output: string }>();
    signal.addEventListener('abort', () => resolve({ exitCode: 137, output: '' }));
    return promise;
  },
};

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A slow machine takes its time to answer; only who waits for no answer waits for so long. */
const patienceMs = 60_000;

async function overHttp(listener: RequestListener, probe: object = {}, timeoutMs = patienceMs) {
  const server = createServer(listener);
  const port = await listening(server);
  const verdict = await probeOnce({ httpGet: { port, ...probe } }, target, timeoutMs);
  server.close();
  server.closeAllConnections();
  return { ...verdict, message: verdict.message.replaceAll(String(port), 'PORT') };
}

const answers: readonly (readonly [what: string, listener: RequestListener, result: string, message: string])[] = [
  ['200', (_, response) => response.end('ok'), 'success', ''],
  ['399', (_, response) => response.writeHead(399).end(), 'success', ''],
  ['500', (_, response) => response.writeHead(500).end(), 'failure', 'HTTP probe failed with statuscode: 500'],
  [
    'a redirect to the same host is followed',
    (request, response) =>
      request.url === '/there' ? response.writeHead(404).end() : response.writeHead(302, { location: '/there' }).end(),
    'failure',
    'HTTP probe failed with statuscode: 404',
  ],
  [
    'a redirect to another host is a warning',
    (_, response) => response.writeHead(302, { location: 'http://other.test/' }).end(),
    'warning',
    'Probe terminated redirects, Response body: http://other.test/',
  ],
  [
    'redirects without end',
    (_, response) => response.writeHead(302, { location: '/' }).end(),
    'failure',
    'Get "http://127.0.0.1:PORT/": stopped after 10 redirects',
  ],
];

for (const [what, listener, result, message] of answers) {
  test(`httpGet: ${what}`, async () => assert.deepEqual(await overHttp(listener), { result, message }));
}

test('httpGet: no answer in time', async () => {
  const message =
    'Get "http://127.0.0.1:PORT/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  assert.deepEqual(await overHttp(() => undefined, {}, 300), { result: 'failure', message });
});

test('httpGet sends the headers of a kubelet and those of the probe', async () => {
  let seen: Record<string, unknown> = {};
  await overHttp(
    (request, response) => {
      seen = { ...request.headers, url: request.url };
      response.end();
    },
    { path: '/healthz?x=1', httpHeaders: [{ name: 'Host', value: 'app.test' }] },
  );
  assert.deepEqual(
    [seen['user-agent'], seen['accept'], seen['host'], seen['url']],
    ['kube-probe/1.37', '*/*', 'app.test', '/healthz?x=1'],
  );
});

test('a closed port is a failure in the words of Go', async () => {
  const server = createTcpServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
  assert.deepEqual(await probeOnce({ tcpSocket: { port } }, target, patienceMs), {
    result: 'failure',
    message: refused,
  });
  const get = await probeOnce({ httpGet: { port } }, target, patienceMs);
  assert.deepEqual(get, { result: 'failure', message: `Get "http://127.0.0.1:${port}/": ${refused}` });
  const grpc = await probeOnce({ grpc: { port } }, target, patienceMs);
  assert.equal(grpc.result, 'failure');
});

test('tcpSocket succeeds when the connection opens', async () => {
  const server = createTcpServer((socket) => socket.end());
  const port = await listening(server);
  assert.equal((await probeOnce({ tcpSocket: { port: String(port) } }, target, patienceMs)).result, 'success');
  server.close();
});

const health: readonly (readonly [status: number, result: string])[] = [
  [1, 'success'],
  [2, 'failure'],
];
for (const [status, result] of health) {
  test(`grpc: status ${status} of a service is ${result}`, async () => {
    let asked = '';
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        asked = `${headers[':path']} ${Buffer.concat(chunks).subarray(7).toString()}`;
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(Buffer.from([0, 0, 0, 0, 2, 0x08, status]));
      });
    });
    const port = await listening(server);
    const verdict = await probeOnce({ grpc: { port, service: 'my.Service' } }, target, patienceMs);
    assert.deepEqual([verdict.result, asked], [result, '/grpc.health.v1.Health/Check my.Service']);
    server.close();
  });
}

const execs: readonly (readonly [probe: Probe, result: string, message: string])[] = [
  [{ exec: { command: ['0'] } }, 'success', 'said 0'],
  [{ exec: { command: ['3'] } }, 'failure', 'said 3'],
  [{ exec: { command: ['hang'] } }, 'failure', 'command "hang" timed out after 0.05s'],
  [{ httpGet: { port: 'nobody' } }, 'unknown', "couldn't find port: nobody"],
];
for (const [probe, result, message] of execs) {
  test(`${JSON.stringify(probe)} is ${result}`, async () =>
    assert.deepEqual(await probeOnce(probe, target, 50), { result, message }));
}

test('a hook passes with any answer of a server, and fails where none is', async () => {
  const server = createServer((_, response) => response.writeHead(500).end());
  const port = await listening(server);
  const never = new AbortController().signal;
  await runHook({ httpGet: { port } }, target, never);
  // HTTPS to a plain server is tried again without TLS, as the kubelet does.
  await runHook({ httpGet: { port, scheme: 'HTTPS' } }, target, never);
  server.close();
  await assert.rejects(runHook({ httpGet: { port } }, target, never));
});

const hooks: readonly (readonly [handler: HookHandler, error: RegExp | undefined])[] = [
  [{ exec: { command: ['0'] } }, undefined],
  [{ exec: { command: ['1'] } }, /command '1' exited with 1: said 1/],
  [{ sleep: { seconds: 0 } }, undefined],
  [{ tcpSocket: { port: 1 } }, /invalid handler/],
];
for (const [handler, error] of hooks) {
  test(`hook ${JSON.stringify(handler)}`, async () => {
    const done = runHook(handler, target, new AbortController().signal);
    if (error === undefined) await done;
    else await assert.rejects(done, error);
  });
}

test('a sleeping hook ends when it is cancelled', async () => {
  const abort = new AbortController();
  const done = runHook({ sleep: { seconds: 600 } }, target, abort.signal);
  abort.abort();
  await assert.rejects(done, /cancelled/);
});
