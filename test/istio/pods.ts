// Workloads made at random for the comparison with Istio's injector: annotations, probes, hooks, own proxies, holds, ports that are refused.
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/core/inject/index.ts';

/** There in one of so many. */
function maybe<T>(value: fc.Arbitrary<T>, oneOf = 3): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: Math.max(1, oneOf - 1), arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );
}

/** A map of the entries that are there. */
function some(entries: Readonly<Record<string, fc.Arbitrary<JsonValue | undefined>>>): fc.Arbitrary<JsonObject> {
  return fc.record(entries).map((found) => {
    return Object.fromEntries(
      Object.entries(found).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
    );
  });
}

const port = fc.constantFrom<JsonValue>(80, 8080, 9090, 'http', 'grpc', 15020);
const handler: fc.Arbitrary<JsonObject> = fc.oneof(
  some({
    port,
    path: maybe(fc.constantFrom('/', '/ready?x=1&y=<z>')),
    scheme: maybe(fc.constantFrom('HTTP', 'HTTPS')),
    host: maybe(fc.constant('h')),
  }).map((httpGet) => ({ httpGet })),
  some({ port, host: maybe(fc.constant('h')) }).map((tcpSocket) => ({ tcpSocket })),
  fc.constant<JsonObject>({ exec: { command: ['true'] } }),
);
const grpc: fc.Arbitrary<JsonObject> = some({
  port: fc.constantFrom(9000, 9001),
  service: maybe(fc.constant('s')),
}).map((action) => ({ grpc: action }));
const probe: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.oneof(handler, grpc),
    some({
      periodSeconds: maybe(fc.constantFrom(1, 10)),
      timeoutSeconds: maybe(fc.constantFrom(0, 1, 5)),
      failureThreshold: maybe(fc.constant(3)),
    }),
  )
  .map(([action, times]) => ({ ...action, ...times }));
const hook: fc.Arbitrary<JsonObject> = fc.oneof(handler, fc.constant<JsonObject>({ sleep: { seconds: 3 } }));
const lifecycle = some({ preStop: maybe(hook, 1), postStart: maybe(hook, 1) });

const ports: fc.Arbitrary<JsonValue> = fc.uniqueArray(
  some({
    containerPort: fc.constantFrom(80, 8080, 9000, 53),
    name: maybe(fc.constantFrom('http', 'grpc', 'dns')),
    protocol: maybe(fc.constantFrom('TCP', 'UDP')),
  }),
  { maxLength: 3, selector: (each) => each['containerPort'] },
);
const resources = some({
  requests: maybe(
    some({ cpu: maybe(fc.constantFrom('100m', '0.5', '1000m')), memory: maybe(fc.constantFrom('64Mi', '1024Mi')) }),
  ),
  limits: maybe(some({ cpu: maybe(fc.constantFrom('2', '1500m')), memory: maybe(fc.constantFrom('1Gi', '2000000')) })),
});
const securityContext = some({
  runAsUser: maybe(fc.constantFrom(0, 1000, 1337)),
  runAsGroup: maybe(fc.constantFrom(0, 1000)),
  readOnlyRootFilesystem: maybe(fc.boolean()),
  privileged: maybe(fc.boolean()),
});

