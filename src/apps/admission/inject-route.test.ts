import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultConfigText, defaultValuesText } from '../../core/inject/index.ts';
import { fakeCluster } from './fake-cluster.ts';
import { injectRoute } from './inject-route.ts';
import { followInjectors } from './injector-configs.ts';
import type { Log } from './log.ts';
import type { Reviewed } from './reviewed.ts';

const values = defaultValuesText({
  image: 'example.test/proxy:2',
  discovery: 'istiod-b-2.istio-system.svc:15012',
  revision: 'b-2',
});
const injectorMap = {
  metadata: { uid: 'i', name: 'istio-sidecar-injector-b-2' },
  data: { config: defaultConfigText(), values },
};
const meshMap = {
  metadata: { uid: 'm', name: 'istio-b-2' },
  data: { mesh: 'defaultConfig:\n  discoveryAddress: istiod-b-2.istio-system.svc:15012\n' },
};
const node = (kubeletVersion: string) => ({
  metadata: { uid: kubeletVersion, name: kubeletVersion },
  status: { nodeInfo: { kubeletVersion } },
});

function start() {
  const cluster = fakeCluster();
  const lines: string[] = [];
  const line = (_fields: object, message: string): void => void lines.push(message);
  const log: Log = { debug: line, info: line, warn: line, error: line };
  const configs = followInjectors(cluster, ['b-2'], log);
  const { reviewer } = injectRoute({
    injectorOf: configs.of,
    native: configs.native,
    proxyConfigs: configs.proxyConfigs,
    compat: 'fairway',
    lifecycle: () => ({}),
    log,
  });
  return { cluster, configs, lines, reviewer };
}

function serving() {
  const world = start();
  world.cluster.put('configmaps/istio-sidecar-injector-b-2', injectorMap);
  world.cluster.put('configmaps/istio-b-2', meshMap);
  world.cluster.put('nodes', node('v1.36.1'));
  world.cluster.sync();
  return world;
}

const review = (metadata: object, changes: object = {}): object => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    operation: 'CREATE',
    resource: { group: '', resource: 'pods' },
    namespace: 'shop',
    object: {
      metadata: { name: 'web', ...metadata },
      spec: { containers: [{ name: 'app', image: 'example.test/app:1' }] },
    },
    ...changes,
  },
});

function answered(reviewed: Reviewed | undefined): Extract<Reviewed, { kind: 'answered' }> {
  assert.ok(reviewed?.kind === 'answered');
  return reviewed;
}

test('a revision is served once both of its ConfigMaps are there', () => {
  const { cluster, configs, reviewer } = start();
  cluster.sync();
  assert.equal(reviewer('b-2'), undefined);
  cluster.put('configmaps/istio-sidecar-injector-b-2', injectorMap);
  assert.deepEqual([reviewer('b-2'), configs.ready()], [undefined, false]);
  cluster.put('configmaps/istio-b-2', meshMap);
  assert.equal(configs.ready(), true);
  assert.notEqual(reviewer('b-2'), undefined);
  assert.equal(reviewer('c-3'), undefined);
});

test('a pod gets the proxy and the control plane of the revision, together', () => {
  const { reviewer } = serving();
  const { answer, verdict } = answered(reviewer('b-2')?.review(review({})));
  assert.equal(verdict, 'inject');
  const patch = JSON.stringify(answer.patch);
  assert.match(patch, /example\.test\/proxy:2/);
  assert.match(patch, /istiod-b-2\.istio-system\.svc:15012/);
});

test('parameters of the URL become environment of the proxy', () => {
  const { reviewer } = serving();
  const patch = JSON.stringify(answered(reviewer('b-2/cluster/east/net/n--slash--1')?.review(review({}))).answer.patch);
  assert.match(patch, /"ISTIO_META_CLUSTER_ID","value":"east"/);
  assert.match(patch, /"ISTIO_META_NETWORK","value":"n\/1"/);
});

test('one old node, and the sidecars of all pods are classic', () => {
  const { cluster, reviewer } = serving();
  const isNative = (): boolean =>
    JSON.stringify(answered(reviewer('b-2')?.review(review({}))).answer.patch).includes('"restartPolicy":"Always"');
  assert.equal(isNative(), true);
  cluster.put('nodes', node('v1.32.9'));
  assert.equal(isNative(), false);
  cluster.remove('nodes', 'v1.32.9');
  assert.equal(isNative(), true);
});

test('ProxyConfig resources reach the proxy, and a change of them at once', () => {
  const { cluster, reviewer } = serving();
  const patch = (): string => JSON.stringify(answered(reviewer('b-2')?.review(review({}))).answer.patch);
  const before = reviewer('b-2')?.circumstances;
  cluster.put('proxyconfigs', {
    metadata: { uid: 'p', name: 'p', namespace: 'shop' },
    spec: { environmentVariables: { MINE: 'yes' } },
  });
  assert.match(patch(), /"name":"MINE","value":"yes"/);
  assert.notDeepEqual(reviewer('b-2')?.circumstances, before);
  cluster.remove('proxyconfigs', 'p');
  assert.doesNotMatch(patch(), /MINE/);
});

const others: readonly (readonly [name: string, body: object, verdict: string, refused: boolean])[] = [
  ['opted out', review({ annotations: { 'sidecar.istio.io/inject': 'false' } }), 'skip', false],
  [
    'an annotation that cannot be used',
    review({ annotations: { 'fairway.dev/proxy-lifecycle': 'nonsense' } }),
    'refuse',
    true,
  ],
  ['no pod', review({}, { object: 'nothing' }), 'pass', true],
  ['DELETE', review({}, { operation: 'DELETE', object: null }), 'pass', false],
];
for (const [name, body, verdict, refused] of others)
  test(`inject: ${name}`, () => {
    const reviewed = answered(serving().reviewer('b-2')?.review(body));
    assert.deepEqual([reviewed.verdict, reviewed.answer.refused !== undefined], [verdict, refused]);
    if (refused) assert.deepEqual(reviewed.answer.patch, []);
  });

test('a broken ConfigMap, or one that goes, leaves the last good configuration', () => {
  const { cluster, lines, reviewer } = serving();
  cluster.put('configmaps/istio-sidecar-injector-b-2', { data: { config: 'templates: {sidecar: "{{ if"}', values } });
  cluster.remove('configmaps/istio-b-2', 'm');
  assert.ok(lines.includes('an injector configuration cannot be used; the last good one stays'));
  assert.equal(answered(reviewer('b-2')?.review(review({}))).verdict, 'inject');
});
