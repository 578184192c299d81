// Random places for a proxy: environment, files of the downward API, mesh configuration, flags, addresses. Used by the oracle of the
// bootstrap and by the suite that lets the real Envoy read what comes out.
import * as fc from 'fast-check';

export interface Place {
  readonly role: 'sidecar' | 'router' | 'waypoint';
  readonly addresses: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly mesh: object | undefined;
  readonly proxyConfig: object | undefined;
  readonly outlierLogPath: string;
  readonly concurrency: number;
  readonly logAsJson: boolean;
}

type Fields = Record<string, fc.Arbitrary<unknown>>;

/** An object that has each field or not. */
function some(fields: Fields): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(fields, { requiredKeys: [] });
}

const word = fc.constantFrom('a', 'web', 'b-1', 'checkout', 'x.y');
const words = fc.uniqueArray(word, { maxLength: 3 });
const truth = fc.constantFrom('true', 'false');
const address = fc.constantFrom('zipkin.istio-system:9411', '10.1.2.3:80', '[fd00::9]:443', 'localhost:1');
/** Only these two may be on the node. */
const nodeAddress = fc.oneof(address, fc.constant('$(HOST_IP):8126'));

const tls = fc.oneof(
  fc.constant({ mode: 'DISABLE' }),
  some({ sni: word, subjectAltNames: words, caCertificates: fc.constant('/ca.pem') }).map((rest) => ({
    mode: 'SIMPLE',
    ...rest,
    caCertificates: '/ca.pem',
  })),
  some({ sni: word, subjectAltNames: words, caCertificates: fc.constant('/ca.pem') }).map((rest) => ({
    mode: 'MUTUAL',
    clientCertificate: '/c.pem',
    privateKey: '/k.pem',
    ...rest,
  })),
  some({ sni: word, subjectAltNames: words }).map((rest) => ({ mode: 'ISTIO_MUTUAL', ...rest })),
);

const tracing = fc
  .record({
    tracer: fc.oneof(
      fc.record({ zipkin: fc.record({ address: nodeAddress }) }),
      fc.record({ datadog: fc.record({ address: nodeAddress }) }),
      fc.record({ lightstep: fc.record({ address, accessToken: word }) }),
      fc.constant({}),
    ),
    rest: some({ sampling: fc.constantFrom(1, 12.5), tlsSettings: tls, maxPathTagLength: fc.constant(99) }),
  })
  .map(({ tracer, rest }) => ({ ...tracer, ...rest }));

const keepalive = some({
  probes: fc.constantFrom(0, 3),
  time: fc.constantFrom('10s', '1.5s'),
  interval: fc.constant('2m'),
});
const remote = fc
  .record({ address, rest: some({ tlsSettings: tls, tcpKeepalive: keepalive }) })
  .map(({ address: to, rest }) => ({ address: to, ...rest }));

const naming = fc.oneof(
  fc.record({ serviceCluster: fc.constantFrom('web', 'istio-proxy') }),
  fc.record({
    tracingServiceName: fc.constantFrom(
      'APP_LABEL_AND_NAMESPACE',
      'CANONICAL_NAME_ONLY',
      'CANONICAL_NAME_AND_NAMESPACE',
    ),
  }),
  fc.constant({}),
);

const proxyMetadata = some({
  ISTIO_META_MESH_ID: word,
  ISTIO_META_GLOBAL_DOWNSTREAM_MAX_CONNECTIONS: fc.constantFrom('100', 'many'),
  METRICS_LOCALHOST_ACCESS_ONLY: truth,
  OTHER: word,
});

const runtimeValues = some({
  're2.max_program_size.error_level': fc.constantFrom('', '100'),
  'overload.global_downstream_max_connections': fc.constantFrom('50', 'x'),
  'some.flag': truth,
});

