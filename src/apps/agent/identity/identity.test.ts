// The agent's certificates as a whole, on a host in virtual time: a CA that answers as told, streams as Envoy opens them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certificateService, secretService } from '../../../core/identity/index.ts';
import { encode, readMessage } from '../../../core/wire/index.ts';
import type { GrpcClientCall, GrpcHandler, GrpcServerCall, GrpcTarget } from '../../../ports/grpc.ts';
import { fakeHost } from '../fake-host.ts';
import { fakeCertificate } from '../fake-keys.ts';
import { logTo } from '../log.ts';
import { planOf } from '../plan.ts';
import { proxyTable } from '../settings.ts';
import { readTable } from '../table.ts';
import { startIdentity } from './identity.ts';

type Fake = ReturnType<typeof fakeHost>;

const ownSocket = './var/run/secrets/workload-spiffe-uds/socket';
const rootFile = './var/run/secrets/istio/root-cert.pem';
const tokenFile = './var/run/secrets/tokens/istio-token';
const minute = 60_000;
/** Of the fake host's wall. */
const beginMs = 1_000_000_000_000;
const ca1 = fakeCertificate('ca-1', 2e12);
const base = {
  PROXY_CONFIG: '{"customConfigFile":"/b.json"}',
  POD_NAMESPACE: 'shop',
  SERVICE_ACCOUNT: 'cart',
  SECRET_GRACE_PERIOD_RATIO_JITTER: '0',
};

interface Order {
  readonly atMs: number;
  readonly target: GrpcTarget;
  readonly metadata: GrpcServerCall['metadata'];
  readonly csr: string;
}

interface Ca {
  readonly orders: Order[];
  root: string;
  answer: 'issue' | 'wrong-key' | 'no-chain' | 'UNAVAILABLE' | 'UNAUTHENTICATED';
}

/** Issues for the n-th key that the host made; certificates live for an hour. */
function scene({
  env = {},
  files = {},
}: {
  readonly env?: Record<string, string>;
  readonly files?: Record<string, string>;
} = {}): {
  readonly host: Fake;
  readonly ca: Ca;
  readonly start: () => ReturnType<typeof startIdentity>;
} {
  const ca: Ca = { orders: [], root: ca1, answer: 'issue' };
  const handler =
    (target: GrpcTarget): GrpcHandler =>
    async (call) => {
      assert.equal(call.method, `/${certificateService}/CreateCertificate`);
      for await (const bytes of call.messages(2 ** 20)) {
        const csr = readMessage(bytes)?.text(1) ?? '';
        ca.orders.push({ atMs: host.clock.nowMs(), target, metadata: call.metadata, csr });
        if (ca.answer === 'UNAVAILABLE' || ca.answer === 'UNAUTHENTICATED') return { code: ca.answer, message: 'no' };
        const key = ca.answer === 'wrong-key' ? 'other' : String(new Set(ca.orders.map((order) => order.csr)).size);
        const leaf = fakeCertificate(key, host.clock.wallMs() + 60 * minute);
        void call.send(ca.answer === 'no-chain' ? encode([1, leaf]) : encode([1, leaf], [1, ca.root]));
      }
      return { code: 'OK', message: '' };
    };
  const host: Fake = fakeHost({ files: { [tokenFile]: 'token-1\n', ...files }, grpc: handler });
  const start = async (): ReturnType<typeof startIdentity> => {
    const { values: settings } = readTable(proxyTable, [], { ...base, ...env });
    const { plan } = await planOf({ settings, words: [], env: { ...base, ...env } }, host);
    assert.ok(plan !== undefined);
    return startIdentity({ plan, host, log: logTo(host, { json: false, least: 'debug' }) });
  };
  return { host, ca, start };
}

/** A stream as Envoy opens it: what it was sent, as `name: texts of the secret`. */
function open(
  host: Fake,
  path: string,
  method = 'StreamSecrets',
): { readonly call: GrpcClientCall; readonly sent: string[] } {
  const channel = host.grpc.connect({ at: { kind: 'unix', path }, tls: undefined, connectTimeoutMs: 1 });
  const call = channel.open(`/${secretService}/${method}`);
  const sent: string[] = [];
  const read = async (): Promise<void> => {
    for await (const bytes of call.messages(2 ** 20)) sent.push(...secretsIn(bytes));
  };
  void read();
  return { call, sent };
}

function secretsIn(bytes: Uint8Array): readonly string[] {
  const resources = readMessage(bytes)?.all(2) ?? [];
  return resources.map((resource) => {
    const secret = readMessage(resource)?.message(2);
    const content = secret?.bytes(2) === undefined ? secret?.message(4) : secret.message(2);
    const certificate = content?.message(1)?.text(2) ?? '';
    return `${secret?.text(1)}: ${[...certificate.matchAll(/of (\S+) until/g)].map(([, of]) => of).join(' ')}`;
  });
}

