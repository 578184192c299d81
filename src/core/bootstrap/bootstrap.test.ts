// What a bootstrap holds, by path; that it means what Istio's means is proved by test/agree, that Envoy takes it by test/envoy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GoTemplateError } from '../gotemplate/index.ts';
import { isObject, type JsonValue } from '../std/json.ts';
import { defaultBootstrap } from './default-bootstrap.ts';
import { grpcBootstrap, grpcFiles } from './grpc.ts';
import { type Sample, sampleNode, sampleParameters } from './sample.ts';
import { renderBootstrap } from './template.ts';

/** The value at a dotted path; in a list, the item of that name or place. */
function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  return path.split('/').reduce<JsonValue | undefined>((inner, key) => {
    if (Array.isArray(inner)) return inner.find((item) => isObject(item) && item['name'] === key) ?? inner[Number(key)];
    return isObject(inner) ? inner[key] : undefined;
  }, value);
}

const v6 = { type: 'sidecar', podName: 'a', podNamespace: 'shop', domain: '', addresses: ['fd00::7'] };
const both = { ...v6, addresses: ['fd00::7', '10.0.0.7'] };
const listeners = 'static_resources/listeners';
const clusters = 'static_resources/clusters';

const rows: readonly (readonly [what: string, sample: Sample, path: string, value: JsonValue | undefined])[] = [
  [
    'the socket for configuration',
    {},
    `${clusters}/xds-grpc/load_assignment/endpoints/0/lb_endpoints/0/endpoint/address/pipe/path`,
    './etc/istio/proxy/XDS',
  ],
  ['delta xDS', {}, 'dynamic_resources/ads_config/api_type', 'DELTA_GRPC'],
  ['state of the world', { sources: { deltaXds: false } }, 'dynamic_resources/ads_config/api_type', 'GRPC'],
  [
    'a waypoint speaks delta',
    { sources: { deltaXds: false, type: 'waypoint' } },
    'dynamic_resources/ads_config/api_type',
    'DELTA_GRPC',
  ],
  ['IPv6 only', { node: { identity: v6 } }, `${listeners}/1/name`, '::_15021'],
  ['both families, dual stack off', { node: { identity: both } }, `${listeners}/1/name`, '0.0.0.0_15021'],
  [
    'both families, dual stack on',
    { node: { identity: both }, sources: { dualStack: true } },
    `${listeners}/1/additionalAddresses/0/address/socket_address/address`,
    '0.0.0.0',
  ],
  [
    'metrics on this machine only',
    { proxyConfig: 'proxyMetadata: {METRICS_LOCALHOST_ACCESS_ONLY: "true"}' },
    `${listeners}/0/name`,
    '127.0.0.1_15090',
  ],
  ['no limit', {}, 'overload_manager/resource_monitors/0/typed_config/max_active_downstream_connections', 2147483647],
  [
    'a limit by ProxyConfig',
    {
      proxyConfig:
        '{connectionSettings: {globalDownstreamConnectionLimit: 7}, runtimeValues: {overload.global_downstream_max_connections: "9"}}',
    },
    'overload_manager/resource_monitors/0/typed_config/max_active_downstream_connections',
    7,
  ],
  [
    'a runtime flag that is taken away',
    { proxyConfig: 'runtimeValues: {re2.max_program_size.error_level: ""}' },
    'layered_runtime/layers/0/static_layer/re2.max_program_size.error_level',
    undefined,
  ],
  ['a cluster by app and namespace', { node: { labels: { app: 'web' } } }, 'node/cluster', 'web.shop'],
  [
    'a cluster by canonical name',
    {
      proxyConfig: 'tracingServiceName: CANONICAL_NAME_ONLY',
      node: { labels: { app: 'web', 'service.istio.io/canonical-name': 'c' } },
    },
    'node/cluster',
    'c',
  ],
  [
    'an interval that Envoy can read',
    { node: { annotations: { 'sidecar.istio.io/statsFlushInterval': '1m' } } },
    'stats_flush_interval',
    '60s',
  ],
  [
    'eviction beside flushing',
    { node: { annotations: { 'sidecar.istio.io/statsEvictionInterval': '7s' } } },
    'stats_eviction_interval',
    undefined,
  ],
  [
    'zipkin on the node',
    { proxyConfig: 'tracing: {zipkin: {address: "$(HOST_IP):9411"}}', sources: { hostIp: '9.9.9.9' } },
    `${clusters}/zipkin/load_assignment/endpoints/0/lb_endpoints/0/endpoint/address/socket_address/address`,
    '9.9.9.9',
  ],
  [
    'files on a socket of their own',
    { sources: { filesSocket: './f' } },
    `${clusters}/sds-files-grpc/load_assignment/endpoints/0/lb_endpoints/0/endpoint/address/pipe/path`,
    './f',
  ],
  ['no cluster manager without reason', {}, 'cluster_manager', undefined],
  ['ejected endpoints', { node: { outlierLogPath: '/o' } }, 'cluster_manager/outlier_detection/event_log_path', '/o'],
];
for (const [what, sample, path, value] of rows) {
  test(`bootstrap: ${what}`, () => {
    const { parameters, problems } = sampleParameters(sample);
    assert.deepEqual(problems, []);
    assert.deepEqual(at(defaultBootstrap(parameters), path), value);
  });
}