const proxyConfig = fc
  .record({
    naming,
    rest: some({
      concurrency: fc.constantFrom(0, 1, 2),
      drainDuration: fc.constantFrom('45s', '1m30s', '90s'),
      terminationDrainDuration: fc.constantFrom('5s', '1m'),
      discoveryAddress: fc.constantFrom('istiod-1-25.istio-system.svc:15012', 'localhost:15010', '10.0.0.1:15012'),
      controlPlaneAuthPolicy: fc.constantFrom('NONE', 'MUTUAL_TLS', 1),
      proxyAdminPort: fc.constantFrom(15_000, 16_000),
      statusPort: fc.constantFrom(15_020, 15_025),
      statNameLength: fc.constant(250),
      tracing,
      envoyMetricsService: remote,
      envoyAccessLogService: remote,
      statsdUdpAddress: fc.constantFrom('10.1.2.3:8125', '[fd00::9]:8125'),
      proxyMetadata,
      runtimeValues,
      extraStatTags: words,
      proxyStatsMatcher: some({
        inclusionPrefixes: words,
        inclusionSuffixes: words,
        inclusionRegexps: fc.constant(['a\\.b.*']),
      }),
      statsCompression: fc.boolean(),
      gatewayTopology: fc.constantFrom(
        { numTrustedProxies: 2 },
        { forwardClientCertDetails: 'SANITIZE', proxyProtocol: {} },
      ),
      interceptionMode: fc.constantFrom('REDIRECT', 'TPROXY', 'NONE'),
      meshId: word,
      holdApplicationUntilProxyStarts: fc.boolean(),
      image: fc.constant({ imageType: 'distroless' }),
      proxyHeaders: fc.constantFrom(
        { server: { disabled: true } },
        { requestId: { disabled: false }, attemptCount: {} },
      ),
      caCertificatesPem: fc.constant(['PEM']),
      fileFlushInterval: fc.constantFrom('500ms', '2s'),
      fileFlushMinSizeKb: fc.constant(64),
      readinessProbe: fc.constant({ httpGet: { port: 8080, path: '/' }, periodSeconds: 3 }),
      unknownField: fc.constant(1),
    }),
  })
  .map(({ naming: name, rest }) => ({ ...name, ...rest }));

const env = some({
  SERVICE_ACCOUNT: word,
  HOST_IP: fc.constantFrom('192.168.1.1', 'fd00::aa'),
  ISTIO_CPU_LIMIT: fc.constantFrom('0', '3'),
  ISTIO_DUAL_STACK: truth,
  ISTIO_DELTA_XDS: truth,
  PEER_METADATA_DISCOVERY: truth,
  COMPLIANCE_POLICY: fc.constantFrom('fips-140-2', 'fips-140-3'),
  HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED: truth,
  ENVOY_STATUS_PORT_ENABLE_PROXY_PROTOCOL: truth,
  ENVOY_SECURE_METRICS_PORT: fc.constant('15091'),
  ENVOY_SECURE_MERGED_METRICS_PORT: fc.constant('15092'),
  ENVOY_SKIP_DEPRECATED_LOGS: truth,
  EXIT_ON_ZERO_ACTIVE_CONNECTIONS: truth,
  OUTPUT_CERTS: fc.constant('/certs'),
  DNS_PROXY_ADDR: fc.constant('127.0.0.1:15053'),
  ISTIO_META_MESH_ID: word,
  ISTIO_META_CLUSTER_ID: fc.constantFrom('Kubernetes', 'c2'),
  ISTIO_META_NETWORK: fc.constantFrom('', 'net1'),
  ISTIO_META_WORKLOAD_NAME: word,
  ISTIO_META_OWNER: fc.constant('kubernetes://apis/apps/v1/namespaces/shop/deployments/web'),
  ISTIO_META_NODE_NAME: word,
  ISTIO_META_APP_CONTAINERS: fc.constant('app,other'),
  ISTIO_META_INTERCEPTION_MODE: fc.constantFrom('REDIRECT', 'TPROXY'),
  ISTIO_META_POD_PORTS: fc.constantFrom(
    '[]',
    '[\n{"name":"http","containerPort":8080,"protocol":"TCP"},{"containerPort":9}\n]',
  ),
  ISTIO_META_ENABLE_HBONE: fc.constantFrom('true', 'false', '1', 'F'),
  ISTIO_META_DNS_AUTO_ALLOCATE: truth,
  ISTIO_META_ENABLE_SELF_DISCOVERY: truth,
  ISTIO_META_UNPRIVILEGED_POD: truth,
  ISTIO_META_REQUESTED_NETWORK_VIEW: fc.constantFrom('', 'a,b'),
  ISTIO_META_ISTIO_VERSION: fc.constantFrom('1.31.0', '1.32-alpha'),
  ISTIO_META_LOAD_STATS_CONFIG_JSON: fc.constant('{"api_type":"GRPC"}'),
  ISTIO_META_TLS_CLIENT_ROOT_CERT: fc.constant('/mounted/root.pem'),
  ISTIO_META_OUTLIER_LOG_PATH: fc.constant('/from-env'),
  ISTIO_META_SOMETHING: fc.constantFrom('', 'text "quoted"', 'a=b'),
  ISTIO_METAJSON_LABELS: fc.constantFrom('{"app":"vm","version":"v1"}', '{}', 'no JSON', '{"istio-locality":"r1.z1"}'),
  ISTIO_METAJSON_MORE: fc.constantFrom('{"OWNER":"me","DEEP":{"a":[1,true,null]}}', '[]', '{"ANNOTATIONS":{"k":"v"}}'),
}) as fc.Arbitrary<Record<string, string>>;

