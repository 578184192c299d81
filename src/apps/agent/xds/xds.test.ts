// The proxy between an Envoy and a control plane that the test plays both, in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode, readMessage } from '../../../core/wire/index.ts';
import { nameTableType, readResponse } from '../../../core/xds-proxy/index.ts';
import type { GrpcClientCall, GrpcHandler, GrpcServerCall, GrpcStatus } from '../../../ports/grpc.ts';
import { fakeHost } from '../fake-host.ts';
import { fakeCertificate } from '../fake-keys.ts';
import { serveXdsProxy, type XdsProxyOptions } from './xds.ts';

const ads = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
const sotw = `${ads}/StreamAggregatedResources`;
const lds = 'type.googleapis.com/envoy.config.listener.v3.Listener';
const cds = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
const ecds = 'type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig';
const root = './var/run/secrets/istio/root-cert.pem';
const token = './var/run/secrets/tokens/istio-token';
const roots = fakeCertificate('root', 2e12);

const settings = {
  discoveryAddress: 'istiod.istio-system.svc:15012',
  controlPlaneAuthPolicy: 'MUTUAL_TLS',
  xdsRootCa: '',
  provCert: '',
  fileMountedCerts: false,
  pilotCertProvider: 'istiod',
  istiodSan: '',
  clusterId: 'c1',
  proxyMetadata: {},
} as const;

const bounded = { timeout: 60_000 };

interface ControlPlane {
  readonly handler: GrpcHandler;
  readonly calls: GrpcServerCall[];
  readonly ends: ((status: GrpcStatus) => void)[];
}

/** Takes streams, and ends them when the test says. */
function controlPlane(): ControlPlane {
  const calls: GrpcServerCall[] = [];
  const ends: ((status: GrpcStatus) => void)[] = [];
  const handler: GrpcHandler = (call) => {
    calls.push(call);
    const { promise, resolve } = Promise.withResolvers<GrpcStatus>();
    ends.push(resolve);
    return promise;
  };
  return { handler, calls, ends };
}

/** Waits until nothing moves any more. */
const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));

/** What one end has heard so far, as type, nonce and error. */
function heard(stream: Pick<GrpcClientCall, 'messages'>): readonly string[] {
  const all: string[] = [];
  void (async () => {
    for await (const bytes of stream.messages(1e6)) {
      const message = readMessage(bytes);
      const error = message?.message(6)?.text(2);
      all.push([message?.text(4).split('.').at(-1), message?.text(5), error].filter(Boolean).join(' '));
    }
  })();
  return all;
}

async function scene(
  more: Partial<XdsProxyOptions> = {},
  files: Record<string, string> = { [root]: roots, [token]: 'T' },
) {
  const plane = controlPlane();
  const targets: unknown[] = [];
  const host = fakeHost({ files, grpc: (target) => (targets.push(target), plane.handler) });
  const log: string[] = [];
  const proxy = await serveXdsProxy({
    host,
    log: (level, message, fields) => void log.push(`${level} ${message} ${JSON.stringify(fields)}`),
    socketPath: 'XDS',
    upstream: settings,
    env: { XDS_HEADER_A: 'b' },
    own: {},
    convert: undefined,
    ...more,
  });
  const channel = host.grpc.connect({ at: { kind: 'unix', path: 'XDS' }, tls: undefined, connectTimeoutMs: 1 });
  return { plane, targets, host, log, proxy, envoy: (method = sotw) => channel.open(method) };
}

const node = encode([1, 'sidecar~10.0.0.7~a.b~b.svc']);
const request = (typeUrl: string): Uint8Array => encode([2, node], [4, typeUrl]);
const response = (typeUrl: string, nonce: string, ...resources: Uint8Array[]): Uint8Array =>
  encode([1, '1'], ...resources.map((each) => [2, each] as const), [4, typeUrl], [5, nonce]);

test('messages pass both ways as they are; upstream sees cluster, headers, token', bounded, async () => {
  const { plane, targets, envoy } = await scene();
  const stream = envoy();
  await stream.send(request(cds));
  const upstream = plane.calls[0];
  assert.ok(upstream !== undefined);
  assert.deepEqual(
    [upstream.method, upstream.metadata],
    [sotw, { a: 'b', clusterid: 'c1', authorization: 'Bearer T' }],
  );
  assert.deepEqual(targets, [
    {
      at: { kind: 'tcp', host: 'istiod.istio-system.svc', port: 15_012 },
      tls: { roots, serverName: 'istiod.istio-system.svc' },
      authority: settings.discoveryAddress,
      connectTimeoutMs: 5000,
      keepalive: { everyMs: 30_000, timeoutMs: 10_000 },
    },
  ]);
  const requests = upstream.messages(1e6)[Symbol.asyncIterator]();
  assert.deepEqual((await requests.next()).value, request(cds));
  const odd = encode([99, 'unknown'], [4, cds]);
  void upstream.send(odd);
  assert.deepEqual((await stream.messages(1e6)[Symbol.asyncIterator]().next()).value, odd);
});

test('own types: asked for after listeners, taken, answered; Envoy sees nothing of them', bounded, async () => {
  const tables: string[] = [];
  const take = (value: Uint8Array): string | undefined => {
    tables.push(new TextDecoder().decode(value));
    return value.length === 0 ? 'empty' : undefined;
  };
  const { plane, envoy } = await scene({ own: { [nameTableType]: take } });
  const stream = envoy();
  const down = heard(stream);
  await stream.send(request(cds));
  const up = heard(plane.calls[0] as GrpcServerCall);
  await stream.send(request(lds));
  await settle();
  const table = encode([1, nameTableType], [2, new TextEncoder().encode('table')]);
  void plane.calls[0]?.send(response(nameTableType, 'n1', table));
  void plane.calls[0]?.send(response(nameTableType, 'n2', encode([1, nameTableType])));
  void plane.calls[0]?.send(response(nameTableType, 'n3'));
  void plane.calls[0]?.send(response(cds, 'n4'));
  await settle();
  assert.deepEqual(up, ['Cluster', 'Listener', 'NameTable', 'NameTable n1', 'NameTable n2 empty']);
  assert.deepEqual(tables, ['table', '']);
  assert.deepEqual(down, ['Cluster n4']);
});

