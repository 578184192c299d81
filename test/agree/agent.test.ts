// Live oracle: Istio's pilot-agent and ours with `--compat istio`, in the same place with the same stub for an Envoy. What they start it with, ask of
// it, answer on the status port, and leave with is the same, except what is named here and told in docs/reference/agent-differences.md.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../envoy/scene.ts';
import { type How, type Life, type LifeOptions, life, type Who } from './agent-scene.ts';
import { type App, startApp } from './app.ts';

const both = ['istio', 'ours, compat istio'] as const;
const bounded = { timeout: 180_000 };

/** What is seen of an agent must be the same of both. */
function agree(what: string, options: LifeOptions, see: (life: Life, who: Who) => Promise<unknown>): void {
  test(`as Istio's agent: ${what}`, bounded, async (t: TestContext) => {
    const [theirs, ours] = await Promise.all(both.map(async (who) => see(await life(t, who, options), who)));
    assert.deepEqual(ours, theirs);
  });
}

/** Folder and ports differ from life to life. */
function neutral(text: string, { folder, ports }: Life): string {
  const named = Object.entries(ports).reduce((all, [name, port]) => all.replaceAll(String(port), name), text);
  return named.replaceAll(folder, 'FOLDER');
}

/** The whole life: what the stub saw in the end, and the exit code. */
async function ended(running: Life): Promise<unknown> {
  const code = await running.code();
  return { code, seen: running.stubLog().map((line) => neutral(line, running)) };
}

const fast = { terminationDrainDuration: '1s' };
const onZero = { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '1s' };
const settings: readonly (readonly [what: string, options: LifeOptions])[] = [
  ['as it comes', { config: fast }],
  ['a router', { config: fast, args: ['router'] }],
  ['exit on zero', { env: onZero, stub: { counts: [3, 1, 0] } }],
  ['exit on zero, no counter', { env: onZero, stub: { counts: ['none'] } }],
  [
    'exit on zero, errors',
    { env: onZero, stub: { counts: [1, 'error', 2, 'error', 'error', 'error', 'error', 'error', 9] } },
  ],
];
for (const [what, options] of settings) {
  agree(`SIGTERM, ${what}`, options, async (running) => {
    running.agent.process.kill('SIGTERM');
    return ended(running);
  });
}

agree('a second SIGTERM', { config: { terminationDrainDuration: '2s' } }, async (running) => {
  running.agent.process.kill('SIGTERM');
  await until('the drain', () => running.stubLog().some((line) => line.startsWith('POST')), 60_000);
  running.agent.process.kill('SIGTERM');
  return ended(running);
});

agree('during the drain the status port is closed', { config: { terminationDrainDuration: '3s' } }, async (running) => {
  running.agent.process.kill('SIGTERM');
  await until('the drain', () => running.stubLog().some((line) => line.startsWith('POST')), 60_000);
  const { status } = await running.ask('/healthz/ready');
  return { status, ...((await ended(running)) as object) };
});

agree('/drain, then SIGTERM', { config: fast }, async (running) => {
  assert.equal((await running.ask('/drain', { method: 'POST' })).status, 200);
  await until('the drain', () => running.stubLog().some((line) => line.startsWith('POST')), 60_000);
  assert.equal((await running.ask('/healthz/ready')).status, 200);
  running.agent.process.kill('SIGTERM');
  return ended(running);
});

agree('/quitquitquit', { config: fast }, async (running) => {
  await running.ask('/quitquitquit', { method: 'POST' }); // Istio's may be gone before it has answered
  return ended(running);
});

agree('Envoy ends by itself', { stub: { endsWith: 3 } }, async (running) => {
  writeFileSync(join(running.folder, 'end'), '');
  return ended(running);
});

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.internal === false && each.family === 'IPv4')?.address;

