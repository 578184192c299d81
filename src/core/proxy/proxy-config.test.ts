import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveProxyConfig, type ProxyConfig } from './proxy-config.ts';

const rows: readonly (readonly [
  what: string,
  layers: Parameters<typeof effectiveProxyConfig>[0],
  expected: Partial<Omit<ProxyConfig, 'raw'>>,
])[] = [
  [
    'defaults',
    {},
    {
      drainMs: 45_000,
      terminationDrainMs: 5000,
      adminPort: 15_000,
      statusPort: 15_020,
      concurrency: undefined,
      configPath: './etc/istio/proxy',
    },
  ],
  [
    'the mesh file: its defaultConfig',
    { meshYaml: 'defaultConfig:\n  statusPort: 1\nstatusPort: 2\n' },
    { statusPort: 1 },
  ],
  [
    'the environment over the mesh',
    { meshYaml: 'defaultConfig: {statusPort: 1, drainDuration: 7s}', environmentYaml: '{"statusPort": 2}' },
    { statusPort: 2, drainMs: 7000 },
  ],
  [
    'the annotation over the environment',
    { environmentYaml: 'concurrency: 2', annotations: { 'proxy.istio.io/config': 'concurrency: 0' } },
    { concurrency: 0 },
  ],
  [
    'single annotations over all',
    {
      environmentYaml: 'discoveryAddress: a:1',
      annotations: {
        'proxy.istio.io/config': 'discoveryAddress: b:1',
        'sidecar.istio.io/discoveryAddress': 'c:1',
        'status.sidecar.istio.io/port': '123',
      },
    },
    { discoveryAddress: 'c:1', statusPort: 123 },
  ],
  [
    'metadata merges by key',
    {
      environmentYaml: 'proxyMetadata: {A: "1", B: "2"}',
      annotations: { 'proxy.istio.io/config': 'proxyMetadata: {B: "3", C: "true"}' },
    },
    { proxyMetadata: { A: '1', B: '3', C: 'true' } },
  ],
  [
    'durations',
    { environmentYaml: 'terminationDrainDuration: 5m10s\ndrainDuration: 1.5s\nfileFlushInterval: 500ms' },
    { terminationDrainMs: 310_000, drainMs: 1500, fileFlushIntervalMs: 500 },
  ],
  [
    'empty layers',
    { meshYaml: '', environmentYaml: ' ', annotations: { 'proxy.istio.io/config': '# nothing' } },
    { statusPort: 15_020 },
  ],
];
for (const [what, layers, expected] of rows) {
  test(`ProxyConfig: ${what}`, () => {
    const { config, problems } = effectiveProxyConfig(layers);
    assert.deepEqual(problems, []);
    assert.deepEqual({ ...config, ...expected }, config);
  });
}

test('ProxyConfig: headers merge by field, lists and other maps are replaced', () => {
  const { config } = effectiveProxyConfig({
    environmentYaml:
      'proxyHeaders: {server: {disabled: true}, requestId: {}}\nextraStatTags: [a, b]\ntracing: {zipkin: {address: x}}',
    annotations: {
      'proxy.istio.io/config':
        'proxyHeaders: {requestId: {disabled: true}}\nextraStatTags: [c]\ntracing: {sampling: 1}',
    },
  });
  assert.deepEqual(config.raw['proxyHeaders'], { server: { disabled: true }, requestId: { disabled: true } });
  assert.deepEqual(config.raw['extraStatTags'], ['c']);
  assert.deepEqual(config.raw['tracing'], { sampling: 1 });
});

const wrong: readonly (readonly [layers: Parameters<typeof effectiveProxyConfig>[0], told: RegExp])[] = [
  [{ environmentYaml: '{' }, /PROXY_CONFIG/],
  [{ environmentYaml: '- a' }, /PROXY_CONFIG: is not a map/],
  [{ annotations: { 'proxy.istio.io/config': 'a: [' } }, /annotation proxy\.istio\.io\/config/],
  [{ environmentYaml: 'drainDuration: 310' }, /PROXY_CONFIG: 310 is not a duration/],
  [{ environmentYaml: 'drainDuration: "5 m"' }, /"5 m" is not a duration/],
  [{ environmentYaml: 'drainDuration: -5s' }, /"-5s" is no duration/],
  [{ environmentYaml: 'statusPort: 70000' }, /70000 is no integer from 0 to 65535/],
  [{ environmentYaml: 'proxyMetadata: {A: 1}' }, /1 is not a text/],
  [{ environmentYaml: 'configPath: [a]' }, /\["a"\] is not a text/],
  [{ annotations: { 'status.sidecar.istio.io/port': 'abc' } }, /"abc" is not a whole number/],
];
for (const [layers, told] of wrong) {
  test(`ProxyConfig: refused: ${JSON.stringify(layers)}`, () => {
    const { problems } = effectiveProxyConfig(layers);
    assert.equal(problems.length, 1);
    assert.match(`${problems[0]?.message}`, told);
  });
}
