// Which path, which method, who may ask; then what the answers hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProxyInput, parseAppProbes } from '../../../core/proxy/index.ts';
import type { Answer, Asked, Fetched, HttpRequest } from '../../../ports/host.ts';
import { answer, fakeHost, refused } from '../fake-host.ts';
import { appProbeHandler } from './app-probe.ts';
import { metricsHandler } from './metrics.ts';
import { ownMetrics } from './own-metrics.ts';
import { statusHandler } from './server.ts';

const from = (remoteAddress: string, method: string, path: string): Asked => ({
  method,
  path,
  query: '',
  headers: {},
  remoteAddress,
});

const routes: readonly (readonly [
  address: string,
  method: string,
  path: string,
  status: number,
  fed?: ProxyInput['kind'],
])[] = [
  ['10.0.0.9', 'GET', '/healthz/ready', 200],
  ['10.0.0.9', 'HEAD', '/healthz/ready', 200],
  ['10.0.0.9', 'GET', '/metrics', 222],
  ['10.0.0.9', 'GET', '/stats/prometheus', 222],
  ['10.0.0.9', 'GET', '/app-health/app/livez', 221],
  ['10.0.0.9', 'GET', '/app-lifecycle/app/prestopz', 221],
  ['127.0.0.1', 'POST', '/quitquitquit', 200, 'quit'],
  ['::1', 'POST', '/quitquitquit', 200, 'quit'],
  ['127.0.0.6', 'POST', '/drain', 200, 'drain'],
  ['127.0.0.1', 'GET', '/quitquitquit', 405],
  ['127.0.0.1', 'GET', '/drain', 405],
  ['10.0.0.9', 'POST', '/quitquitquit', 403],
  ['10.0.0.9', 'POST', '/drain', 403],
  ['1270.0.0.1', 'POST', '/drain', 403],
  ['127.0.0.1', 'GET', '/debug/ndsz', 200],
  ['10.0.0.9', 'GET', '/debug/ndsz', 403],
  ['127.0.0.1', 'GET', '/debug/pprof/', 404],
  ['127.0.0.1', 'GET', '/', 404],
];
for (const [address, method, path, status, fed] of routes) {
  test(`status server: ${method} ${path} from ${address}: ${status}`, async () => {
    const inputs: ProxyInput[] = [];
    const handler = statusHandler({
      readiness: () => Promise.resolve({ ready: true }),
      feed: (input) => inputs.push(input),
      appProbe: () => Promise.resolve({ status: 221, body: '' }),
      metrics: () => Promise.resolve({ status: 222, body: '' }),
      metricsLocalhostOnly: false,
      names: () => '{"table":{}}',
    });
    const found = await handler(from(address, method, path));
    assert.equal(found.status, status);
    assert.deepEqual(inputs, [], 'the answer goes out first');
    found.afterwards?.();
    assert.deepEqual(inputs, fed === undefined ? [] : [{ kind: fed }]);
  });
}

test('metrics for this machine only', async () => {
  const handler = statusHandler({
    readiness: () => Promise.resolve({ ready: false, because: 'no' }),
    feed: () => undefined,
    appProbe: () => Promise.resolve({ status: 221, body: '' }),
    metrics: () => Promise.resolve({ status: 222, body: '' }),
    metricsLocalhostOnly: true,
    names: () => undefined,
  });
  assert.equal((await handler(from('10.0.0.9', 'GET', '/metrics'))).status, 403);
  assert.equal((await handler(from('127.0.0.1', 'GET', '/metrics'))).status, 222);
  assert.deepEqual(await handler(from('127.0.0.1', 'GET', '/healthz/ready')), { status: 503, body: 'no\n' });
  assert.equal((await handler(from('127.0.0.1', 'GET', '/debug/ndsz'))).status, 404);
});

async function probe(
  handler: object,
  fetch: (request: HttpRequest) => Fetched,
  asked: Partial<Asked> = {},
): Promise<Answer & { requests: HttpRequest[] }> {
  const requests: HttpRequest[] = [];
  const host = fakeHost({
    fetch: (request) => {
      requests.push(request);
      return fetch(request);
    },
  });
  const { probes, problems } = parseAppProbes(JSON.stringify({ '/app-health/a/livez': handler }));
  assert.deepEqual(problems, []);
  const run = appProbeHandler({ host, probes, appHost: '10.0.0.7', statusPort: 15_020, http2: true });
  return { ...(await run({ ...from('10.0.0.9', 'GET', '/app-health/a/livez'), ...asked })), requests };
}