test('health: told to each stream after its listeners, and at each change', bounded, async () => {
  const { plane, envoy, proxy } = await scene();
  proxy.health({ kind: 'unhealthy', message: 'refused' });
  const stream = envoy();
  await stream.send(request(cds));
  const up = heard(plane.calls[0] as GrpcServerCall);
  await stream.send(request(lds));
  await settle();
  proxy.health({ kind: 'healthy' });
  await settle();
  assert.deepEqual(up, ['Cluster', 'Listener', 'HealthInformation refused', 'HealthInformation']);
});

test('extensions: converted in their order while others pass, refused with the reason', bounded, async () => {
  const conversions: ((problem?: string) => void)[] = [];
  const convert: XdsProxyOptions['convert'] = (variant, message) =>
    new Promise((resolve) => {
      const nonce = readResponse(variant, message)?.nonce;
      conversions.push((problem) =>
        resolve(
          problem === undefined
            ? { kind: 'converted', message: response(ecds, `${nonce}-local`) }
            : { kind: 'problem', problem },
        ),
      );
    });
  const { plane, envoy } = await scene({ convert });
  const stream = envoy();
  const down = heard(stream);
  await stream.send(request(lds));
  const up = heard(plane.calls[0] as GrpcServerCall);
  for (const message of [response(ecds, 'n1'), response(cds, 'n2'), response(ecds, 'n3')])
    void plane.calls[0]?.send(message);
  await settle();
  assert.deepEqual([down, conversions.length], [['Cluster n2'], 1]);
  conversions[0]?.();
  await settle();
  conversions[1]?.('no such module');
  await settle();
  assert.deepEqual(down, ['Cluster n2', 'TypedExtensionConfig n1-local']);
  assert.deepEqual(up, ['Listener', 'TypedExtensionConfig n3 no such module']);
});

test('a conversion that fails for no known reason is a refusal', bounded, async () => {
  const { plane, envoy } = await scene({ convert: () => Promise.reject(new Error('broken')) });
  const stream = envoy();
  await stream.send(request(lds));
  const up = heard(plane.calls[0] as GrpcServerCall);
  void plane.calls[0]?.send(response(ecds, 'n1'));
  await settle();
  assert.deepEqual(up, ['Listener', 'TypedExtensionConfig n1 Error: broken']);
});

test('the control plane ends the stream: so does the proxy, and the next stream is a new one', bounded, async () => {
  const { plane, envoy, log } = await scene();
  const first = envoy();
  await first.send(request(cds));
  plane.ends[0]?.({ code: 'UNAVAILABLE', message: 'restart' });
  assert.deepEqual(await first.ended, { code: 'UNAVAILABLE', message: 'restart' });
  await envoy().send(request(cds));
  await settle();
  assert.equal(plane.calls.length, 2);
  assert.match(log.join('\n'), /warn the stream to the control plane ended .*restart/);
});

test('Envoy goes: the stream upstream is cancelled', bounded, async () => {
  const { plane, envoy } = await scene();
  const stream = envoy();
  await stream.send(request(cds));
  stream.cancel();
  assert.equal((await plane.calls[0]?.ended)?.code, 'CANCELLED');
});

test('the proxy ends: both sides do', bounded, async () => {
  const { plane, envoy, proxy } = await scene();
  const stream = envoy();
  await stream.send(request(cds));
  proxy.end();
  assert.equal((await stream.ended).code, 'UNAVAILABLE');
  assert.equal((await plane.calls[0]?.ended)?.code, 'CANCELLED');
});

test('what cannot be reached or is no ADS is told; files are read again for each stream', bounded, async () => {
  const { host, log, envoy, targets } = await scene();
  host.files.remove(root);
  assert.deepEqual(await envoy().ended, { code: 'UNAVAILABLE', message: `the root for xDS is not there: ${root}` });
  assert.match(log[0] ?? '', /^error cannot ask the control plane/);
  assert.equal((await envoy('/x/y').ended).code, 'UNIMPLEMENTED');
  const next = fakeCertificate('next root', 2e12);
  host.written.set(root, next);
  await envoy().send(request(cds));
  assert.partialDeepStrictEqual(targets, [{ tls: { roots: next } }]);
});

test('a token that cannot be sent is told, and the next one is tried', bounded, async () => {
  const { host, log, envoy, plane } = await scene();
  const open = host.grpc.connect;
  const strict: typeof open = (target) => {
    const channel = open(target);
    const refused = (): never => {
      throw new Error('the metadata "authorization" has characters that cannot be sent');
    };
    return {
      ...channel,
      open: (method, options) =>
        options?.metadata?.['authorization'] === 'Bearer T' ? refused() : channel.open(method, options),
    };
  };
  Object.assign(host.grpc, { connect: strict });
  assert.equal((await envoy().ended).code, 'UNAVAILABLE');
  assert.match(log[0] ?? '', /^error cannot ask the control plane.*authorization/);
  host.written.set(token, 'T2');
  await envoy().send(request(cds));
  assert.equal(plane.calls.length, 1);
});
