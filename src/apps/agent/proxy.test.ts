// The whole of `proxy` on a host in virtual time: which requests and signals Envoy gets, and when.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, fakeHost, readyEnvoy, refused } from './fake-host.ts';
import { runProxy } from './proxy.ts';

const env = {
  PROXY_CONFIG: '{"customConfigFile":"/b.json","configPath":"/etc/p"}',
  FAIRWAY_DRAIN_DEADLINE: '28s',
  FILE_MOUNTED_CERTS: 'true',
};
const filesWithAnnotations = (annotations: string): Record<string, string> => ({
  './etc/istio/pod/annotations': annotations,
});

function messages(lines: readonly string[]): string[] {
  return lines.map((line) => line.split('\t')[2] ?? line);
}

test('starts Envoy, tells when it is ready, drains it on SIGTERM, stops it', async () => {
  const host = fakeHost();
  const code = runProxy(['sidecar'], env, host);
  await host.advance(10);
  assert.equal(host.spawned[0]?.path, '/usr/local/bin/envoy');
  assert.equal(host.written.get('/etc/p/envoy.pid'), '{"pid":4711,"startTicks":99,"agent":{"pid":42,"startTicks":7}}');
  assert.equal((await host.ask({ path: '/healthz/ready' }))?.status, 200);
  await host.advance(9990);
  host.terminate();
  await host.advance(0);
  assert.equal((await host.ask({ path: '/healthz/ready' }))?.status, 503);
  await host.advance(5000);
  assert.equal(await code, 0);
  assert.deepEqual(host.signals, ['15000 SIGTERM']);
  assert.deepEqual(
    host.requests.filter((line) => line.includes('POST')),
    ['10000 POST 15000 /drain_listeners?inboundonly&graceful'],
  );
  assert.equal(host.written.has('/etc/p/envoy.pid'), false);
  assert.deepEqual(messages(host.lines), [
    'identity comes from',
    'serving secrets',
    'neither process nor TCP port of the application is known: the drain will not wait for it',
    'proxy is ready',
    'draining',
    'stopping the proxy',
    'proxy has ended',
  ]);
});

test('looks until Envoy is ready, every 100 ms', async () => {
  let asked = 0;
  const host = fakeHost({ fetch: (request) => (asked++ < 3 ? refused : readyEnvoy(request)) });
  void runProxy([], env, host);
  await host.advance(1000);
  assert.ok(
    host.lines.some((line) => line.includes('proxy is ready\tafterMs=300')),
    host.lines.join('\n'),
  );
});

test('exit on zero asks the counters and waits for the application', async () => {
  const given = {
    ...env,
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true',
    MINIMUM_DRAIN_DURATION: '1s',
    ISTIO_META_POD_PORTS: '[{"containerPort":8080}]',
    INSTANCE_IP: '10.0.0.7',
  };
  let appAlive = true;
  const dials: string[] = [];
  const host = fakeHost({
    fetch: (request) =>
      request.path.includes('downstream')
        ? answer(200, 'listener.0.0.0.0_15006.downstream_cx_active: 0\n')
        : readyEnvoy(request),
    dial: (port, target) => {
      dials.push(`${target}:${port}`);
      return { kind: appAlive && target === '10.0.0.7' ? 'open' : 'refused' };
    },
  });
  const code = runProxy(['sidecar'], given, host);
  await host.advance(0);
  host.terminate();
  await host.advance(4000);
  assert.deepEqual(host.signals, []);
  appAlive = false;
  await host.advance(3000);
  assert.equal(await code, 0);
  assert.deepEqual(dials.slice(0, 2), ['127.0.0.1:8080', '10.0.0.7:8080']);
  assert.equal(host.signals.length, 1);
  assert.ok(host.requests.some((line) => line.endsWith('/stats?usedonly&filter=downstream_cx_active$')));
});

for (const [args, asks] of [
  [[], 'downstream_(cx|rq)_active'],
  [['--without', 'exit-on-zero'], 'downstream_cx_active'],
  [['--compat', 'istio'], 'downstream_cx_active'],
] as const)
  test(`--exit-on-zero requests ${args.join(' ')}: ${asks} is asked for`, async () => {
    const host = fakeHost({
      fetch: (request) => (request.path.includes('downstream') ? answer(200, 'x.y: 0\n') : readyEnvoy(request)),
    });
    const given = { ...env, EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '0s' };
    const code = runProxy(['sidecar', '--exit-on-zero', 'requests', ...args], given, host);
    await host.advance(0);
    host.terminate();
    await host.advance(3000);
    assert.equal(await code, 0);
    assert.ok(
      host.requests.some((line) => line.endsWith(`/stats?usedonly&filter=${asks}$`)),
      host.requests.join('\n'),
    );
  });