test('an HTTP probe: headers, host and path reach the application; its status and body come back', async () => {
  const handler = {
    httpGet: { port: 8080, path: 'health?x=1' },
    timeoutSeconds: 2,
  };
  const { status, body, requests } = await probe(handler, () => answer(418, 'teapot'), {
    headers: { host: '10.0.0.7:15020', 'user-agent': 'kube-probe/1.37', 'x-probe': 'yes', connection: 'close' },
  });
  assert.equal(status, 418);
  assert.equal(new TextDecoder().decode(body as Uint8Array), 'teapot');
  assert.deepEqual(requests[0], {
    method: 'GET',
    host: '10.0.0.7',
    port: 8080,
    path: '/health?x=1',
    headers: { host: '10.0.0.7:8080', 'user-agent': 'kube-probe/1.37', 'x-probe': 'yes' },
    tls: false,
    timeoutMs: 2000,
    maxBytes: 10_240,
    http2: true,
    localAddress: '127.0.0.6',
  });
});

const redirects: readonly (readonly [what: string, location: string, status: number, requests: number])[] = [
  ['to the same host: followed', '/other', 204, 2],
  ['to the same host by name: followed', 'http://10.0.0.7:9090/other', 204, 2],
  ['to another host: an answer', 'http://example.test/', 200, 1],
  ['that leads nowhere: an answer', 'http://[', 200, 1],
];
for (const [what, location, status, count] of redirects) {
  test(`an HTTP probe, redirect ${what}`, async () => {
    const found = await probe({ httpGet: { port: 8080, path: '/' } }, ({ path }) =>
      path === '/' ? answer(302, '', { location }) : answer(204),
    );
    assert.equal(found.status, status);
    assert.equal(found.requests.length, count);
    assert.equal(found.requests[0]?.timeoutMs, undefined);
  });
}

test('an HTTP probe: endless redirects and refused connections are 500', async () => {
  const endless = await probe({ httpGet: { port: 8080 } }, () => answer(302, '', { location: '/' }));
  assert.equal(endless.status, 500);
  assert.equal(endless.requests.length, 11);
  assert.equal((await probe({ httpGet: { port: 8080, scheme: 'HTTPS' } }, () => refused)).status, 500);
});

const others: readonly (readonly [handler: object, open: boolean, status: number])[] = [
  [{ tcpSocket: { port: 9 } }, true, 200],
  [{ tcpSocket: { port: 9 } }, false, 500],
  [{ grpc: { port: 9, service: 's' }, timeoutSeconds: 1 }, true, 200],
  [{ grpc: { port: 9 } }, false, 500],
];
for (const [handler, open, status] of others) {
  test(`a probe ${JSON.stringify(handler)}, ${open ? 'healthy' : 'not'}: ${status}`, async () => {
    const host = fakeHost({
      dial: () => ({ kind: open ? 'open' : 'refused' }),
      health: { kind: open ? 'open' : 'not-serving' },
    });
    const { probes } = parseAppProbes(JSON.stringify({ '/app-health/a/readyz': handler }));
    const run = appProbeHandler({ host, probes, appHost: '10.0.0.7', statusPort: 15_020, http2: true });
    assert.equal((await run(from('::1', 'GET', '/app-health/a/readyz'))).status, status);
    assert.equal((await run(from('::1', 'GET', '/app-health/b/readyz'))).status, 400);
  });
}

interface Merged {
  readonly text: string;
  readonly type: string | undefined;
  readonly requests: readonly HttpRequest[];
  readonly failures: readonly string[];
}