const ask = (...names: readonly string[]): Uint8Array => encode(...names.map((name) => [3, name] as const));

test('the first certificate goes to whoever waits, and to the file system where that is asked for', async () => {
  const { host, ca, start } = scene({
    env: { OUTPUT_CERTS: '/out', CA_HEADER_X_Tenant: 'blue', ISTIO_META_CLUSTER_ID: 'east' },
  });
  assert.equal((await start()).kind, 'running');
  const envoy = open(host, ownSocket);
  void envoy.call.send(ask('default', 'ROOTCA'));
  await host.advance(0);
  await host.advance(0);
  assert.deepEqual(envoy.sent.toSorted(), ['ROOTCA: ca-1', 'default: 1 ca-1']);
  const [order] = ca.orders;
  assert.deepEqual(order?.metadata, { authorization: 'Bearer token-1', clusterid: 'east', x_tenant: 'blue' });
  assert.deepEqual(order.target.tls, { roots: fakeCertificate('root', 2e12), serverName: 'istiod.istio-system.svc' });
  assert.equal(host.written.get('/out/key.pem'), '1');
  assert.equal(host.written.get('/out/root-cert.pem'), ca1);
  assert.match(host.written.get('/out/cert-chain.pem') ?? '', /of 1 until .*\n.*\n.*\nof ca-1/s);
});

test('rotation: at half of its life a new key and certificate, sent to open streams; token and root are read again', async () => {
  const { host, ca, start } = scene();
  await start();
  const envoy = open(host, ownSocket);
  void envoy.call.send(ask('default'));
  await host.advance(0);
  host.written.set(tokenFile, 'token-2');
  const nextRoot = fakeCertificate('root-2', 2e12);
  host.written.set(rootFile, nextRoot);
  await host.advance(30 * minute);
  assert.deepEqual(envoy.sent, ['default: 1 ca-1', 'default: 2 ca-1']);
  const order = ca.orders[1];
  assert.deepEqual(
    [order?.atMs, order?.metadata['authorization'], order?.target.tls?.roots],
    [30 * minute, 'Bearer token-2', nextRoot],
  );
});

test('a new root goes to who wants roots; anchors of the control plane are added to it', async () => {
  const { host, ca, start } = scene();
  const running = await start();
  assert.ok(running.kind === 'running');
  const envoy = open(host, ownSocket);
  void envoy.call.send(ask('ROOTCA'));
  await host.advance(0);
  ca.root = fakeCertificate('ca-2', 2e12);
  await host.advance(30 * minute);
  running.setAnchors(fakeCertificate('anchor', 2e12));
  await host.advance(0);
  assert.deepEqual(envoy.sent, ['ROOTCA: ca-1', 'ROOTCA: ca-2', 'ROOTCA: anchor ca-2']);
  assert.equal(ca.orders.length, 3, 'a change of trust wants a new certificate');
});

test('the CA is away: the key is kept, waits grow, and what is held is served to new streams until it ends', async () => {
  const { host, ca, start } = scene();
  await start();
  await host.advance(minute);
  ca.answer = 'UNAVAILABLE';
  await host.advance(40 * minute);
  const envoy = open(host, ownSocket);
  void envoy.call.send(ask('default', 'ROOTCA'));
  await host.advance(0);
  assert.deepEqual(envoy.sent.toSorted(), ['ROOTCA: ca-1', 'default: 1 ca-1']);
  const repeated = ca.orders.slice(1);
  assert.equal(new Set(repeated.map(({ csr }) => csr)).size, 1);
  assert.ok(repeated.length > 15 && repeated.length < 60, `${repeated.length} orders in 11 minutes`);
  await host.advance(20 * minute);
  const late = open(host, ownSocket);
  void late.call.send(ask('default', 'ROOTCA'));
  await host.advance(0);
  assert.deepEqual(late.sent, ['ROOTCA: ca-1']);
  ca.answer = 'issue';
  await host.advance(2 * minute);
  assert.deepEqual(late.sent.slice(1), ['default: 2 ca-1']);
});

test('with --compat istio what is held is forgotten as soon as the CA is asked', async () => {
  const { host, ca, start } = scene({ env: { FAIRWAY_COMPAT: 'istio' } });
  await start();
  await host.advance(minute);
  ca.answer = 'UNAVAILABLE';
  await host.advance(40 * minute);
  const envoy = open(host, ownSocket);
  void envoy.call.send(ask('default'));
  await host.advance(0);
  assert.deepEqual(envoy.sent, []);
});