test('counters that the drain looks at are there when it looks, and empty patterns never', () => {
  const patterns = (exitOnZero: 'off' | 'connections' | 'requests'): string => {
    const annotations = { 'sidecar.istio.io/statsInclusionPrefixes': 'http.{pod_ip}_,,x' };
    const { parameters } = sampleParameters({ node: { annotations }, sources: { exitOnZero } });
    return JSON.stringify(at(defaultBootstrap(parameters), 'stats_config/stats_matcher/inclusion_list/patterns'));
  };
  assert.doesNotMatch(patterns('off'), /_active/);
  assert.match(patterns('connections'), /downstream_cx_active/);
  assert.match(patterns('requests'), /downstream_cx_active.*downstream_rq_active/);
  assert.match(patterns('off'), /"http.10.0.0.7_".*"x".*"cluster_manager"/);
  assert.doesNotMatch(patterns('off'), /""/);
});

test('every address that cannot be read is told, with its place', () => {
  const { problems } = sampleParameters({
    proxyConfig:
      '{tracing: {datadog: {address: nowhere}}, envoyAccessLogService: {address: "a:b"}, statsdUdpAddress: "c:99999"}',
  });
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['tracing.datadog.address', 'envoyAccessLogService.address', 'statsdUdpAddress'],
  );
});

test('a template sees the parameters by the names of Istio', () => {
  const { parameters } = sampleParameters({
    proxyConfig: 'tracing: {zipkin: {address: "z:1"}}',
    node: { labels: { a: 'b' } },
  });
  const text =
    '{{ .nodeID }} {{ .config.ProxyAdminPort }} {{ index .metadata.Labels "a" }} {{ .metadata.InstanceName }} {{ .zipkin }} {{ if .lightstep }}no{{ end }} {{ env "X" }} {{ .xds_type | lower }}';
  assert.equal(
    renderBootstrap(text, parameters, { X: 'y' }),
    'sidecar~10.0.0.7~a.shop~shop.svc.cluster.local 15000 b a {"address": "z", "port_value": 1}  y delta_grpc',
  );
  assert.throws(() => renderBootstrap('{{ .a.b.c }', parameters, {}), GoTemplateError);
});

test('the bootstrap of gRPC names its certificates', () => {
  const { node } = sampleNode({ node: { env: { ISTIO_META_MESH_ID: 'm', ISTIO_META_UNKNOWN: 'x' } } });
  const made = grpcBootstrap({ node, xdsSocket: './p/XDS', certificatesFolder: '/c' });
  assert.equal(at(made, 'xds_servers/0/server_uri'), 'unix:///p/XDS');
  assert.equal(at(made, 'node/metadata/MESH_ID'), 'm');
  assert.equal(at(made, 'node/metadata/UNKNOWN'), undefined);
  assert.deepEqual(grpcFiles(JSON.stringify(made)), ['/c/cert-chain.pem', '/c/key.pem', '/c/root-cert.pem']);
  assert.deepEqual(grpcFiles(JSON.stringify(grpcBootstrap({ node, xdsSocket: 'x', certificatesFolder: '' }))), []);
  assert.equal(grpcFiles('no JSON'), undefined);
});
