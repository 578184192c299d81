// Krispr's reviews over TLS with keep-alive, as API servers send them: what one costs the server in CPU time, and how long one takes
// at 500 a second. The server is a process of its own, so that its CPU time is its own; the load comes from this one, over the loopback.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issue, newAuthority } from '../src/apps/admission/authority.ts';
import type { Row } from './measure.ts';

export const title = 'admission: /krispr over TLS, HTTP/1.1 keep-alive, 8 connections';

const cli = new URL('../src/cli/main.ts', import.meta.url).pathname;
const connections = 8;
const warmUpReviews = 2000;
const countedReviews = 6000;
const perSecond = 500;
const pacedSeconds = 5;

interface Server {
  readonly port: number;
  readonly cpuSeconds: () => Promise<number>;
  readonly stop: () => Promise<void>;
  readonly agent: Agent;
}

export async function run(): Promise<Row[]> {
  const server = await start();
  try {
    const rows: Row[] = [];
    for (const kilobytes of [10, 50]) {
      const bodies = [review(kilobytes, 'b-2'), review(kilobytes, 'a-1')];
      const cold = await cpuPerThousand(server, bodies, warmUpReviews);
      const warm = await cpuPerThousand(server, bodies, countedReviews);
      rows.push({ name: `CPU time of 1,000 reviews of ${kilobytes} kB`, coldMs: cold, medianMs: warm });
    }
    const paced = await latencies(server, [review(10, 'b-2'), review(10, 'a-1')]);
    rows.push({ name: `p50 at ${perSecond}/s, 10 kB`, coldMs: paced.p50, medianMs: paced.p50 });
    rows.push({ name: `p99 at ${perSecond}/s, 10 kB`, coldMs: paced.p99, medianMs: paced.p99, goalMs: 5 });
    return rows;
  } finally {
    await server.stop();
  }
}

async function start(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
  const life = { nowMs: Date.now(), lifeMs: 3_600_000 };
  const authority = await newAuthority(life);
  const { cert, key } = await issue(authority, ['localhost'], life);
  const files = {
    'rollouts.yml': 'production: {b-2: 100}\n',
    'fairway.yml': 'remutateAfter: 0\n',
    'tls.crt': cert,
    'tls.key': key,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const at = ['--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0', '--drain-delay', '0s'];
  const tls = ['--tls-cert', join(folder, 'tls.crt'), '--tls-key', join(folder, 'tls.key')];
  const child = spawn(
    process.execPath,
    [cli, 'admission', 'serve', '--config', folder, '--no-cluster', ...at, ...tls],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ports = await new Promise<{ port: number; metricsPort: number }>((resolve, reject) => {
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString('utf8')).slice(-10_000);
      const line = log.split('\n').find((each) => each.includes('"msg":"serving"'));
      if (line !== undefined) resolve(JSON.parse(line) as { port: number; metricsPort: number });
    });
    child.on('exit', () => reject(new Error(log)));
  });
  const exited = new Promise((resolve) => child.on('exit', resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: connections, ca: authority.cert });
  return {
    port: ports.port,
    agent,
    cpuSeconds: async () => {
      const text = await (await fetch(`http://127.0.0.1:${ports.metricsPort}/metrics`)).text();
      return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
    },
    stop: async () => {
      agent.destroy();
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

/** A pod of about this size; one label in ten is not today's and so costs a patch and a line of log. */
function review(kilobytes: number, revision: string): Buffer {
  const container = { name: 'app', image: 'example.test/app:1', env: [] as { name: string; value: string }[] };
  const pod = {
    metadata: { generateName: 'web-7d9c5b-', labels: { app: 'web', 'istio.io/rev': revision } },
    spec: { containers: [container] },
  };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  const body = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u-1', operation: 'CREATE', resource, namespace: 'shop', object: pod },
  };
  while (JSON.stringify(body).length < kilobytes * 1000)
    container.env.push({ name: `VARIABLE_${container.env.length}`, value: 'of some length' });
  return Buffer.from(JSON.stringify(body));
}

/** Milliseconds of the server's CPU time. */
async function cpuPerThousand(server: Server, bodies: readonly Buffer[], count: number): Promise<number> {
  const before = await server.cpuSeconds();
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < count) await post(server, pick(bodies, sent++));
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return (((await server.cpuSeconds()) - before) * 1e6) / count;
}

/** Sent by the clock whether or not answers have come: waiting for a slow answer would hide it. */
async function latencies(
  server: Server,
  bodies: readonly Buffer[],
): Promise<{ readonly p50: number; readonly p99: number }> {
  const taken: number[] = [];
  const pending: Promise<void>[] = [];
  const beganMs = performance.now();
  for (let i = 0; i < perSecond * pacedSeconds; i++) {
    const dueMs = (i * 1000) / perSecond;
    while (performance.now() - beganMs < dueMs) await new Promise((resolve) => setTimeout(resolve, 1));
    pending.push(post(server, pick(bodies, i)).then(() => void taken.push(performance.now() - beganMs - dueMs)));
  }
  await Promise.all(pending);
  taken.sort((a, b) => a - b);
  const at = (share: number): number => taken[Math.floor(taken.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

function pick(bodies: readonly Buffer[], i: number): Buffer {
  return bodies[i % 10 === 0 ? 1 : 0] ?? Buffer.alloc(0);
}

async function post({ port, agent }: Server, body: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const sent = request(
    { host: 'localhost', port, path: '/krispr?timeout=2s', method: 'POST', agent, headers },
    (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`HTTP ${response.statusCode}`)),
      );
    },
  );
  sent.on('error', reject);
  sent.end(body);
  return promise;
}
