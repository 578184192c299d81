import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInjector } from './config.ts';
import { defaultConfigText, defaultValuesText } from './default-template.ts';
import { indexProxyConfigs, proxyConfigResource } from './proxy-configs.ts';
import { injectReview } from './review.ts';

const config = parseInjector({
  config: defaultConfigText(),
  values: defaultValuesText({
    image: 'example.test/proxy:2',
    discovery: 'istiod.istio-system.svc:15012',
    revision: 'b-2',
  }),
  mesh: 'defaultConfig: {proxyMetadata: {FROM: mesh, MESH: "1"}}',
});

const resource = (namespace: string, spec: object, metadata: object = {}) =>
  proxyConfigResource({ metadata: { namespace, name: 'a', ...metadata }, spec });
const says = (from: string) => ({ environmentVariables: { FROM: from } });
const labelled = (from: string) => ({ ...says(from), selector: { matchLabels: { app: 'web' } } });
const annotation = { 'proxy.istio.io/config': 'proxyMetadata: {FROM: annotation}' };

const rows: readonly (readonly [
  name: string,
  resources: readonly ReturnType<typeof resource>[],
  annotated: boolean,
  from: string,
])[] = [
  ['nothing', [], false, 'mesh'],
  [
    'the root namespace is below the own one',
    [resource('istio-system', says('root')), resource('shop', says('own'))],
    false,
    'own',
  ],
  ['the root namespace alone', [resource('istio-system', says('root'))], false, 'root'],
  ['another namespace is none of its business', [resource('other', says('other'))], false, 'mesh'],
  ['the annotation is above the namespace', [resource('shop', says('own'))], true, 'annotation'],
  ['a workload is above the annotation', [resource('shop', labelled('workload'))], true, 'workload'],
  [
    'a workload of the root namespace only where it is the own',
    [resource('istio-system', labelled('root'))],
    false,
    'mesh',
  ],
  ['a selector without labels selects nothing', [resource('shop', { ...says('own'), selector: {} })], false, 'mesh'],
  [
    'the oldest counts',
    [
      resource('shop', says('young'), { creationTimestamp: '2026-02-01T00:00:00Z' }),
      resource('shop', says('old'), { name: 'b', creationTimestamp: '2026-01-01T00:00:00Z' }),
    ],
    false,
    'old',
  ],
  [
    'of one age the first by name',
    [resource('shop', says('b'), { name: 'b' }), resource('shop', says('a'))],
    false,
    'a',
  ],
  ['another revision', [resource('shop', says('own'), { labels: { 'istio.io/rev': 'a-1' } })], false, 'mesh'],
  ['its revision', [resource('shop', says('own'), { labels: { 'istio.io/rev': 'b-2' } })], false, 'own'],
  [
    'what is of no use',
    [resource('shop', { concurrency: 'x', image: 1, environmentVariables: { FROM: 2 } })],
    false,
    'mesh',
  ],
];
for (const [name, resources, annotated, from] of rows)
  test(`ProxyConfig: ${name}`, () => {
    const env = proxyEnv(resources, annotated ? annotation : {});
    assert.equal(env['FROM'], from);
    assert.equal(env['MESH'], '1');
  });

test('concurrency and image reach PROXY_CONFIG', () => {
  const env = proxyEnv([resource('shop', { concurrency: 0, image: { imageType: 'debug' } })], {});
  assert.match(env['PROXY_CONFIG'] ?? '', /"concurrency":0/);
  assert.match(env['PROXY_CONFIG'] ?? '', /"imageType":"debug"/);
});

/** The environment of the injected proxy. */
function proxyEnv(
  resources: readonly ReturnType<typeof resource>[],
  annotations: Record<string, string>,
): Record<string, string> {
  const object = {
    metadata: { name: 'web', labels: { app: 'web' }, annotations },
    spec: { containers: [{ name: 'app', image: 'example.test/app:1' }] },
  };
  const result = injectReview(
    { object, namespace: 'shop' },
    {
      config,
      revision: 'b-2',
      nativeSidecars: true,
      proxyEnv: {},
      compat: 'fairway',
      proxyConfigs: indexProxyConfigs(resources.filter((each) => each !== undefined)),
    },
  );
  assert.equal(result.kind, 'injected');
  const text = JSON.stringify(result.kind === 'injected' ? result.patch : []);
  const found = [...text.matchAll(/\{"name":"(FROM|MESH|PROXY_CONFIG)","value":("(?:[^"\\]|\\.)*")\}/g)];
  return Object.fromEntries(found.map(([, key = '', value = '""']) => [key, JSON.parse(value) as string]));
}
