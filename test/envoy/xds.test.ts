// The xDS proxy with a real Envoy below and the small xDS server above, over TLS.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { tokenFile } from '../../src/core/identity/index.ts';
import { cluster, endpoints, listener, type MeshTls, resource, routes, types } from '../xds/resources.ts';
import type { XdsServer } from '../xds/server.ts';
import { getOnce, startLoad } from './load.ts';
import { envoyVersions } from './parts.ts';
import { becomesReady, bounded, type Scene, until } from './scene.ts';
import { startApp } from './servers.ts';
import { sideBySide } from './side-by-side.ts';
import {
  inbound,
  type Mesh,
  newMesh,
  startPlane,
  startXdsScene,
  writeBelow,
  type XdsSceneOptions,
} from './xds-scene.ts';

const test = sideBySide('configuration through the agent');

/** A mesh with one pod whose application can be reached. */
async function startServing(t: TestContext, more: Partial<XdsSceneOptions> = {}) {
  const mesh = await newMesh();
  const plane = await startPlane(t, mesh);
  const scene = await startXdsScene(t, { mesh, port: plane.port, ...more });
  await startApp(t, scene.ports.app);
  plane.set(...inbound(scene.ports));
  await becomesReady(scene);
  await serves(scene.ports.inbound);
  return { mesh, plane, scene };
}

const succeeds = (port: number): Promise<boolean> =>
  getOnce(port, '/').then(
    () => true,
    () => false,
  );

async function serves(port: number): Promise<void> {
  await until(`port ${port} serves`, () => succeeds(port), 30_000);
}

/** Waits until Envoy's admin interface shows something. */
async function shows({ ports }: Scene, path: string, text: string): Promise<void> {
  const url = `http://127.0.0.1:${ports.admin}${path}`;
  await until(`${path} with ${text}`, async () => (await (await fetch(url)).text()).includes(text), 30_000);
}

/** A cluster first, then the route to it: a route to a cluster that is not ready loses requests, whoever sends it. */
async function update(plane: XdsServer, scene: Scene, name: string): Promise<void> {
  plane.set(cluster(name), endpoints(name, [scene.ports.app]));
  await shows(scene, '/clusters', `${name}::127.0.0.1:${scene.ports.app}`);
  plane.set(routes('in', name));
  await shows(scene, '/config_dump?resource=dynamic_route_configs', `"cluster": "${name}"`);
}

for (const version of envoyVersions) {
  test(`Envoy ${version}: configuration arrives, and its stream tells the cluster`, bounded, async (t) => {
    const { plane } = await startServing(t, { version });
    const [stream] = plane.streams;
    assert.match(stream?.method ?? '', /DeltaAggregatedResources$/);
    assert.equal(stream?.metadata['clusterid'], 'c1');
    assert.equal(stream?.metadata['authorization'], undefined);
  });
}

for (const variant of ['DELTA_GRPC', 'GRPC'] as const) {
  test(`${variant}: updates under load lose nothing`, bounded, async (t) => {
    const { plane, scene } = await startServing(t, { variant });
    const load = startLoad({ port: scene.ports.inbound, perSecond: 100, path: '/ms/5', protocol: 'http1' });
    for (let round = 0; round < 10; round++) await update(plane, scene, `app-${round}`);
    const { lost, sent } = await load.stop();
    assert.deepEqual(lost, []);
    assert.ok(sent > 0);
    assert.equal(plane.streams.length, 1);
    assert.deepEqual(
      plane.acknowledgements.filter(({ error }) => error !== undefined),
      [],
    );
  });

  test(`${variant}: a refusal comes through, and what was there stays`, bounded, async (t) => {
    const { plane, scene } = await startServing(t, { variant });
    plane.set(resource(types.listener, 'bad', new Uint8Array(0)));
    const refusals = (): readonly string[] => plane.acknowledgements.flatMap(({ error }) => error ?? []);
    await until('the refusal', () => refusals().length > 0, 30_000);
    assert.match(refusals()[0] ?? '', /listener|address/i);
    assert.equal(await succeeds(scene.ports.inbound), true);
    plane.remove(types.listener, 'bad');
    await update(plane, scene, 'after');
  });

  test(
    `${variant}: the control plane restarts under load: nothing is lost, and updates come again`,
    bounded,
    async (t) => {
      const { mesh, plane, scene } = await startServing(t, { variant });
      const load = startLoad({ port: scene.ports.inbound, perSecond: 100, path: '/ms/5', protocol: 'http1' });
      await plane.end();
      const next = await startPlane(t, mesh, plane.port);
      next.set(...inbound(scene.ports));
      await until('the next stream', () => next.streams.length > 0, 40_000);
      await update(next, scene, 'after');
      assert.deepEqual((await load.stop()).lost, []);
    },
  );
}

test('who the agent is: the token as it is now, or a certificate of PROV_CERT', bounded, async (t) => {
  const mesh = await newMesh();
  const plane = await startPlane(t, { ...mesh, tls: { ...mesh.tls, root: mesh.authority.root } });
  const pair = await mesh.authority.issue({ type: 'url', value: 'spiffe://cluster.local/ns/vm/sa/vm' });
  const files = {
    'provisioned/cert-chain.pem': pair.cert,
    'provisioned/key.pem': pair.key,
    'provisioned/root-cert.pem': mesh.authority.root,
    [tokenFile]: 'token-1',
  };
  const vm = await startXdsScene(t, {
    mesh,
    port: plane.port,
    env: { PROV_CERT: 'provisioned', FILE_MOUNTED_CERTS: 'false' },
    files,
  });
  await until('the stream', () => plane.streams.length > 0, 40_000);
  assert.equal(plane.streams[0]?.metadata['authorization'], 'Bearer token-1');
  writeBelow(vm.folder, tokenFile, 'token-2');
  await plane.end();
  const next = await startPlane(t, mesh, plane.port);
  await until('the next stream', () => next.streams.length > 0, 40_000);
  assert.equal(next.streams[0]?.metadata['authorization'], 'Bearer token-2');
});

test('two revisions form one mesh: a client of one calls a server of the other with mTLS', bounded, async (t) => {
  const mesh = await newMesh();
  const [old, young] = [await startPlane(t, mesh), await startPlane(t, mesh)];
  const server = await startXdsScene(t, { mesh, port: young.port, version: '1.40.0' });
  const client = await startXdsScene(t, { mesh, port: old.port, version: '1.39.3' });
  await startApp(t, server.ports.app);
  const { inbound: serverPort, app } = server.ports;
  const asServer = await workload(mesh, 'server');
  young.set(
    cluster('app'),
    endpoints('app', [app]),
    listener('in', { port: serverPort, routes: 'in', direction: 'inbound', tls: asServer }),
    routes('in', 'app'),
  );
  old.set(
    cluster('server', await workload(mesh, 'client')),
    endpoints('server', [serverPort]),
    listener('out', { port: client.ports.outbound, routes: 'out', direction: 'outbound' }),
    routes('out', 'server'),
  );
  await serves(client.ports.outbound);
  await assert.rejects(getOnce(serverPort, '/'), 'without a certificate');
});

async function workload({ authority }: Mesh, name: string): Promise<MeshTls> {
  const pair = await authority.issue({ type: 'url', value: `spiffe://cluster.local/ns/ns/sa/${name}` });
  return { pair, root: authority.root };
}
