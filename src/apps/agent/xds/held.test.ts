// What the proxy holds as a whole, and for how long: never what has no bounds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from '../../../core/wire/index.ts';
import type { GrpcClientCall, GrpcPiece, GrpcServerCall } from '../../../ports/grpc.ts';
import { fakeHost } from '../fake-host.ts';
import { serveXdsProxy } from './xds.ts';

const upstream = {
  discoveryAddress: 'istiod:15010',
  controlPlaneAuthPolicy: 'NONE',
  xdsRootCa: '',
  provCert: '',
  fileMountedCerts: false,
  pilotCertProvider: 'istiod',
  istiodSan: '',
  clusterId: '',
  proxyMetadata: {},
};
const method = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

/** Both ends of one stream through the proxy. */
async function stream(): Promise<{ readonly envoy: GrpcClientCall; readonly plane: GrpcServerCall }> {
  const called = Promise.withResolvers<GrpcServerCall>();
  const host = fakeHost({ grpc: () => (call) => (called.resolve(call), new Promise(() => undefined)) });
  const log = (): void => undefined;
  await serveXdsProxy({ host, log, socketPath: 'XDS', upstream, env: {}, own: {}, convert: undefined });
  const channel = host.grpc.connect({ at: { kind: 'unix', path: 'XDS' }, tls: undefined, connectTimeoutMs: 1 });
  return { envoy: channel.open(method), plane: await called.promise };
}

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));

/** The first piece of a message of so many bytes that does not begin with its type. */
const beginning = (size: number): GrpcPiece => ({ bytes: encode([9, 'x'.repeat(1000)]), offset: 0, size });

test('a large message that does not tell its type is held, a huge one passes on', { timeout: 60_000 }, async () => {
  const { envoy, plane } = await stream();
  const heard: number[] = [];
  void (async () => {
    for await (const { size } of envoy.pieces()) heard.push(size);
  })();
  void plane.sendPiece(beginning(2 ** 23));
  await settle();
  assert.deepEqual(heard, [2 ** 23]);
  const other = await stream();
  void other.plane.sendPiece(beginning(2 ** 20));
  const piece = other.envoy.pieces()[Symbol.asyncIterator]().next();
  await settle();
  assert.equal(await Promise.race([piece, Promise.resolve('held')]), 'held');
});
