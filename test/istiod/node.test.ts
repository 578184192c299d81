// The whole agent with the real istiod, with a bootstrap of its own: it gets its configuration and becomes ready, and the node is, as
// istiod shows it, that of Istio's own agent in the same place.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { getOnce } from '../envoy/load.ts';
import type { Scene } from '../envoy/scene.ts';
import { put, startMtlsScene } from '../envoy/secure-scene.ts';
import { istioSource } from '../istio/chart.ts';
import { goTools } from '../rig/build.ts';
import { eventually, type Mesh, startMesh } from './mesh.ts';

let mesh: Mesh;
before(async () => {
  mesh = await startMesh();
});

const bounded = { timeout: 300_000 };
const goMod = join(import.meta.dirname, '../agree/istio-bootstrap/go.mod');
const templateFile = 'tools/packaging/common/envoy_bootstrap.json';
const pod = {
  POD_NAME: 'cart-1',
  INSTANCE_IP: '10.99.99.7',
  HOST_IP: '10.99.99.1',
  TRUST_DOMAIN: 'cluster.local',
  ISTIO_META_WORKLOAD_NAME: 'cart',
  ISTIO_META_OWNER: 'kubernetes://apis/apps/v1/namespaces/shop/deployments/cart',
  ISTIO_META_MESH_ID: 'cluster.local',
  ISTIO_META_NODE_NAME: 'node-1',
  ISTIO_META_POD_PORTS: '[{"name":"http","containerPort":8080,"protocol":"TCP"}]',
  ISTIO_META_APP_CONTAINERS: 'app',
  ISTIO_META_INTERCEPTION_MODE: 'REDIRECT',
  ISTIO_META_ISTIO_VERSION: '1.31.0',
  CLOUD_PLATFORM: 'none',
};
const files = {
  'etc/istio/pod/labels': 'app="cart"\nistio-locality="r.z"\npod-template-hash="x"\n',
  'etc/istio/pod/annotations': 'sidecar.istio.io/statsInclusionPrefixes="a"\n',
};

interface Client {
  readonly connectionId: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The one proxy that istiod is connected to, as it shows it. */
async function connected(): Promise<Client> {
  const text = await (await fetch(`http://${mesh.host}:8080/debug/adsz`)).text();
  const { clients = [] } = JSON.parse(text) as { readonly clients?: readonly Client[] };
  const [client, ...others] = clients.filter(({ connectionId }) => connectionId.includes('cart-1.shop'));
  if (client?.metadata === undefined || others.length > 0)
    throw new Error(`${clients.length} proxies: ${text.slice(0, 300)}`);
  return client;
}

async function sceneOf(t: TestContext, agent?: string): Promise<Scene> {
  const template = readFileSync(join(istioSource(goMod), templateFile), 'utf8');
  return startMtlsScene(t, {
    ...(agent === undefined ? {} : { agent }),
    credentials: { root: mesh.root('shop'), token: mesh.token('shop', 'cart') },
    config: {
      discoveryAddress: `${mesh.host}:15012`,
      customConfigFile: '',
      terminationDrainDuration: '0.1s',
      configPath: './config',
    },
    // Nobody refuses at the pod's address, so the wait for the application lasts until the deadline.
    env: { ISTIOD_SAN: mesh.serverName, FAIRWAY_DRAIN_DEADLINE: '1s', ...pod },
    prepare: ({ folder }) => {
      for (const [path, text] of Object.entries(files)) put(folder, path, text);
      if (agent !== undefined) put(folder, 'var/lib/istio/envoy/envoy_bootstrap_tmpl.json', template);
    },
  });
}

/** Ports differ from scene to scene. */
function neutral({ metadata }: Client, { ports, folder }: Scene): unknown {
  const named = Object.entries(ports).reduce(
    (text, [name, port]) => text.replaceAll(String(port), `"${name}"`),
    JSON.stringify(metadata),
  );
  return JSON.parse(named.replaceAll(folder, 'FOLDER'));
}

async function nodeOf(t: TestContext, agent?: string): Promise<unknown> {
  const scene = await sceneOf(t, agent);
  let shown: Client | undefined;
  await eventually('istiod knows the proxy', async () => {
    shown = await connected();
    return true;
  });
  const node = neutral(shown ?? assert.fail(), scene);
  scene.agent.process.kill('SIGTERM'); // Istio's agent writes no pid: it must end its Envoy itself
  await scene.agent.ended;
  await eventually('istiod has forgotten it', () =>
    connected().then(
      () => false,
      () => true,
    ),
  );
  return node;
}

test("the node as istiod shows it: that of Istio's agent", bounded, async (t) => {
  const istio = await nodeOf(t, join(goTools('istio'), 'pilot-agent'));
  const fairway = await nodeOf(t);
  assert.deepEqual(fairway, istio);
  assert.match(JSON.stringify(istio), /"LABELS":\{"app":"cart","istio-locality":"r\/z"\}/);
});

test("ready with istiod's configuration and Fairway's bootstrap", bounded, async (t) => {
  const scene = await sceneOf(t);
  await eventually('Envoy is ready', () => getOnce(scene.ports.envoyStatus, '/healthz/ready').then(() => true));
  const clusters = await (await fetch(`http://127.0.0.1:${scene.ports.admin}/clusters`)).text();
  assert.match(clusters, /^PassthroughCluster::/m);
});
