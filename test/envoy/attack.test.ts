// Bad clients of the agent's ports, which every process of the pod and much of the cluster can reach: the agent answers or hangs up, stays ready for
// others meanwhile, keeps its Envoy, and does not grow. The built agent and the sources on Node: their HTTP servers are not the same program.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { buildAgent } from '../../scripts/build-agent.ts';
import { freePorts, startScene, until } from './scene.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-attack-'));
let built = '';
before(() => {
  built = buildAgent('linux-x64', folder);
});
after(() => rmSync(folder, { recursive: true }));

const crlf = '\r\n';
const head = (line: string, ...headers: readonly string[]): string => [line, 'Host: a', ...headers, '', ''].join(crlf);
const get = head('GET /healthz/ready HTTP/1.1');

/** What is sent on a connection of its own, at once. */
const attacks: Readonly<Record<string, string | Buffer>> = {
  nothing: '',
  'random bytes': Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251)),
  zeros: Buffer.alloc(100_000),
  'a TLS hello': Buffer.from('160301020001000001fc0303', 'hex'),
  'the preface of HTTP/2': `PRI * HTTP/2.0${crlf}${crlf}SM${crlf}${crlf}`,
  'half a request': 'GET /healthz/ready HTTP/1.1\r\nHost',
  'a long line': `GET /${'x'.repeat(2 ** 20)} HTTP/1.1${crlf}`,
  'a long header': head('GET /healthz/ready HTTP/1.1', `X: ${'x'.repeat(2 ** 20)}`),
  'many headers': head('GET /healthz/ready HTTP/1.1', ...Array.from({ length: 50_000 }, (_, i) => `X${i}: y`)),
  'two lengths': `${head('POST /drain HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0${crlf}${crlf}`,
  'a negative length': head('POST /healthz/ready HTTP/1.1', 'Content-Length: -1'),
  'a length that is none': head('POST /healthz/ready HTTP/1.1', 'Content-Length: 1e9x'),
  'a chunk that is none': `${head('POST /healthz/ready HTTP/1.1', 'Transfer-Encoding: chunked')}zz${crlf}`,
  'a huge chunk': `${head('POST /healthz/ready HTTP/1.1', 'Transfer-Encoding: chunked')}ffffffffffffffff${crlf}x`,
  'a body that never ends': `${head('POST /healthz/ready HTTP/1.1', 'Content-Length: 1000000000')}${'x'.repeat(2 ** 20)}`,
  'an upgrade': head('GET /healthz/ready HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'),
  'a tunnel': head('CONNECT 127.0.0.1:15000 HTTP/1.1'),
  'an absolute address': head('GET http://127.0.0.1:15000/quitquitquit HTTP/1.1'),
  'an asterisk': head('OPTIONS * HTTP/1.1'),
  'a path that is none': head('GET /%00%ff/../../etc/passwd?%zz HTTP/1.1'),
  'no host': `GET /healthz/ready HTTP/1.1${crlf}${crlf}`,
  'another version': head('GET /healthz/ready HTTP/9.9'),
  'many at once': get.repeat(2000),
  expectation: head('POST /healthz/ready HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 5'),
  'a zip that is none': head(
    'GET /metrics HTTP/1.1',
    'Accept-Encoding: gzip;q=x, zstd;;;,,',
    'X-Prometheus-Scrape-Timeout-Seconds: NaN',
  ),
  'a probe that is none': head('GET /app-health/__proto__/livez HTTP/1.1'),
};

for (const [runtime, agentOf] of [
  ['built', () => ({ agent: built })],
  ['sources', () => ({})],
] as const) {
  test(`bad clients: ${runtime}`, { timeout: 300_000 }, async (t) => {
    const [dns = 0] = await freePorts(1);
    const env = { ISTIO_META_ENABLE_DNS_SERVER: 'true', DNS_PROXY_ADDR: `127.0.0.1:${dns}` };
    const scene = await startScene(t, { ...agentOf(), env });
    // Not ready, since no table of names ever comes: it lives when its status port answers.
    await until('the agent', () => answers(scene.ports.status).catch(() => false), 60_000);
    await until('Envoy', () => existsSync(join(scene.folder, 'config', 'envoy.pid')), 60_000);
    const pid = scene.envoyPid();
    for (const [what, bytes] of Object.entries(attacks)) {
      const socket = await sent(t, scene.ports.status, bytes);
      assert.equal(await answers(scene.ports.status), true, what);
      socket.destroy();
    }
    const idle = await Promise.all(Array.from({ length: 300 }, () => sent(t, scene.ports.status, 'GET')));
    assert.equal(await answers(scene.ports.status), true, 'with 300 connections that say nothing more');
    for (const socket of idle) socket.destroy();
    await attackDns(t, dns);
    assert.equal(await answers(scene.ports.status), true, 'after bad DNS messages');
    assert.equal(scene.agent.process.exitCode, null);
    assert.equal(scene.envoyPid(), pid);
    assert.deepEqual(
      scene.agent.log().filter(({ level }) => level === 'error'),
      [],
    );
    const limit = runtime === 'built' ? 128 : 400;
    assert.ok(residentMb(scene.agent.process.pid ?? 0) < limit, `${residentMb(scene.agent.process.pid ?? 0)} MB`);
    scene.agent.process.kill('SIGTERM');
    assert.equal((await scene.agent.ended).code, 0);
  });
}

/** Connects, writes, and waits until all is written or the other side has had enough. */
function sent(t: TestContext, port: number, bytes: string | Buffer): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const socket = connect({ host: '127.0.0.1', port });
  t.after(() => socket.destroy());
  const done = (): void => resolve(socket);
  socket.on('error', done);
  socket.on('close', done);
  socket.on('data', () => undefined);
  socket.setTimeout(5000, done);
  socket.on('connect', () => socket.write(bytes, done));
  return promise;
}

/** Whether the port answers a good request, whatever it says. */
async function answers(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(30_000);
  const answer = await fetch(`http://127.0.0.1:${port}/healthz/ready`, { signal, headers: { connection: 'close' } });
  await answer.text();
  return answer.status === 200 || answer.status === 503;
}

async function attackDns(t: TestContext, port: number): Promise<void> {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  for (let i = 0; i < 2000; i++) {
    const bytes = Buffer.from(Array.from({ length: (i * 31) % 600 }, (_, j) => (i * j * 131) % 256));
    await new Promise((resolve) => socket.send(bytes, port, '127.0.0.1', resolve));
  }
  const streams = await Promise.all(
    [Buffer.alloc(70_000, 255), Buffer.from([0]), Buffer.from([0, 12, ...Array<number>(12).fill(255)])].map((bytes) =>
      sent(t, port, bytes),
    ),
  );
  for (const stream of streams) stream.destroy();
}

function residentMb(pid: number): number {
  return Number(/^Rss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
}
