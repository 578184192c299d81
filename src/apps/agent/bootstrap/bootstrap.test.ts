// Which bootstrap Envoy is started with, and what is left of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeHost } from '../fake-host.ts';
import { runProxy } from '../proxy.ts';

const own = '/etc/p/envoy-rev.json';
const istio = './var/lib/istio/envoy/envoy_bootstrap_tmpl.json';
const env = { PROXY_CONFIG: '{"configPath":"/etc/p"}', POD_NAME: 'a', POD_NAMESPACE: 'shop' };

const rows: readonly (readonly [
  what: string,
  given: {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
  },
  path: string,
  text: RegExp | undefined,
])[] = [
  ["Fairway's own", {}, own, /"id": "sidecar~10\.0\.0\.7~a\.shop~shop\.svc\.cluster\.local"/],
  ["Istio's, where it is", { files: { [istio]: 'istio {{ .nodeID }}' } }, own, /^istio sidecar~/],
  ['a template by flag', { args: ['--templateFile=/t'], files: { '/t': 'flag', [istio]: 'i' } }, own, /^flag$/],
  [
    'a template by environment',
    { args: ['--templateFile=/t'], env: { ISTIO_BOOTSTRAP: '/e.yaml.tmpl' }, files: { '/e.yaml.tmpl': 'env' } },
    '/etc/p/envoy-rev.yaml',
    /^env$/,
  ],
  ['a given file', { env: { PROXY_CONFIG: '{"configPath":"/etc/p","customConfigFile":"/c"}' } }, '/c', undefined],
];
for (const [what, given, path, text] of rows) {
  test(`the bootstrap: ${what}`, async () => {
    const host = fakeHost({ files: given.files ?? {} });
    const code = runProxy(['sidecar', ...(given.args ?? [])], { ...env, ...given.env }, host);
    await host.advance(10);
    assert.equal(host.spawned[0]?.args[1], path);
    if (text === undefined) assert.equal(host.written.has(path), false);
    else assert.match(host.written.get(path) ?? '', text);
    host.endEnvoy({ kind: 'code', code: 0 });
    await host.advance(10);
    assert.equal(await code, 0);
    assert.equal(host.written.has(path), false);
  });
}

test('a template that cannot be rendered: Envoy is not started', async () => {
  const host = fakeHost({ files: { '/t': '{{ .a.b.c }' } });
  assert.equal(await runProxy(['sidecar', '--templateFile=/t'], env, host), 69);
  assert.match(host.lines.join('\n'), /the template of the bootstrap: /);
  assert.equal(host.spawned.length, 0);
});

test('the node tells its pod, and what was left out is in the log', async () => {
  const host = fakeHost({
    files: {
      './etc/istio/pod/labels': 'app="web"\n',
      './etc/istio/pod/annotations': 'sidecar.istio.io/statsFlushInterval="soon"\n',
    },
    names: { statsd: ['9.9.9.9'] },
    addresses: ['10.0.0.7', 'fd00::7'],
  });
  const config = '{"configPath":"/etc/p","statsdUdpAddress":"statsd:8125"}';
  void runProxy(['sidecar'], { ...env, PROXY_CONFIG: config, INSTANCE_IP: 'fd00::7' }, host);
  await host.advance(10);
  const { node, stats_sinks: sinks } = JSON.parse(host.written.get(own) ?? '') as {
    readonly node: { readonly metadata: Readonly<Record<string, unknown>> };
    readonly stats_sinks: unknown;
  };
  assert.equal(node.metadata['INSTANCE_IPS'], 'fd00::7,10.0.0.7');
  assert.deepEqual(node.metadata['LABELS'], { app: 'web' });
  assert.match(JSON.stringify(sinks), /"address":"9.9.9.9","port_value":8125/);
  assert.match(host.lines.join('\n'), /statsFlushInterval: soon is no duration/);
});

test('proxyless gRPC: its bootstrap is written, and readiness waits for its certificates', async () => {
  const host = fakeHost();
  void runProxy(['sidecar'], { ...env, GRPC_XDS_BOOTSTRAP: '/g.json', OUTPUT_CERTS: '/certs' }, host);
  await host.advance(10);
  assert.match(host.written.get('/g.json') ?? '', /"server_uri": "unix:\/\/\/\/etc\/p\/XDS"/);
  const ready = await host.ask({ path: '/healthz/ready' });
  assert.match(typeof ready?.body === 'string' ? ready.body : '', /\/certs\/cert-chain.pem is not there yet/);
});

test('without an Envoy the agent serves until it is told to end', async () => {
  const host = fakeHost();
  const proxyless = { ...env, DISABLE_ENVOY: 'true', GRPC_XDS_BOOTSTRAP: '/g.json' };
  const code = runProxy(['sidecar'], proxyless, host);
  await host.advance(10);
  assert.equal(host.spawned.length, 0);
  assert.equal(host.written.has('/g.json'), true);
  assert.equal((await host.ask({ path: '/healthz/ready' }))?.status, 200);
  await host.ask({ path: '/quitquitquit', method: 'POST' });
  assert.equal(await code, 0);
  assert.equal(await host.ask({ path: '/healthz/ready' }), undefined);
  const signalled = fakeHost();
  const second = runProxy(['sidecar'], proxyless, signalled);
  await signalled.advance(10);
  signalled.terminate();
  assert.equal(await second, 0);
});

test('without an Envoy: the status port is taken', async () => {
  const host = fakeHost({ portTaken: true });
  assert.equal(await runProxy(['sidecar'], { ...env, DISABLE_ENVOY: 'true' }, host), 69);
});
