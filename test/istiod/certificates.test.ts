// Certificates of the real istiod in the real Envoy.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { getOnce, startLoad } from '../envoy/load.ts';
import { becomesReady, hasLogged, type Scene } from '../envoy/scene.ts';
import { activeCertificate, identity, put, rootPath, startMtlsScene, tokenPath } from '../envoy/secure-scene.ts';
import { startApp } from '../envoy/servers.ts';
import { caContract } from '../xds/certificate-contract.ts';
import { eventually, type Mesh, startMesh } from './mesh.ts';
import { testServed } from './served.ts';

let mesh: Mesh;
before(async () => {
  mesh = await startMesh();
});

caContract('istiod', () => {
  const { host, serverName } = mesh;
  const token = mesh.token('shop', 'cart');
  return Promise.resolve({ host, port: 15_012, serverName, root: mesh.root('shop'), token, end: () => undefined });
});

testServed(() => mesh);

const bounded = { timeout: 300_000 };
/** Renewed after about four seconds; what is held outlives a slow restart of istiod. */
const short = { SECRET_TTL: '300s', SECRET_GRACE_PERIOD_RATIO: '0.987', SECRET_GRACE_PERIOD_RATIO_JITTER: '0' };

async function started(
  t: Parameters<typeof startMtlsScene>[0],
  env: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const scene = await startMtlsScene(t, {
    credentials: { root: mesh.root('shop'), token: mesh.token('shop', 'cart') },
    config: { discoveryAddress: `${mesh.host}:15012` },
    env: { ISTIOD_SAN: mesh.serverName, ...env },
  });
  await startApp(t, scene.ports.app);
  await becomesReady(scene);
  await eventually('mTLS works', () => getOnce(scene.ports.outbound, '/').then(() => true));
  return scene;
}

test('Envoy has the certificate that istiod gave, and its root', bounded, async (t) => {
  const scene = await started(t);
  const { identities, rootSerials } = (await activeCertificate(scene)) ?? assert.fail();
  assert.deepEqual(identities, [identity]);
  assert.equal(rootSerials.length, 1);
});

test(
  'istiod restarts: certificates that are renewed every four seconds come through it, and no request is lost',
  bounded,
  async (t) => {
    const scene = await started(t, short);
    const serials = new Set<string>();
    const renewed = (times: number): Promise<void> => {
      serials.clear();
      return eventually(`${times} certificates`, async () => {
        serials.add((await activeCertificate(scene))?.serial ?? '');
        return serials.size >= times;
      });
    };
    const load = startLoad({ port: scene.ports.outbound, perSecond: 100, path: '/ms/5', protocol: 'http1' });
    await renewed(2);
    mesh.restart();
    await renewed(2);
    const { lost } = await load.stop();
    assert.deepEqual(lost, []);
  },
);

test('the token has ended: what is held serves on, and with the new token the renewal is done', bounded, async (t) => {
  const scene = await started(t, short);
  put(scene.folder, tokenPath, 'no token of this mesh');
  await eventually('the token is refused', hasLogged(scene.agent, 'no workload certificate from the CA'));
  const serial = (await activeCertificate(scene))?.serial;
  await getOnce(scene.ports.outbound, '/');
  put(scene.folder, tokenPath, mesh.token('shop', 'cart'));
  await eventually('another certificate', async () => (await activeCertificate(scene))?.serial !== serial);
  await getOnce(scene.ports.outbound, '/');
});

test('the CA has a new root: with the new file of it, certificates are of the new one', bounded, async (t) => {
  const scene = await started(t, short);
  const old = mesh.root('shop');
  const serial = (await activeCertificate(scene))?.rootSerials[0];
  mesh.kubectl('-n', 'istio-system', 'delete', 'secret', 'istio-ca-secret');
  mesh.restart();
  await eventually('another root is published', () => mesh.root('shop') !== old);
  await eventually('the old root is no use', hasLogged(scene.agent, 'no workload certificate from the CA'));
  put(scene.folder, rootPath, mesh.root('shop'));
  put(scene.folder, tokenPath, mesh.token('shop', 'cart'));
  await eventually('the new root is in use', async () => (await activeCertificate(scene))?.rootSerials[0] !== serial);
  await eventually('mTLS works', () => getOnce(scene.ports.outbound, '/').then(() => true));
});
