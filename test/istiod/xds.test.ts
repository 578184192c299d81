// Configuration of the real istiod in the real Envoy, through the agent: its own bootstrap, certificate, token; delta and state of the world.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { becomesReady, hasLogged, type Scene, startScene } from '../envoy/scene.ts';
import { put, rootPath, tokenPath } from '../envoy/secure-scene.ts';
import { eventually, type Mesh, startMesh } from './mesh.ts';

let mesh: Mesh;
before(async () => {
  mesh = await startMesh();
});
after(() => mesh?.down());

const bounded = { timeout: 240_000 };

async function started(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const scene = await startScene(t, {
    config: { discoveryAddress: `${mesh.host}:15012`, customConfigFile: '' },
    env: {
      POD_NAME: 'cart-1',
      POD_NAMESPACE: 'shop',
      SERVICE_ACCOUNT: 'cart',
      INSTANCE_IP: '10.0.0.7',
      ISTIO_META_CLUSTER_ID: 'Kubernetes',
      ISTIOD_SAN: mesh.serverName,
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
      const scene = await started(t, { ISTIO_DELTA_XDS: delta });
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
  const scene = await started(t, { ISTIO_META_DNS_CAPTURE: 'true', DNS_PROXY_ADDR: '127.0.0.1:15953' });
  const table = async (): Promise<string> => (await fetch(`http://127.0.0.1:${scene.ports.status}/debug/ndsz`)).text();
  assert.match(await table(), /kubernetes\.default\.svc/);
  mesh.kubectl('-n', 'shop', 'create', 'service', 'clusterip', 'named', '--tcp=80:8080');
  await eventually('the name', async () => (await table()).includes('named.shop.svc.cluster.local'));
});
