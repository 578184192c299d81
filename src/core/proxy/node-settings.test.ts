import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingIn, type NodeSettings, withNodeSettings } from './node-settings.ts';
import { effectiveProxyConfig } from './proxy-config.ts';

const nothing: NodeSettings = {
  concurrency: 0,
  cpuLimit: 0,
  serviceCluster: 'istio-proxy',
  templateFile: '',
  statsdAddress: '',
};

const rows: readonly (readonly [what: string, yaml: string, given: Partial<NodeSettings>, told: object])[] = [
  ['threads: the flag first', 'concurrency: 4', { concurrency: 3, cpuLimit: 2 }, { concurrency: 3 }],
  ['threads: then ProxyConfig', 'concurrency: 4', { cpuLimit: 2 }, { concurrency: 4 }],
  ['threads: one for each CPU, if ProxyConfig says so', 'concurrency: 0', { cpuLimit: 2 }, { concurrency: 0 }],
  ['threads: then the CPU limit', '', { cpuLimit: 2 }, { concurrency: 2 }],
  ['statsd by address', 'statsdUdpAddress: s:1', { statsdAddress: '9.9.9.9:1' }, { statsdUdpAddress: '9.9.9.9:1' }],
  ['statsd that has none', 'statsdUdpAddress: s:1', {}, { statsdUdpAddress: undefined }],
  ['an empty name of the service', 'serviceCluster: ""', { serviceCluster: 'a' }, { serviceCluster: 'a' }],
  ['a name of the service', 'serviceCluster: b', { serviceCluster: 'a' }, { serviceCluster: 'b' }],
  [
    'a way of naming',
    'tracingServiceName: CANONICAL_NAME_ONLY',
    { serviceCluster: 'a' },
    { serviceCluster: undefined },
  ],
  ['a template', 'proxyBootstrapTemplatePath: /a', { templateFile: '/b' }, { proxyBootstrapTemplatePath: '/b' }],
  [
    'no template beside a given file',
    'customConfigFile: /c',
    { templateFile: '/b' },
    { proxyBootstrapTemplatePath: undefined },
  ],
];
for (const [what, environmentYaml, given, told] of rows) {
  test(`what the node adds to ProxyConfig: ${what}`, () => {
    const { raw } = withNodeSettings(effectiveProxyConfig({ environmentYaml }).config, { ...nothing, ...given });
    for (const [field, value] of Object.entries(told)) assert.deepEqual(raw[field], value);
  });
}

test('what must not be empty', () => {
  const { config } = effectiveProxyConfig({ environmentYaml: 'configPath: ""\nbinaryPath: ""\ndiscoveryAddress: ""' });
  assert.deepEqual(
    missingIn(config).map(({ path }) => path),
    ['configPath', 'binaryPath', 'discoveryAddress'],
  );
});