/** Who asks what. Their answers' texts are their own; what a caller goes by must be the same. */
const questions: readonly (readonly [path: string, how?: How])[] = [
  ...[
    '/healthz/ready',
    '/metrics',
    '/stats/prometheus',
    '/quitquitquit',
    '/drain',
    '/debug/ndsz',
    '/',
    '/nothing',
    '/healthz',
    '/healthz/ready/',
  ].flatMap((path) => ['GET', 'HEAD', 'PUT'].map((method) => [path, { method }] as const)),
  ['/healthz/ready', { method: 'POST' }],
  ['/healthz/ready?x=y'],
  ['//healthz/ready'],
  ['/debug/pprof/'],
  ['/metrics', { headers: { 'accept-encoding': 'gzip' } }],
  ['/metrics', { headers: { 'accept-encoding': 'gzip, zstd' } }],
  ['/metrics', { headers: { 'accept-encoding': 'zstd;q=0.1, gzip;q=0.2' } }],
  ['/metrics', { headers: { 'accept-encoding': 'br, identity' } }],
  ['/app-health/a/livez'],
  ['/app-lifecycle/a/prestopz', { method: 'POST' }],
  ...(['/healthz/ready', '/metrics', '/quitquitquit', '/drain', '/debug/ndsz', '/app-health/a/livez'] as const).flatMap(
    (path) => ['GET', 'POST'].map((method) => [path, { method, host: elsewhere ?? '' }] as const),
  ),
];

/** Differences that are meant: docs/reference/agent-differences.md. */
const unlike: readonly string[] = ['GET //healthz/ready {}', 'GET /debug/pprof/ {}'];

agree('who may ask what on the status port', {}, async (running) => {
  assert.ok(elsewhere !== undefined, 'this machine has no address but loopback');
  const told: Record<string, string> = {};
  for (const [path, how] of questions) {
    const { status, headers } = await running.ask(path, how);
    const name = `${how?.host === undefined ? '' : 'from elsewhere '}${how?.method ?? 'GET'} ${path} ${JSON.stringify(how?.headers ?? {})}`;
    if (!unlike.includes(name)) told[name] = `${status} ${headers['content-encoding'] ?? ''}`;
  }
  return told;
});

const paths = ['/ok', 'ok', '/ok?a=b', '/missing', '/broken', '/same', '/other', '/loop', '/large', '/late'] as const;

/** Every kind of handler, by a path of a probe. */
function probers(app: App): Record<string, object> {
  const http = (port: number, path: string, more: object = {}): object => ({
    httpGet: { port, path, ...more },
    timeoutSeconds: 1,
  });
  const handlers: Record<string, object> = {
    ...Object.fromEntries(paths.map((path, i) => [`http${i}`, http(app.http, path)])),
    host: http(app.http, '/ok', { host: '203.0.113.9' }),
    headers: http(app.http, '/ok', { httpHeaders: [{ name: 'X-Own', value: 'yes' }] }),
    https: http(app.https, '/ok', { scheme: 'HTTPS' }),
    h2: http(app.h2, '/ok', { scheme: 'HTTPS' }),
    refused: http(app.closed, '/ok'),
    tcp: { tcpSocket: { port: app.tcp }, timeoutSeconds: 1 },
    tcprefused: { tcpSocket: { port: app.closed }, timeoutSeconds: 1 },
    ...Object.fromEntries(
      ['', 'sick', 'unknown'].map((service, i) => [
        `grpc${i}`,
        { grpc: { port: app.grpc, service }, timeoutSeconds: 1 },
      ]),
    ),
    grpcrefused: { grpc: { port: app.closed }, timeoutSeconds: 1 },
  };
  return Object.fromEntries(Object.entries(handlers).map(([name, handler]) => [`/app-health/${name}/livez`, handler]));
}

const kubelet = { 'user-agent': 'kube-probe/1.37', accept: '*/*', 'x-more': 'more', connection: 'close' };

test("as Istio's agent: probes of the application", bounded, async (t) => {
  const app = await startApp(t);
  const env = { ISTIO_KUBE_APP_PROBERS: JSON.stringify(probers(app)) };
  const [theirs, ours] = await Promise.all(both.map(async (who) => probed(await life(t, who, { env }), app)));
  assert.deepEqual(ours, theirs);
});