function container(name: string): fc.Arbitrary<JsonObject> {
  return some({
    name: fc.constant(name),
    image: fc.constantFrom('registry.example/app:1', 'registry.example/app@sha256:abc'),
    ports: maybe(ports, 2),
    env: maybe(
      fc.constant<JsonValue>([
        { name: 'A', value: 'x' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ]),
    ),
    resources: maybe(resources),
    readinessProbe: maybe(probe, 2),
    livenessProbe: maybe(probe),
    startupProbe: maybe(probe),
    lifecycle: maybe(lifecycle),
    securityContext: maybe(securityContext),
    volumeMounts: maybe(fc.constant<JsonValue>([{ name: 'data', mountPath: '/data' }])),
  });
}

/** The owner's own proxy: any field may be overridden. */
const ownProxy: fc.Arbitrary<JsonObject> = some({
  name: fc.constant('istio-proxy'),
  image: maybe(fc.constantFrom('auto', 'registry.example/own:1'), 1),
  args: maybe(fc.constant<JsonValue>(['proxy', 'sidecar', '--mine'])),
  env: maybe(
    fc.constant<JsonValue>([
      { name: 'MINE', value: '1' },
      { name: 'POD_NAME', value: 'fixed' },
    ]),
  ),
  resources: maybe(resources),
  readinessProbe: maybe(probe),
  lifecycle: maybe(lifecycle, 2),
  securityContext: maybe(securityContext),
  ports: maybe(fc.constant<JsonValue>([{ containerPort: 15090, name: 'mine' }, { containerPort: 15099 }])),
  volumeMounts: maybe(fc.constant<JsonValue>([{ name: 'data', mountPath: '/etc/istio/pod' }])),
  terminationMessagePath: maybe(fc.constant('/x')),
});

const annotations = some({
  'sidecar.istio.io/inject': maybe(fc.constantFrom('true', 'false', 'yes'), 12),
  'sidecar.istio.io/nativeSidecar': maybe(fc.constantFrom('true', 'false'), 6),
  'sidecar.istio.io/interceptionMode': maybe(fc.constantFrom('REDIRECT', 'TPROXY', 'NONE'), 5),
  'sidecar.istio.io/rewriteAppHTTPProbers': maybe(fc.constantFrom('true', 'false', 'x'), 6),
  'sidecar.istio.io/proxyCPU': maybe(fc.constantFrom('100m', '1', 'bad'), 8),
  'sidecar.istio.io/proxyMemoryLimit': maybe(fc.constantFrom('1Gi', '1000Mi'), 6),
  'sidecar.istio.io/proxyImage': maybe(fc.constantFrom('registry.example/own:2', 'own'), 8),
  'sidecar.istio.io/proxyImageType': maybe(fc.constantFrom('debug', 'distroless', 'default'), 8),
  'sidecar.istio.io/logLevel': maybe(fc.constantFrom('debug', 'info'), 8),
  'sidecar.istio.io/capNetBindService': maybe(fc.constantFrom('true', 'false'), 8),
  'sidecar.istio.io/bootstrapOverride': maybe(fc.constant('own'), 8),
  'sidecar.istio.io/userVolume': maybe(fc.constant('{"uv":{"emptyDir":{}}}'), 8),
  'sidecar.istio.io/userVolumeMount': maybe(fc.constant('{"uv":{"mountPath":"/uv","readOnly":true}}'), 8),
  'status.sidecar.istio.io/port': maybe(fc.constantFrom('0', '123', '15020', '70000'), 8),
  'readiness.status.sidecar.istio.io/periodSeconds': maybe(fc.constantFrom('7', 'x'), 10),
  'traffic.sidecar.istio.io/includeOutboundIPRanges': maybe(
    fc.constantFrom('*', '10.0.0.0/8,192.168.0.0/16', '', 'bad'),
    10,
  ),
  'traffic.sidecar.istio.io/excludeOutboundIPRanges': maybe(fc.constantFrom('10.1.0.0/16', 'fd00::/8'), 8),
  'traffic.sidecar.istio.io/includeInboundPorts': maybe(fc.constantFrom('*', '80,81', ''), 8),
  'traffic.sidecar.istio.io/excludeInboundPorts': maybe(fc.constantFrom('22', '15020,23', 'ssh'), 10),
  'traffic.sidecar.istio.io/excludeOutboundPorts': maybe(fc.constantFrom('3306', ''), 8),
  'traffic.sidecar.istio.io/includeOutboundPorts': maybe(fc.constantFrom('443', ''), 8),
  'traffic.sidecar.istio.io/excludeInterfaces': maybe(fc.constantFrom('eth1', 'eth1,net0'), 8),
  'istio.io/reroute-virtual-interfaces': maybe(fc.constantFrom('net1', '1bad'), 12),
  'proxy.istio.io/config': maybe(
    fc.constantFrom(
      'holdApplicationUntilProxyStarts: true',
      'holdApplicationUntilProxyStarts: false\nconcurrency: 2',
      'proxyMetadata: {B: "2", A: "1", ISTIO_META_ENABLE_HBONE: "true"}',
      'terminationDrainDuration: 20s\ntracing: {sampling: 12.5, zipkin: {address: "z:9411"}}',
      'image: {imageType: debug}\ninterceptionMode: TPROXY',
      'drainDuration: 1m',
      'statusPort: 15021',
      '{"extraStatTags":["a","b"],"proxyStatsMatcher":{"inclusionPrefixes":["p"]}}',
      'not: [closed',
    ),
    2,
  ),
  'prometheus.io/port': maybe(fc.constantFrom('9100', '15020', '15090', 'x', '0'), 6),
  'prometheus.io/path': maybe(fc.constantFrom('/m', ''), 6),
  'prometheus.io/scrape': maybe(fc.constantFrom('true', 'false', 'x'), 8),
  'prometheus.istio.io/merge-metrics': maybe(fc.constantFrom('true', 'false', 'x'), 10),
  'prometheus.istio.io/scrape-targets': maybe(fc.constantFrom('8080:/a,9100', '15020', ':/x', ' 80 : /p '), 10),
  'kubectl.kubernetes.io/default-container': maybe(fc.constant('helper'), 8),
});
const labels = some({
  app: maybe(fc.constantFrom('web', 'a'.repeat(70)), 2),
  'app.kubernetes.io/name': maybe(fc.constant('named'), 5),
  version: maybe(fc.constant('v2'), 3),
  'security.istio.io/tlsMode': maybe(fc.constant('disabled'), 8),
  'service.istio.io/canonical-name': maybe(fc.constant('canonical'), 8),
  'topology.istio.io/network': maybe(fc.constant('n1'), 6),
  'sidecar.istio.io/inject': maybe(fc.constantFrom('true', 'false', ''), 10),
});

const spec = fc
  .record({
    containers: fc.tuple(container('app'), maybe(container('helper')), maybe(ownProxy, 3)),
    init: fc.tuple(
      maybe(container('migrate')),
      maybe(
        ownProxy.map((each) => ({ ...each, name: 'istio-init' })),
        10,
      ),
    ),
    volumes: maybe(
      fc.constant<JsonValue>([
        { name: 'data', emptyDir: {} },
        { name: 'istio-envoy', emptyDir: {} },
      ]),
    ),
    secrets: maybe(fc.constant<JsonValue>([{ name: 'own' }])),
    rest: some({
      serviceAccountName: maybe(fc.constant('sa')),
      hostNetwork: maybe(fc.boolean(), 10),
      dnsPolicy: maybe(fc.constant('Default'), 8),
      terminationGracePeriodSeconds: maybe(fc.constantFrom(0, 60)),
      securityContext: maybe(fc.constant<JsonValue>({ fsGroup: 2000 })),
    }),
  })
  .map(({ containers, init, volumes, secrets, rest }) => {
    const present = (list: readonly (JsonObject | undefined)[]): JsonObject[] =>
      list.filter((each) => each !== undefined);
    const initContainers = present(init);
    return {
      ...rest,
      containers: present(containers),
      ...(initContainers.length > 0 ? { initContainers } : {}),
      ...(volumes === undefined ? {} : { volumes }),
      ...(secrets === undefined ? {} : { imagePullSecrets: secrets }),
    };
  });

/** A Deployment, StatefulSet, Job or pod. */
export const workload: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom('Deployment', 'StatefulSet', 'Job', 'Pod'), annotations, labels, spec)
  .map(([kind, notes, own, pod]): JsonObject => {
    const metadata: JsonObject = { labels: own, annotations: notes };
    if (kind === 'Pod')
      return { apiVersion: 'v1', kind, metadata: { name: 'web', namespace: 'team-a', ...metadata }, spec: pod };
    const template = { metadata, spec: pod };
    return {
      apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
      kind,
      metadata: { name: 'web', namespace: 'team-a' },
      spec: { template },
    };
  });