async function merge(
  parts: Readonly<Record<number, Fetched>>,
  targets: readonly number[],
  asked: Partial<Asked> = {},
): Promise<Merged> {
  const requests: HttpRequest[] = [];
  const host = fakeHost({
    fetch: (request) => {
      requests.push(request);
      return parts[request.port] ?? refused;
    },
  });
  const failures: string[] = [];
  const handler = metricsHandler({
    host,
    log: (_, __, fields) => failures.push(String(fields?.['problem'])),
    targets: targets.map((port) => ({ port, path: '/metrics' })),
    loopback: '127.0.0.1',
    envoyPort: 15_090,
    own: (scrapes) =>
      ownMetrics({
        scrapes,
        usage: fakeHost().processes.usage(),
        readyAfterMs: 1500,
        dns: {
          requests: 3,
          forwarded: 2,
          failures: 1,
          within: [
            [0.1, 1],
            [Number.POSITIVE_INFINITY, 2],
          ],
          tookSeconds: 0.25,
        },
        certificates: { orders: 2, refused: 1, tookMs: 120, expiresInMs: 3_600_000 },
      }),
  });
  const { body, headers } = await handler({ ...from('10.0.0.9', 'GET', '/metrics'), ...asked });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return { text: Buffer.concat(chunks).toString(), type: headers?.['content-type'], requests, failures };
}

const open = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

test("merged metrics: the agent's, Envoy's, the application's, with the type of the last", async () => {
  const { text, type, requests } = await merge(
    { 15_090: answer(200, 'envoy 1\n'), 8080: answer(200, 'app 1\n# EOF\n', { 'content-type': open }) },
    [8080],
    { query: 'usedonly', headers: { 'x-prometheus-scrape-timeout-seconds': '3', 'user-agent': 'prom' } },
  );
  assert.match(
    text,
    /^# TYPE istio_agent_[\s\S]*startup_duration_seconds 1\.5\n[\s\S]*istio_agent_dns_requests_total 3\n[\s\S]*_bucket\{le="0\.1"\} 1\n.*_bucket\{le="\+Inf"\} 2\n.*_sum 0\.25\n.*_count 2\n[\s\S]*cert_expiry_seconds\{resource_name="default"\} 3600\nenvoy 1\napp 1\n# EOF\n$/,
  );
  assert.equal(type, open);
  assert.deepEqual(
    requests.map(({ path, timeoutMs }) => [path, timeoutMs]),
    [
      ['/stats/prometheus?usedonly', 3000],
      ['/metrics', 3000],
    ],
  );
  assert.equal(requests[0]?.headers?.['user-agent'], 'prom');
});

test('merged metrics: parts that fail are left out and told', async () => {
  const { text, type, failures } = await merge({ 8080: answer(500) }, [8080]);
  assert.match(text, /istio_agent_scrape_failures_total\{type="application"\} 1\n.*\{type="envoy"\} 1\n/);
  assert.equal(type, 'text/plain; version=0.0.4; charset=utf-8');
  assert.deepEqual(failures.toSorted(), ['refused', 'status 500']);
});

test('merged metrics: a type that is not of Prometheus is not passed on', async () => {
  const { type } = await merge({ 8080: answer(200, 'a 1\n', { 'content-type': 'text/html' }) }, [8080]);
  assert.equal(type, 'text/plain; version=0.0.4; charset=utf-8');
});

test('merged metrics: each part is asked for what the scraper takes and what can be merged', async () => {
  const { requests } = await merge({}, [8080], { headers: { accept: 'application/openmetrics-text, text/plain' } });
  assert.deepEqual(
    requests.map(({ headers }) => headers?.['accept']),
    ['text/plain; q=0.1', 'application/openmetrics-text; q=0.2,text/plain; q=0.1'],
  );
});

test('merged metrics: several targets keep their order and one end of OpenMetrics', async () => {
  const app = (name: string, type: string): Fetched => answer(200, `${name} 1\n# EOF\n`, { 'content-type': type });
  const same = await merge({ 1: app('one', open), 2: app('two', open) }, [1, 2]);
  assert.match(same.text, /one 1\ntwo 1\n# EOF\n$/);
  assert.equal(same.type, open);
  const mixed = await merge({ 1: app('one', open), 2: app('two', 'text/plain') }, [1, 2]);
  assert.match(mixed.text, /one 1\ntwo 1\n$/);
  const unended = await merge({ 1: answer(200, 'one 1'), 2: answer(200, '') }, [1, 2]);
  assert.match(unended.text, /\none 1\n$/);
  const large: Fetched = { ...(answer(200, 'x') as Extract<Fetched, { kind: 'answer' }>), cut: true };
  const cut = await merge({ 1: large, 2: app('two', open) }, [1, 2]);
  assert.match(cut.failures.join(), /more than 10485760 bytes/);
  assert.match(cut.text, /\ntwo 1\n# EOF\n$/);
});
