// DNS with the real istiod: what it tells of the services of a cluster reaches Istio's agent and ours over xDS, both hold the same table, and answer
// alike. The bootstrap is the agents' own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { nodeMessages } from '../../src/adapters/node/messages.ts';
import { queryBytes, readMessageText, types } from '../../src/core/dns/plain-message.ts';
import { envoyBinary } from '../envoy/parts.ts';
import { agentSource, freePorts } from '../envoy/scene.ts';
import { put } from '../envoy/secure-scene.ts';
import { goSource, goTools } from '../rig/build.ts';
import { eventually, type Mesh, startMesh } from './mesh.ts';

let mesh: Mesh;
before(async () => {
  mesh = await startMesh();
  mesh.apply(...services);
});
const folder = mkdtempSync(join(tmpdir(), 'names-'));
after(() => rmSync(folder, { recursive: true }));

const port = { port: 80, name: 'http', protocol: 'TCP' };
const named = (name: string): object => ({ name, namespace: 'shop' });
const services: readonly object[] = [
  { apiVersion: 'v1', kind: 'Service', metadata: named('reviews'), spec: { ports: [port] } },
  { apiVersion: 'v1', kind: 'Service', metadata: named('db'), spec: { clusterIP: 'None', ports: [port] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...named('db-1'), labels: { 'kubernetes.io/service-name': 'db' } },
    addressType: 'IPv4',
    ports: [port],
    endpoints: [1, 2].map((i) => ({ addresses: [`10.9.0.${i}`], hostname: `db-${i}`, conditions: { ready: true } })),
  },
  {
    apiVersion: 'networking.istio.io/v1',
    kind: 'ServiceEntry',
    metadata: named('outside'),
    spec: {
      hosts: ['api.example.com', '*.wild.example.com'],
      addresses: ['192.0.2.9'],
      ports: [{ number: 443, name: 'tls', protocol: 'TLS' }],
      resolution: 'STATIC',
      location: 'MESH_EXTERNAL',
      endpoints: [{ address: '192.0.2.10' }],
    },
  },
];
const asked = [
  'reviews.',
  'reviews.shop.svc.',
  'db.shop.svc.cluster.local.',
  'api.example.com.',
  'a.wild.example.com.',
  'kubernetes.default.',
];

interface Seen {
  readonly table: unknown;
  readonly answers: readonly (readonly string[])[];
}

/** What an agent holds and answers, once it is ready: readiness waits for the table. */
async function seenOf(t: TestContext, program: readonly [string, ...string[]]): Promise<Seen> {
  const [admin = 0, status = 0, envoyStatus = 0, prometheus = 0, dns = 0] = await freePorts(5);
  const place = mkdtempSync(join(folder, 'agent-'));
  put(place, 'var/run/secrets/tokens/istio-token', mesh.token('shop', 'cart'));
  put(place, 'var/run/secrets/istio/root-cert.pem', mesh.root('shop'));
  const template = 'tools/packaging/common/envoy_bootstrap.json';
  mkdirSync(join(place, 'var/lib/istio/envoy'), { recursive: true });
  copyFileSync(
    join(goSource('istio', 'istio.io/istio'), template),
    join(place, 'var/lib/istio/envoy/envoy_bootstrap_tmpl.json'),
  );
  const config = {
    discoveryAddress: `${mesh.host}:15012`,
    binaryPath: envoyBinary(),
    configPath: join(place, 'etc/istio/proxy'),
    proxyAdminPort: admin,
    statusPort: status,
    concurrency: 1,
    terminationDrainDuration: '0.1s',
  };
  const env = {
    PATH: process.env['PATH'],
    PROXY_CONFIG: JSON.stringify(config),
    ISTIOD_SAN: mesh.serverName,
    POD_NAME: 'cart',
    POD_NAMESPACE: 'shop',
    SERVICE_ACCOUNT: 'cart',
    INSTANCE_IP: '127.0.0.1',
    ISTIO_META_CLUSTER_ID: 'Kubernetes',
    ISTIO_META_DNS_CAPTURE: 'true',
    DNS_PROXY_ADDR: `127.0.0.1:${dns}`,
    ENVOY_STATUS_PORT: String(envoyStatus),
    ENVOY_PROMETHEUS_PORT: String(prometheus),
    FAIRWAY_TERMINATION_LOG: '',
  };
  const [binary, ...args] = program;
  const child = spawn(binary, [...args, 'proxy', 'sidecar'], { cwd: place, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  t.after(async () => {
    child.kill('SIGTERM'); // Istio's agent, killed, would leave its Envoy
    const killing = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(killing);
  });
  const status200 = async (path: string): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${status}${path}`)).status === 200;
  await eventually('the agent is ready', () => status200('/healthz/ready'));
  const table: unknown = await (await fetch(`http://127.0.0.1:${status}/debug/ndsz`)).json();
  const answers = await Promise.all(asked.flatMap((name) => ['A', 'AAAA'].map((type) => answersOf(dns, name, type))));
  child.kill('SIGTERM');
  await ended;
  return { table, answers };
}

async function answersOf(dns: number, name: string, type: string): Promise<readonly string[]> {
  const message = queryBytes({ name, type: types[type] ?? 0 });
  const replied = await nodeMessages.ask(
    'udp',
    { host: '127.0.0.1', port: dns },
    { message, timeoutMs: 10_000, isAnswer: () => true },
  );
  const read = replied.kind === 'answer' ? readMessageText(replied.message) : undefined;
  return [`${name} ${type} ${read?.code} ${read?.flags.join()}`, ...(read?.answers.toSorted() ?? [])];
}

test("istiod's names: the same table, the same answers as of Istio's agent", { timeout: 400_000 }, async (t) => {
  const istio = await seenOf(t, [join(goTools('istio'), 'pilot-agent')]);
  const ours = await seenOf(t, [process.execPath, agentSource]);
  assert.deepEqual(ours, istio);
  assert.deepEqual(ours.answers[4], [
    'db.shop.svc.cluster.local. A 0 AA,RD',
    'db.shop.svc.cluster.local. 30 A 10.9.0.1',
    'db.shop.svc.cluster.local. 30 A 10.9.0.2',
  ]);
});