/** Values that Istio refuses to start with (all but an empty name); rare, since one is enough. */
const refusable = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { ISTIO_META_POD_PORTS: 'x' },
      { ISTIO_META_ENABLE_HBONE: 'yes' },
      { ISTIO_METAJSON_MORE: '{"ENVOY_STATUS_PORT":"a"}' },
      { PROXY_CONFIG: 'serviceCluster: ""' },
      { PROXY_CONFIG: 'drainDuration: soon' },
      { PROXY_CONFIG: 'tracing: {zipkin: {address: nowhere}}' },
      { PROXY_CONFIG: 'proxyMetadata: {A: 1}' },
      { PROXY_CONFIG: 'interceptionMode: SIDEWAYS' },
    ),
  },
);

const labels = fc.option(
  some({
    app: word,
    version: fc.constant('v2'),
    'app.kubernetes.io/name': word,
    'service.istio.io/canonical-name': word,
    'istio-locality': fc.constantFrom('r.z.s', 'r/z', ''),
    'topology.istio.io/locality': fc.constantFrom('eu.west', 'eu/west/a/b'),
    'pod-template-hash': fc.constant('abc'),
    'topology.istio.io/network': fc.constant('net2'),
  }) as fc.Arbitrary<Record<string, string>>,
  { nil: undefined },
);

const annotations = fc.option(
  some({
    'sidecar.istio.io/statsInclusionPrefixes': fc.constantFrom('http.{pod_ip}_,tcp', 'a,,b'),
    'sidecar.istio.io/statsInclusionSuffixes': fc.constant('x_total'),
    'sidecar.istio.io/statsInclusionRegexps': fc.constantFrom('^a"b.*', 'a<=>&b'),
    'sidecar.istio.io/extraStatTags': fc.constantFrom('a,c', ''),
    'sidecar.istio.io/statsFlushInterval': fc.constantFrom('10s', '1m', '500ms', 'soon'),
    'sidecar.istio.io/statsEvictionInterval': fc.constantFrom('10s', '7s', '1m', 'later'),
    'sidecar.istio.io/statsHistogramBuckets': fc.constantFrom('{"istio":[1,5,10],"cluster.x":[0.5]}', '{"a":1}', '{}'),
    'sidecar.istio.io/discoveryAddress': fc.constant('other.istio-system.svc:15012'),
    'status.sidecar.istio.io/port': fc.constantFrom('15020', '0', '16020'),
    'proxy.istio.io/config': fc.constantFrom('concurrency: 1', 'proxyMetadata: {OTHER: z}\ntracing: {}', ''),
    note: fc.constantFrom('tab\tand\nline', 'ünï'),
  }) as fc.Arbitrary<Record<string, string>>,
  { nil: undefined },
);

const addresses = fc.constantFrom<readonly string[]>(
  ['10.0.0.7'],
  ['10.0.0.7', '10.0.0.8'],
  ['fd00::7'],
  ['10.0.0.7', 'fd00::7'],
  ['fd00::7', '10.0.0.7'],
);

/** A place in which an agent is started. */
export const place: fc.Arbitrary<Place> = fc
  .record({
    role: fc.constantFrom('sidecar', 'sidecar', 'sidecar', 'router', 'waypoint'),
    addresses,
    env,
    refused: refusable,
    labels,
    annotations,
    mesh: fc.option(fc.record({ defaultConfig: proxyConfig }), { nil: undefined }),
    proxyConfig: fc.option(proxyConfig, { nil: undefined }),
    outlierLogPath: fc.constantFrom('', '/dev/stdout'),
    concurrency: fc.constantFrom(0, 0, 4),
    logAsJson: fc.boolean(),
  })
  .map(({ refused, ...rest }) => ({
    ...rest,
    env: {
      POD_NAME: 'web-1',
      POD_NAMESPACE: 'shop',
      INSTANCE_IP: rest.addresses[0] ?? '',
      ...rest.env,
      ...(rest.proxyConfig === undefined ? {} : { PROXY_CONFIG: JSON.stringify(rest.proxyConfig) }),
      ...refused,
    },
  }));

/** What an agent finds in its working folder. */
export function filesOf(given: Place): Record<string, string> {
  return {
    ...(given.labels === undefined ? {} : { './etc/istio/pod/labels': downwardApi(given.labels) }),
    ...(given.annotations === undefined ? {} : { './etc/istio/pod/annotations': downwardApi(given.annotations) }),
    ...(given.mesh === undefined ? {} : { './etc/istio/config/mesh': JSON.stringify(given.mesh) }),
  };
}

function downwardApi(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}\n`)
    .join('');
}
