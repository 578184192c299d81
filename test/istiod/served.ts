// What the agent serves on its SDS socket beside what Istio's own agent serves in the same place, with the same istiod: the same names
// lead to secrets of the same shape, and files to the same bytes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Message, readMessage } from '../../src/core/wire/index.ts';
import { firstSecret } from '../envoy/secret-client.ts';
import { put, socketPath, startMtlsScene } from '../envoy/secure-scene.ts';
import { goTools } from '../rig/build.ts';
import { newAuthority } from '../xds/authority.ts';
import { eventually, type Mesh } from './mesh.ts';

const names = [
  'default',
  'ROOTCA',
  'other',
  'file-cert:own/c.pem~own/k.pem',
  'file-root:own/r.pem',
  'file-root:system',
];

interface Variant {
  readonly mesh: Mesh;
  /** In the pod's folder. */
  readonly files: Readonly<Record<string, string>>;
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** For each name: how its secret looks. */
async function servedBy(t: TestContext, { mesh, files, agent, env = {} }: Variant): Promise<Record<string, string>> {
  const scene = await startMtlsScene(t, {
    ...(agent === undefined ? {} : { agent }),
    credentials: { root: mesh.root('shop'), token: mesh.token('shop', 'cart') },
    config: { discoveryAddress: `${mesh.host}:15012`, terminationDrainDuration: '0.1s' },
    env: { ISTIOD_SAN: mesh.serverName, INSTANCE_IP: '127.0.0.1', ...env },
    prepare: ({ folder }) => {
      for (const [path, text] of Object.entries(files)) put(folder, path, text);
    },
  });
  try {
    const shapes: Record<string, string> = {};
    for (const name of names)
      await eventually(`${name} is served`, async () => {
        shapes[name] = shape(await firstSecret(join(scene.folder, socketPath), name));
        return true;
      });
    return { ...shapes, metrics: await certificateMetrics(scene.ports.status) };
  } finally {
    scene.agent.process.kill('SIGTERM'); // Istio's agent writes no pid: it must end its Envoy itself
    await scene.agent.ended;
  }
}

/** Names and labels of the metrics about certificates that both have. */
async function certificateMetrics(port: number): Promise<string> {
  const text = await (await fetch(`http://127.0.0.1:${port}/stats/prometheus`)).text();
  const samples = text.match(/^istio_agent_(?:cert_expiry|num_outgoing|outgoing_latency)\S*/gm) ?? [];
  return samples
    .filter((sample) => !sample.startsWith('istio_agent_num_outgoing_retries'))
    .sort()
    .join(' ');
}

/** Types, names, which fields there are, and the kinds of PEM blocks in them; nothing that differs from run to run. */
function shape(response: Message): string {
  const [any] = response.all(2).map((bytes) => readMessage(bytes));
  const secret = any?.message(2);
  const source = (message: Message | undefined): string => {
    const text = message?.text(2) ?? '';
    return `${message?.text(1)}${[...text.matchAll(/-----BEGIN ([^-]+)-----/g)].map(([, label]) => label).join(',')}`;
  };
  const pair = secret?.message(2);
  const roots = secret?.message(4);
  return [
    response.text(4) === any?.text(1) ? 'typed' : 'untyped',
    response.text(5) === '' ? 'no nonce' : 'nonce',
    secret?.text(1),
    `chain ${source(pair?.message(1))}`,
    `key ${source(pair?.message(2))}`,
    `provider ${pair?.message(6)?.text(1)} ${pair?.message(6)?.integer(4)}`,
    `of ${pair?.message(6)?.message(3)?.text(1)} ${source(pair?.message(6)?.message(3)?.message(2)?.message(1))}`,
    `after ${pair?.message(6)?.message(3)?.message(2)?.message(2)?.integer(2)}`,
    `roots ${source(roots?.message(1))}`,
    `crl ${source(roots?.message(7))}`,
  ].join(' | ');
}

const hardware = 'proxy.istio.io/config="privateKeyProvider: {cryptomb: {pollDelay: 10ms, fallback: true}}"\n';

const variants: readonly (readonly [what: string, env: Readonly<Record<string, string>>, annotations: string])[] = [
  ['as it comes', {}, ''],
  ['with elliptic keys in PKCS#8', { ECC_SIGNATURE_ALGORITHM: 'ECDSA', PKCS8_KEY: 'true' }, ''],
  ['with keys for hardware', {}, hardware],
];

/** Registers the comparison; the mesh is up when its tests run. */
export function testServed(mesh: () => Mesh): void {
  for (const [what, env, annotations] of variants)
    test(`secrets are those of Istio's agent, ${what}`, { timeout: 300_000 }, async (t) => {
      const authority = await newAuthority();
      const { cert, key } = await authority.issue({ type: 'url', value: 'spiffe://cluster.local/ns/shop/sa/cart' });
      const own = { 'own/c.pem': cert, 'own/k.pem': key, 'own/r.pem': authority.root };
      const files = { ...own, 'etc/istio/pod/annotations': annotations };
      const place = { mesh: mesh(), files, env };
      const istio = await servedBy(t, { ...place, agent: join(goTools('istio'), 'pilot-agent') });
      const fairway = await servedBy(t, place);
      assert.deepEqual(fairway, istio);
      if (annotations !== '') assert.match(istio['default'] ?? '', /provider cryptomb 1/);
      assert.match(istio['metrics'] ?? '', /^istio_agent_cert_expiry_seconds\{/);
      assert.match(istio['default'] ?? '', /chain CERTIFICATE,CERTIFICATE \|.* [A-Z ]*PRIVATE KEY \|/);
    });
}
