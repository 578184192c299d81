import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sample, sampleNode } from './sample.ts';

const env = { POD_NAME: 'a', POD_NAMESPACE: 'shop' };

const rows: readonly (readonly [what: string, sample: Sample, told: Readonly<Record<string, unknown>>])[] = [
  ['a pod by its name', {}, { NAME: 'a', NAMESPACE: 'shop', INSTANCE_IPS: '10.0.0.7', ISTIO_VERSION: 'unknown' }],
  [
    'texts of the environment',
    { node: { env: { ISTIO_META_MESH_ID: 'm', ISTIO_META_X: 'y' } } },
    { MESH_ID: 'm', X: 'y' },
  ],
  [
    'the environment over ProxyConfig',
    {
      proxyConfig: 'proxyMetadata: {ISTIO_META_A: "1", ISTIO_META_B: "2", C: "3"}',
      node: { env: { ISTIO_META_B: '4' } },
    },
    { A: '1', B: '4', C: undefined },
  ],
  [
    'objects over texts, by what they hold',
    { node: { env: { ISTIO_METAJSON_ANY: '{"OWNER":"o","Z":[1]}', ISTIO_META_OWNER: 'p' } } },
    { OWNER: 'o', Z: [1], ANY: undefined },
  ],
  ['the pod over what was given', { node: { env: { ...env, ISTIO_META_NAME: 'b' } } }, { NAME: 'a' }],
  ['truth in one form', { node: { env: { ISTIO_META_DNS_CAPTURE: '1' } } }, { DNS_CAPTURE: 'true' }],
  ['what is not true stays as it was given', { node: { env: { ISTIO_META_DNS_CAPTURE: 'F' } } }, { DNS_CAPTURE: 'F' }],
  [
    'ports in one form',
    {
      node: {
        env: {
          ISTIO_META_POD_PORTS: '[{"containerPort":80,"hostPort":1},{"name":"g","containerPort":9,"protocol":"UDP"}]',
        },
      },
    },
    { POD_PORTS: '[{"containerPort":80,"protocol":""},{"name":"g","containerPort":9,"protocol":"UDP"}]' },
  ],
  [
    "the pod's labels over those of the environment, without its hash",
    { node: { env: { ISTIO_METAJSON_LABELS: '{"app":"x","b":"1"}' }, labels: { app: 'y', 'pod-template-hash': 'h' } } },
    { LABELS: { app: 'y', b: '1' }, STATIC_LABELS: { app: 'x', b: '1' } },
  ],
  [
    'labels of a machine outside of Kubernetes',
    {
      node: {
        platform: {
          metadata: { gcp_project: 'p' },
          locality: { region: 'r' },
          labels: { k: 'v' },
          isKubernetes: false,
        },
      },
    },
    { STATIC_LABELS: { k: 'v' }, PLATFORM_METADATA: { gcp_project: 'p' } },
  ],
  ['discovery as HBONE is', { node: { env: { ISTIO_META_ENABLE_HBONE: 'true' } } }, { METADATA_DISCOVERY: 'true' }],
  [
    'discovery by itself',
    { node: { metadataDiscovery: false, env: { ISTIO_META_ENABLE_HBONE: 'true' } } },
    { METADATA_DISCOVERY: 'false' },
  ],
  ["istiod's name", {}, { PILOT_SAN: ['istiod.istio-system.svc'] }],
  [
    "istiod's name on this machine",
    { proxyConfig: 'discoveryAddress: localhost:15012' },
    { PILOT_SAN: ['istiod.istio-system.svc'] },
  ],
  ['no mutual TLS, no name', { proxyConfig: 'controlPlaneAuthPolicy: NONE' }, { PILOT_SAN: undefined }],
  [
    'other servers of certificates',
    { node: { credentialSocket: true, servesFilesOnly: true } },
    { credential: 'true', 'file-credential': 'true' },
  ],
  ['zero is not told', {}, { ENVOY_SECURE_METRICS_PORT: undefined, EXIT_ON_ZERO_ACTIVE_CONNECTIONS: undefined }],
];
for (const [what, sample, told] of rows) {
  test(`metadata of a node: ${what}`, () => {
    const { node, problems } = sampleNode(sample);
    assert.deepEqual(problems, []);
    for (const [name, value] of Object.entries(told)) assert.deepEqual(node.metadata[name], value, name);
  });
}

test('a node introduces itself by type, first address, pod and domain', () => {
  assert.equal(sampleNode().node.id, 'sidecar~10.0.0.7~a.shop~shop.svc.cluster.local');
});

const places: readonly (readonly [labels: Readonly<Record<string, string>>, locality: object])[] = [
  [{ 'istio-locality': 'r.z.s' }, { region: 'r', zone: 'z', sub_zone: 's' }],
  [{ 'istio-locality': 'r/z.1' }, { region: 'r', zone: 'z.1' }],
  [{ 'istio-locality': 'x', 'topology.istio.io/locality': 'r' }, { region: 'r' }],
  [{}, { region: 'of the cloud' }],
];
for (const [labels, locality] of places) {
  test(`where a node is: ${JSON.stringify(labels)}`, () => {
    const platform = { metadata: {}, locality: { region: 'of the cloud' }, labels: {}, isKubernetes: true };
    assert.deepEqual(sampleNode({ node: { labels, platform } }).node.locality, locality);
  });
}

test('every value that istiod could not read is told, and nothing else', () => {
  const given = {
    ISTIO_META_DNS_CAPTURE: 'yes',
    ISTIO_META_POD_PORTS: '{',
    ISTIO_METAJSON_X: '{"NAME":1}',
    ISTIO_METAJSON_Y: '[',
  };
  const { problems, warnings } = sampleNode({ node: { env: given } });
  assert.deepEqual(
    problems.map(({ message }) => message.split(':')[0]),
    ['ISTIO_META_NAME', 'ISTIO_META_DNS_CAPTURE', 'ISTIO_META_POD_PORTS'],
  );
  assert.deepEqual(warnings, ['ISTIO_METAJSON_Y holds no JSON object']);
});