test('waits for processes of the application where somebody tells of them, and dials nothing', async () => {
  const given = {
    ...env,
    ISTIO_META_POD_PORTS: '[{"containerPort":8080}]',
    FAIRWAY_APP_RUNNING: '/running/app:/running/worker',
    FAIRWAY_DRAIN_DEADLINE: '60s',
  };
  const host = fakeHost();
  host.files.write('/running/app', '');
  host.files.write('/running/worker', '');
  const code = runProxy(['sidecar'], given, host);
  await host.advance(0);
  host.terminate();
  await host.advance(20_000);
  host.files.remove('/running/app');
  await host.advance(10_000);
  assert.deepEqual(host.signals, []);
  host.files.remove('/running/worker');
  await host.advance(100);
  assert.equal(await code, 0);
  assert.deepEqual(host.signals, ['30050 SIGTERM']);
  const draining = host.lines.find((line) => line.includes('draining'));
  assert.match(draining ?? '', /waitsForProcesses=.*\/running\/app.*\/running\/worker/);
});

test('Envoy that ends by itself: its code, the log, the termination message', async () => {
  const host = fakeHost();
  const code = runProxy(['sidecar'], env, host);
  await host.advance(500);
  host.endEnvoy({ kind: 'signal', name: 'SIGSEGV', number: 11 });
  await host.advance(0);
  assert.equal(await code, 139);
  assert.equal(host.written.get('/dev/termination-log'), 'Envoy ended by itself while serving: signal SIGSEGV');
});

test('with --compat istio: the status port closes at SIGTERM, Envoy is killed, its own end is a success', async () => {
  const host = fakeHost();
  const code = runProxy(['sidecar', '--compat', 'istio'], env, host);
  await host.advance(0);
  host.terminate();
  await host.advance(0);
  assert.equal(await host.ask({ path: '/healthz/ready' }), undefined);
  await host.advance(5000);
  assert.equal(await code, 0);
  assert.deepEqual(host.signals, ['5000 SIGKILL']);
  const crashing = fakeHost();
  const crashed = runProxy(['sidecar'], { ...env, FAIRWAY_COMPAT: 'istio' }, crashing);
  await crashing.advance(0);
  crashing.endEnvoy({ kind: 'code', code: 1 });
  await crashing.advance(0);
  assert.equal(await crashed, 0);
  assert.equal(crashing.written.has('/dev/termination-log'), false);
});

test('a program that is not there', async () => {
  const host = fakeHost({ notStarted: 'spawn /usr/local/bin/envoy ENOENT' });
  assert.equal(await runProxy([], env, host), 127);
  assert.match(host.lines.join('\n'), /proxy ended by itself.*ENOENT/);
});

test('the status port is taken: unavailable, and Envoy is not started', async () => {
  const host = fakeHost({ portTaken: true });
  assert.equal(await runProxy([], env, host), 69);
  assert.equal(host.spawned.length, 0);
});

test('the Envoy of an agent before is ended first: SIGTERM, then SIGKILL', async () => {
  const host = fakeHost({ deaf: true, files: { '/etc/p/envoy.pid': '{"pid":77,"startTicks":5}' } });
  host.alive.set(77, 5);
  void runProxy([], env, host);
  await host.advance(0);
  assert.equal(host.spawned.length, 0);
  await host.advance(1100);
  assert.deepEqual(host.signals, ['0 SIGTERM 77', '1000 SIGKILL 77']);
  assert.equal(host.spawned.length, 1);
});

test('what is asked while the old Envoy still ends is done once the new one runs', async () => {
  const host = fakeHost({ deaf: true, files: { '/etc/p/envoy.pid': '{"pid":77,"startTicks":5}' } });
  host.alive.set(77, 5);
  const code = runProxy([], env, host);
  await host.advance(0);
  await host.ask({ path: '/quitquitquit', method: 'POST' });
  assert.equal(host.spawned.length, 0);
  await host.advance(3000);
  assert.equal(await code, 0);
  assert.deepEqual(host.signals, ['0 SIGTERM 77', '1000 SIGKILL 77', '1000 SIGTERM', '2000 SIGKILL']);
});

