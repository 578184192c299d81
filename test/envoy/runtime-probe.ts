// What the agent needs of the runtime that it is built on, tried with a real Envoy between: run by Node and by Bun, prints one
// JSON object `{check: "ok" | what went wrong}`. It imports nothing but Node's names, so that both can run it as it is.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import * as http2 from 'node:http2';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , envoy = ''] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'runtime-probe-'));
chmodSync(folder, 0o777);
const up = join(folder, 'up.sock');
const down = join(folder, 'down.sock');
const bigBytes = 50 * 2 ** 20;
const report: Record<string, string> = {};

async function check(name: string, run: () => Promise<void>): Promise<void> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no result within 15 s')), 15_000).unref();
  });
  report[name] = await Promise.race([run(), late]).then(
    () => 'ok',
    (error: unknown) => String(error),
  );
}

function equal(found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${String(found)} instead of ${String(wanted)}`);
}

/** A gRPC-like server: echoes each chunk at once, ends with a trailer; /big sends 50 MB and honours back-pressure. */
function serve(): Promise<http2.Http2Server> {
  const server = http2.createServer();
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    if (headers[':path'] === '/big') void sendBig(stream);
    else stream.on('data', (chunk: Buffer) => stream.write(chunk)).on('end', () => stream.end());
  });
  return new Promise((resolve) => {
    server.listen(up, () => {
      chmodSync(up, 0o777);
      resolve(server);
    });
  });
}

async function sendBig(stream: http2.ServerHttp2Stream): Promise<void> {
  const chunk = Buffer.alloc(2 ** 16, 7);
  for (let sent = 0; sent < bigBytes; sent += chunk.length) {
    if (!stream.write(chunk)) await new Promise((resolve) => stream.once('drain', resolve));
  }
  stream.end();
}

function bootstrap(): string {
  const type = 'type.googleapis.com/envoy.';
  const http2Upstream = {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': `${type}extensions.upstreams.http.v3.HttpProtocolOptions`,
      explicit_http_config: { http2_protocol_options: {} },
    },
  };
  const router = { '@type': `${type}extensions.filters.http.router.v3.Router` };
  const manager = {
    '@type': `${type}extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'probe',
    codec_type: 'HTTP2',
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'up', timeout: '0s' } }] },
      ],
    },
    http_filters: [{ name: 'envoy.filters.http.router', typed_config: router }],
  };
  const filter = { name: 'envoy.filters.network.http_connection_manager', typed_config: manager };
  const endpoint = { endpoint: { address: { pipe: { path: up } } } };
  return JSON.stringify({
    static_resources: {
      listeners: [
        { name: 'down', address: { pipe: { path: down, mode: 0o777 } }, filter_chains: [{ filters: [filter] }] },
      ],
      clusters: [
        {
          name: 'up',
          typed_extension_protocol_options: http2Upstream,
          load_assignment: { cluster_name: 'up', endpoints: [{ lb_endpoints: [endpoint] }] },
        },
      ],
    },
  });
}

function startEnvoy(): ChildProcess {
  const file = join(folder, 'envoy.json');
  const program = join(folder, 'envoy');
  writeFileSync(file, bootstrap());
  copyFileSync(envoy, program); // another user cannot read below this one's home
  const args = ['-c', file, '--disable-hot-restart', '-l', 'error', '--concurrency', '1'];
  return spawn(program, args, { uid: 1337, gid: 1337, detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
}

function connected(path: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    socket.on('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', () => setTimeout(() => resolve(connected(path)), 20));
  });
}

function session(): http2.ClientHttp2Session {
  return http2.connect('http://probe', { createConnection: () => net.connect(down) });
}

async function bidirectional(): Promise<void> {
  const client = session();
  const stream = client.request({
    ':method': 'POST',
    ':path': '/echo',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const trailers = new Promise<http2.IncomingHttpHeaders>((resolve) => stream.once('trailers', resolve));
  for (const word of ['one', 'two']) {
    stream.write(word);
    const echo = await new Promise<Buffer>((resolve, reject) => {
      stream.once('data', resolve);
      stream.once('error', reject);
    });
    equal(String(echo), word);
  }
  stream.end();
  equal((await trailers)['grpc-status'], '0');
  client.close();
}

async function bigWithBackPressure(): Promise<void> {
  const client = session();
  const stream = client.request({ ':method': 'POST', ':path': '/big', te: 'trailers' });
  stream.end();
  let received = 0;
  for await (const chunk of stream) {
    if (received === 0) await new Promise((resolve) => setTimeout(resolve, 300));
    received += (chunk as Buffer).length;
  }
  equal(received, bigBytes);
  client.close();
}

function listening(server: net.Server | http.Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port));
  });
}

async function tcpFromLocalAddress(): Promise<void> {
  const server = net.createServer((socket) => socket.end(socket.remoteAddress ?? 'unknown'));
  const port = await listening(server);
  const socket = net.connect({ port, host: '127.0.0.1', localAddress: '127.0.0.6' });
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  server.close();
  equal(text, '127.0.0.6');
}

async function httpFromLocalAddress(): Promise<void> {
  const server = http.createServer((request, response) => response.end(request.socket.remoteAddress));
  const port = await listening(server);
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ port, host: '127.0.0.1', localAddress: '127.0.0.6', agent: false }, resolve).on('error', reject);
  });
  let text = '';
  for await (const chunk of response) text += String(chunk);
  server.close();
  equal(text, '127.0.0.6');
}

function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(`${code} ${signal}`));
  });
}

async function spawnAsUser(): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'id -u; id -g'], {
    uid: 1337,
    gid: 1337,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  equal(text, '1337\n1337\n');
}

async function processGroup(): Promise<void> {
  const child = spawn('/bin/sh', ['-c', 'sleep 60 & echo started; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = ended(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  equal(await end, 'null SIGKILL');
}

async function missingProgram(): Promise<void> {
  const code = await new Promise((resolve) => {
    spawn('/no/such/program', []).on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  equal(code, 'ENOENT');
}

async function terminates(): Promise<void> {
  const end = ended(child);
  child.kill('SIGTERM');
  equal(await end, '0 null');
}

const server = await serve();
const child = startEnvoy();
await check('h2c server and client on unix sockets, Envoy between: Envoy starts as uid 1337', () => connected(down));
await check('h2c: bidirectional stream with trailers', bidirectional);
await check('h2c: 50 MB with back-pressure', bigWithBackPressure);
await check('tcp from localAddress', tcpFromLocalAddress);
await check('http from localAddress', httpFromLocalAddress);
await check('spawn with uid and gid', spawnAsUser);
await check('signal to a process group', processGroup);
await check('a program that does not exist', missingProgram);
await check('SIGTERM, and the exit code of Envoy', terminates);
server.close();
rmSync(folder, { recursive: true });
process.stdout.write(`${JSON.stringify({ ...report, rssMb: Math.round(process.memoryUsage().rss / 2 ** 20) })}\n`);
process.exit(0);