/** Status and what the application saw, for each probe. */
async function probed(running: Life, app: App): Promise<Record<string, unknown>> {
  const told: Record<string, unknown> = {};
  for (const path of Object.keys(probers(app))) {
    const headers = { ...kubelet, host: `10.0.0.7:${running.ports.status}` };
    const { status, body } = await running.ask(path, { headers });
    told[path] = [status, status === 200 && body.length > 0 ? seenByApp(body) : ''];
  }
  return told;
}

/** Large bodies are cut; the others are what the application was asked. */
function seenByApp(body: Buffer): unknown {
  if (body[0] !== 123) return body.length;
  const { headers, ...told } = JSON.parse(body.toString('utf8')) as { readonly headers: Record<string, string> };
  // What Go's client adds by itself, and neither the kubelet nor ours does.
  const { 'accept-encoding': _, referer: __, ...sent } = headers;
  return { ...told, headers: sent };
}

const accepts = [
  undefined,
  'text/plain',
  '*/*',
  'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1',
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;q=0.2',
  'no media type;;',
] as const;
const merges: readonly (readonly [what: string, targets: (app: App) => object])[] = [
  ['nothing', () => ({ scrape: 'false' })],
  ['text', ({ http }) => ({ port: String(http), path: '/text' })],
  ['OpenMetrics', ({ http }) => ({ port: String(http), path: '/open' })],
  ['the older OpenMetrics', ({ http }) => ({ port: String(http), path: '/open1' })],
  ['another type', ({ http }) => ({ port: String(http), path: '/html' })],
  ['nobody there', ({ closed }) => ({ port: String(closed), path: '/text' })],
  ['missing', ({ http }) => ({ port: String(http), path: '/missing' })],
  ...(
    [
      ['several, alike', ['/open', '/open']],
      ['several, unlike', ['/open', '/text', '/unended']],
      ['several, one missing', ['/open', '/missing']],
    ] as const
  ).map(
    ([what, found]) =>
      [what, ({ http }: App) => ({ targets: found.map((path) => ({ port: String(http), path })) })] as const,
  ),
];

for (const [what, targets] of merges) {
  test(`as Istio's agent: merged metrics, the application has ${what}`, bounded, async (t) => {
    const app = await startApp(t);
    const env = { ISTIO_PROMETHEUS_ANNOTATIONS: JSON.stringify(targets(app)) };
    const [theirs, ours] = await Promise.all(both.map(async (who) => merged(await life(t, who, { env }))));
    assert.deepEqual(ours, theirs);
  });
}

/** Without the agents' own lines: the text, its type, and what Envoy was asked. */
async function merged(running: Life): Promise<unknown> {
  const told: unknown[] = [];
  for (const accept of accepts) {
    const headers = {
      'user-agent': 'Prometheus/3',
      'x-prometheus-scrape-timeout-seconds': '5',
      ...(accept === undefined ? {} : { accept }),
    };
    const { status, headers: answered, body } = await running.ask('/stats/prometheus?usedonly', { headers });
    const lines = body
      .toString('utf8')
      .split('\n')
      .filter((line) => !line.includes('istio_agent_'));
    told.push([status, answered['content-type'], lines]);
  }
  return {
    told,
    asked: running
      .stubLog()
      .filter((line) => line.startsWith('metrics'))
      .map(sameParameters),
  };
}

agree("names of the agent's own metrics", {}, async (running) => {
  const { body } = await running.ask('/metrics');
  const names = Array.from(
    body.toString('utf8').matchAll(/^# TYPE (istio_agent_\S+) (\w+)/gm),
    ([, name, type]) => `${name} ${type}`,
  );
  return names.filter((name) => !isUnlike(name)).toSorted();
});

/** Go's runtime is not ours; a failure that never was is 0 here, and no line there. */
function isUnlike(name: string): boolean {
  return name.startsWith('istio_agent_go_') || name.startsWith('istio_agent_scrape_failures_total');
}

/** Orders mean nothing. Istio's agent weighs and repeats its plain type once a scraper has sent a wildcard: it changes a list that all share. */
function sameParameters(line: string): string {
  const words = line.split(/[\s;,]+/).filter((word) => !word.startsWith('q='));
  return [...new Set(words)].toSorted().join(' ');
}