test('a pod with IPv6 only: Envoy is asked on ::1', async () => {
  const hosts = new Set<string>();
  const host = fakeHost({
    addresses: ['fd00::7'],
    fetch: (request) => {
      hosts.add(request.host);
      return readyEnvoy(request);
    },
  });
  void runProxy([], { ...env, INSTANCE_IP: 'fd00::7' }, host);
  await host.advance(100);
  assert.deepEqual([...hosts], ['::1']);
  assert.ok(host.spawned[0]?.args.join(' ').includes('--local-address-ip-version v6'));
});

test('a stranger with the same pid is left alone', async () => {
  const host = fakeHost({ files: { '/etc/p/envoy.pid': '{"pid":77,"startTicks":5}' } });
  host.alive.set(77, 6);
  void runProxy([], env, host);
  await host.advance(0);
  assert.deepEqual(host.signals, []);
  assert.equal(host.spawned.length, 1);
});

const wrong: readonly (readonly [
  what: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  problem: RegExp,
])[] = [
  ['an unknown type', ['nonsense'], env, /nonsense.* is no type of proxy/],
  ['a flag without sense', ['--drain-deadline', 'soon'], env, /--drain-deadline soon: not a duration/],
  ['a template that is not there', ['--templateFile', '/t.json'], {}, /cannot read the template.*\/t.json/],
  ['metadata that istiod cannot read', [], { ...env, ISTIO_META_DNS_CAPTURE: 'yes' }, /ISTIO_META_DNS_CAPTURE: .*yes/],
  ['a probe without handler', [], { ...env, ISTIO_KUBE_APP_PROBERS: '{"/app-health/a/livez":{}}' }, /0 handlers/],
  [
    'a scrape of the status port',
    [],
    { ...env, ISTIO_PROMETHEUS_ANNOTATIONS: '{"scrape":"true","port":"15020"}' },
    /15020 cannot be scraped/,
  ],
  ['broken YAML', [], { PROXY_CONFIG: '{' }, /PROXY_CONFIG/],
];
for (const [what, args, given, problem] of wrong) {
  test(`refused with code 2 before anything starts: ${what}`, async () => {
    const host = fakeHost();
    assert.equal(await runProxy(args, given, host), 2);
    assert.match(host.lines.join('\n'), problem);
    assert.equal(host.spawned.length, 0);
  });
}

for (const ports of ['{}', '[{"containerPort":0}]', '[{"containerPort":80,"name":7}]'])
  test(`ports that are none are told once: ${ports}`, async () => {
    const host = fakeHost();
    assert.equal(await runProxy([], { ...env, ISTIO_META_POD_PORTS: ports }, host), 2);
    assert.equal(host.lines.filter((line) => line.includes('ISTIO_META_POD_PORTS')).length, 1, host.lines.join('\n'));
  });

test('an environment variable that cannot be read is told, and its default holds', async () => {
  const host = fakeHost();
  void runProxy([], { ...env, MINIMUM_DRAIN_DURATION: 'soon' }, host);
  await host.advance(0);
  assert.match(host.lines[0] ?? '', /MINIMUM_DRAIN_DURATION=soon is not a duration, as 500ms, 5s or 1m30s: 5s holds/);
  assert.equal(host.spawned.length, 1);
});

test('annotations of the pod override the status port and the drain', async () => {
  const files = filesWithAnnotations(
    'proxy.istio.io/config="{\\"terminationDrainDuration\\": \\"2s\\"}"\nstatus.sidecar.istio.io/port="0"\n',
  );
  const host = fakeHost({ files, portTaken: true });
  const code = runProxy([], env, host);
  await host.advance(0);
  host.terminate();
  await host.advance(2000);
  assert.equal(await code, 0);
  assert.deepEqual(host.signals, ['2000 SIGTERM']);
});

test('DNS on port 53 as root: Envoy runs as user 1337; a compliance policy limits ciphers', async () => {
  const host = fakeHost();
  void runProxy([], { ...env, DNS_PROXY_ADDR: '127.0.0.1:53', COMPLIANCE_POLICY: 'fips-140-2' }, host);
  await host.advance(0);
  assert.deepEqual(host.spawned[0]?.user, { uid: 1337, gid: 1337 });
  assert.match(host.spawned[0]?.env['GRPC_SSL_CIPHER_SUITES'] ?? '', /GCM/);
});
