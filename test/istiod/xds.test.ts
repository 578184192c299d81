// Configuration of the real istiod in the real Envoy, through the agent: its own bootstrap, certificate, token; delta and state of the world.
import assert from 'node:assert/strict';
import { before, type TestContext, test } from 'node:test';
import { becomesReady, freePorts, hasLogged, type Scene, type SceneOptions, startScene } from '../envoy/scene.ts';
import { activeCertificate, put, rootPath, tokenPath } from '../envoy/secure-scene.ts';
import { startApp } from '../envoy/servers.ts';
import { eventually, type Istiod, type Mesh, startMesh } from './mesh.ts';

let mesh: Mesh;
before(async () => {
  mesh = await startMesh();
});

const bounded = { timeout: 240_000 };

interface Place {
  readonly istiod?: Istiod;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: SceneOptions['config'];
}

async function started(t: TestContext, { istiod = mesh, env = {}, config = {} }: Place = {}): Promise<Scene> {
  const scene = await startScene(t, {
    config: {
      discoveryAddress: `${istiod.host}:15012`,
      customConfigFile: '',
      terminationDrainDuration: '0.1s',
      ...config,
    },
    env: {
      POD_NAME: 'cart-1',
      POD_NAMESPACE: 'shop',
      SERVICE_ACCOUNT: 'cart',
      INSTANCE_IP: '10.0.0.7',
      ISTIO_META_CLUSTER_ID: 'Kubernetes',
      ISTIOD_SAN: istiod.serverName,
      FILE_MOUNTED_CERTS: '',
      ...env,
    },
    prepare: ({ folder }) => {
      put(folder, tokenPath, mesh.token('shop', 'cart'));
      put(folder, rootPath, mesh.root('shop'));
    },
  });
  await becomesReady(scene);
  return scene;
}

async function admin({ ports }: Scene, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${ports.admin}${path}`)).text();
}

/** Makes a service, and waits for its cluster in Envoy. */
async function serviceArrives(scene: Scene, name: string): Promise<void> {
  mesh.kubectl('-n', 'shop', 'create', 'service', 'clusterip', name, '--tcp=80:8080');
  const cluster = `outbound|80||${name}.shop.svc.cluster.local`;
  await eventually(`the cluster ${cluster}`, async () => (await admin(scene, '/clusters')).includes(cluster));
}

for (const delta of ['true', 'false'] as const) {
  test(
    `ISTIO_DELTA_XDS=${delta}: listeners and clusters arrive, changes too, and istiod takes every answer`,
    bounded,
    async (t) => {
      const scene = await started(t, { env: { ISTIO_DELTA_XDS: delta } });
      const listeners = await admin(scene, '/listeners');
      assert.match(listeners, /virtualOutbound/);
      assert.match(listeners, /virtualInbound/);
      await serviceArrives(scene, `delta-${delta}`);
      const stats = await admin(scene, '/stats?filter=update_rejected');
      assert.doesNotMatch(stats, /update_rejected: [1-9]/);
    },
  );
}

test('istiod restarts: the agent reconnects, and changes arrive again', bounded, async (t) => {
  const scene = await started(t);
  await serviceArrives(scene, 'before');
  mesh.restart();
  await eventually('the stream has ended', hasLogged(scene.agent, 'the stream to the control plane ended'));
  await serviceArrives(scene, 'after');
});

test('names for the DNS proxy come along', bounded, async (t) => {
  const scene = await started(t, { env: { ISTIO_META_DNS_CAPTURE: 'true', DNS_PROXY_ADDR: '127.0.0.1:15953' } });
  const table = async (): Promise<string> => (await fetch(`http://127.0.0.1:${scene.ports.status}/debug/ndsz`)).text();
  assert.match(await table(), /kubernetes\.default\.svc/);
  mesh.kubectl('-n', 'shop', 'create', 'service', 'clusterip', 'named', '--tcp=80:8080');
  await eventually('the name', async () => (await table()).includes('named.shop.svc.cluster.local'));
});

test("a virtual machine's health, told by the agent, is the condition of its WorkloadEntry", bounded, async (t) => {
  const [port = 0] = await freePorts(1);
  mesh.apply({
    apiVersion: 'networking.istio.io/v1',
    kind: 'WorkloadGroup',
    metadata: { name: 'vm', namespace: 'shop' },
    spec: { template: { serviceAccount: 'cart' }, probe: { tcpSocket: { port } } },
  });
  const app = await startApp(t, port);
  const scene = await started(t, {
    env: { ISTIO_META_AUTO_REGISTER_GROUP: 'vm', REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION: 'true' },
    config: { readinessProbe: { httpGet: { port, path: '/' }, periodSeconds: 1 } },
  });
  await eventually('the entry is healthy', () => healthOf('vm-10.0.0.7').status === 'True');
  await app.close();
  await eventually('the entry is not healthy', () => healthOf('vm-10.0.0.7').status === 'False');
  assert.match(healthOf('vm-10.0.0.7').message ?? '', /ECONNREFUSED/);
  mesh.restart();
  await startApp(t, port);
  await eventually('the entry is healthy again', () => healthOf('vm-10.0.0.7').status === 'True');
  scene.agent.process.kill('SIGTERM');
  assert.equal((await scene.agent.ended).code, 0);
  await eventually(
    'the entry is gone',
    () => mesh.kubectl('-n', 'shop', 'get', 'workloadentries', '-o', 'name') === '',
  );
});

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** Throws where nobody has told it. */
function healthOf(name: string): Condition {
  const { status } = JSON.parse(mesh.kubectl('-n', 'shop', 'get', 'workloadentry', name, '-o', 'json')) as {
    readonly status?: { readonly conditions?: readonly Condition[] };
  };
  return status?.conditions?.find(({ type }) => type === 'Healthy') ?? assert.fail('no condition');
}

test(
  'another revision: the agent that is started with its address is served by its istiod alone',
  bounded,
  async (t) => {
    const other = mesh.also('1-32-0');
    const first = await started(t);
    assert.deepEqual(await Promise.all([isServedBy(mesh), isServedBy(other)]), [true, false]);
    first.agent.process.kill('SIGTERM');
    assert.equal((await first.agent.ended).code, 0);
    const scene = await started(t, { istiod: other });
    await serviceArrives(scene, 'moved');
    await eventually('the first one has forgotten it', async () => !(await isServedBy(mesh)));
    assert.equal(await isServedBy(other), true);
    assert.equal((await activeCertificate(scene))?.identities[0], 'spiffe://cluster.local/ns/shop/sa/cart');
  },
);

/** Whether this istiod is connected to the proxy, as it shows it. */
async function isServedBy({ host }: Istiod): Promise<boolean> {
  return (await (await fetch(`http://${host}:8080/debug/adsz`)).text()).includes('cart-1.shop');
}