const bad: readonly (readonly [answer: Ca['answer'], told: string])[] = [
  ['wrong-key', 'the key is not the one of the certificate'],
  ['no-chain', 'the answer holds no chain of certificates'],
  ['UNAUTHENTICATED', 'UNAUTHENTICATED: no'],
];
for (const [answer, told] of bad)
  test(`${answer}: nothing is served, the reason is told, the CA is asked on`, async () => {
    const { host, ca, start } = scene();
    ca.answer = answer;
    await start();
    await host.advance(10_000);
    assert.ok(
      host.lines.some((line) => line.includes('no workload certificate') && line.includes(told)),
      host.lines.join('\n'),
    );
    assert.ok(ca.orders.length > 2);
    ca.answer = 'issue';
    await host.advance(10_000);
    assert.ok(host.lines.some((line) => line.includes('workload certificate issued')));
  });

test('a VM shows the certificate that it was given, until that has ended', async () => {
  const files = {
    './etc/certs/cert-chain.pem': fakeCertificate('vm', beginMs + minute),
    './etc/certs/key.pem': 'vm',
    './etc/certs/root-cert.pem': fakeCertificate('vm-root', 2e12),
  };
  const { host, ca, start } = scene({ env: { PROV_CERT: './etc/certs' }, files });
  host.written.delete(tokenFile);
  for (const path of Object.keys(files).slice(0, 1)) assert.ok(host.written.has(path));
  await start();
  await host.advance(0);
  assert.equal(ca.orders.length, 0, 'files in the well-known place are the identity');
  const writing = scene({ env: { PROV_CERT: './etc/certs', OUTPUT_CERTS: './etc/certs' }, files });
  writing.host.written.delete(tokenFile);
  await writing.start();
  await writing.host.advance(0);
  assert.deepEqual(writing.ca.orders[0]?.target.tls?.client, { chain: files['./etc/certs/cert-chain.pem'], key: 'vm' });
  assert.equal(writing.ca.orders[0].metadata['authorization'], undefined);
  assert.equal(writing.host.written.get('./etc/certs/key.pem'), '1', 'what the CA gave is there for the next start');
  writing.host.written.set('./etc/certs/cert-chain.pem', fakeCertificate('vm', beginMs));
  await writing.host.advance(30 * minute);
  assert.equal(writing.ca.orders[1]?.target.tls?.client, undefined);
});

test('files in the place of the CA', async () => {
  const pair = { './etc/certs/cert-chain.pem': fakeCertificate('f', 1e13), './etc/certs/key.pem': 'f' };
  const files = {
    ...pair,
    './etc/certs/root-cert.pem': fakeCertificate('r', 1e13),
    '/var/run/secrets/istio/crl/ca-crl.pem': 'x',
  };
  const { host, ca, start } = scene({ env: { FILE_MOUNTED_CERTS: 'true' }, files });
  await start();
  const envoy = open(host, ownSocket, 'DeltaSecrets');
  void envoy.call.send(ask('default', 'ROOTCA'));
  await host.advance(0);
  assert.deepEqual(envoy.sent.length, 2);
  assert.deepEqual(ca.orders, []);
});

test('another server has the identity: ours serves files only, on a socket of its own', async () => {
  const files = { '/r.pem': fakeCertificate('r', 1e13), [ownSocket]: '' };
  const { host, ca, start } = scene({ files });
  await host.grpc.serve(ownSocket, () => Promise.resolve({ code: 'UNIMPLEMENTED', message: '' }));
  await start();
  const envoy = open(host, './var/run/secrets/credential-uds/files-socket');
  void envoy.call.send(ask('file-root:/r.pem', 'default', 'ROOTCA'));
  await host.advance(minute);
  assert.deepEqual(envoy.sent, ['file-root:/r.pem: r']);
  assert.deepEqual(ca.orders, []);
});

test('a socket that nobody serves is left from an agent that was killed', async () => {
  const { host, start } = scene({ files: { [ownSocket]: '' } });
  assert.equal((await start()).kind, 'running');
  assert.equal(host.written.has(ownSocket), false);
});

test('what cannot be is told before anything starts', async () => {
  const { host, start } = scene({ env: { CA_ADDR: 'nowhere', WORKLOAD_IDENTITY_SOCKET_FILE: 'a/b' } });
  const started = await start();
  assert.ok(started.kind === 'failed');
  assert.match(started.problem, /WORKLOAD_IDENTITY_SOCKET_FILE.*CA_ADDR "nowhere" is not host:port/);
  await host.advance(minute);
});

test('other methods and messages that cannot be read end their call, not the server', async () => {
  const { host, start } = scene();
  await start();
  assert.equal((await open(host, ownSocket, 'FetchSecrets').call.ended).code, 'UNIMPLEMENTED');
  const broken = open(host, ownSocket);
  void broken.call.send(Uint8Array.of(0x0a, 9));
  assert.equal((await broken.call.ended).code, 'INVALID_ARGUMENT');
  const envoy = open(host, ownSocket);
  void envoy.call.send(encode([3, 'file-cert:a'], [6, encode([2, 'bad key'])]));
  await host.advance(0);
  assert.ok(host.lines.some((line) => line.includes('Envoy refuses a secret') && line.includes('bad key')));
  assert.ok(host.lines.some((line) => line.includes('a secret that cannot be')));
});
