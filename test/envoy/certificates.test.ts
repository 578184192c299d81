// The workload's certificate from a CA to the real Envoy and back: issued, rotated under load, kept while the CA is away, from files.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newAuthority } from '../xds/authority.ts';
import { startLoad } from './load.ts';
import { envoyVersions } from './parts.ts';
import { becomesReady, bounded, hasLogged, until } from './scene.ts';
import {
  activeCertificate,
  identity,
  nextCertificate,
  patienceMs,
  put,
  renewedOften,
  rootPath,
  type SecureOptions,
  speaksMtls,
  startSecureScene,
  tokenPath,
} from './secure-scene.ts';
import { startApp } from './servers.ts';
import { sideBySide } from './side-by-side.ts';

const test = sideBySide('certificates');

async function started(
  t: Parameters<typeof startSecureScene>[0],
  options: SecureOptions = {},
): ReturnType<typeof startSecureScene> {
  const scene = await startSecureScene(t, options);
  await startApp(t, scene.ports.app);
  await becomesReady(scene);
  return scene;
}

for (const version of envoyVersions)
  test(`Envoy ${version} gets certificate and roots, and speaks mTLS by them`, bounded, async (t) => {
    const scene = await started(t, { version });
    await speaksMtls(scene);
    assert.deepEqual((await activeCertificate(scene))?.identities, [identity]);
    const [order] = scene.ca.orders;
    assert.deepEqual(
      [order?.token, order?.headers['clusterid'], order?.lifeSeconds],
      ['token-1', 'Kubernetes', 86_400],
    );
    assert.equal(scene.ca.orders.length, 1);
  });

test('certificates rotate under 200 requests a second, and none is lost', bounded, async (t) => {
  const scene = await started(t, renewedOften);
  await speaksMtls(scene);
  const load = startLoad({ port: scene.ports.outbound, perSecond: 200, path: '/ms/5', protocol: 'http1' });
  const serials = new Set<string>();
  for (let serial: string | undefined; serials.size < 4; serials.add(serial))
    serial = await nextCertificate(scene, serial);
  const { sent, lost } = await load.stop();
  assert.deepEqual(lost, []);
  assert.ok(sent > 500, `${sent} requests`);
  const requests = new Set(scene.ca.orders.map(({ csr }) => csr));
  assert.equal(requests.size, scene.ca.orders.length, 'a new key for each certificate');
});

test('the CA is away: what is held serves on, under load; when it is back, the renewal is done', bounded, async (t) => {
  const scene = await started(t, { lifeMs: 60_000, env: { SECRET_GRACE_PERIOD_RATIO: '0.97' } });
  await speaksMtls(scene);
  const before = (await activeCertificate(scene))?.serial;
  await scene.ca.away();
  const load = startLoad({ port: scene.ports.outbound, perSecond: 200, path: '/ms/5', protocol: 'http1' });
  const refusals = (): number =>
    scene.agent.log().filter(({ msg }) => msg === 'no workload certificate from the CA').length;
  await until('the CA was asked five times', () => refusals() >= 5, patienceMs);
  await scene.ca.back();
  await nextCertificate(scene, before);
  const { sent, lost } = await load.stop();
  assert.deepEqual(lost, []);
  assert.ok(sent > 200, `${sent} requests`);
});

test('token and root are those of the moment: both change, and the next order is filled', bounded, async (t) => {
  const scene = await started(t, renewedOften);
  await speaksMtls(scene);
  const before = await activeCertificate(scene);
  scene.ca.callers.clear();
  scene.ca.callers.set('token-2', identity);
  await scene.ca.changeRoot();
  await until('the old ones are refused', hasLogged(scene.agent, 'no workload certificate from the CA'), patienceMs);
  put(scene.folder, tokenPath, 'token-2');
  put(scene.folder, rootPath, scene.ca.root());
  await until(
    'the new root is in use',
    async () => {
      const { rootSerials = [] } = (await activeCertificate(scene)) ?? {};
      return rootSerials.length > 0 && rootSerials[0] !== before?.rootSerials[0];
    },
    patienceMs,
  );
  await speaksMtls(scene);
});

test(
  'mounted files: the kubelet swaps its link, and Envoy has the new certificate, nothing lost',
  bounded,
  async (t) => {
    const authority = await newAuthority();
    const renew = async (folder: string, revision: string): Promise<void> => {
      const { cert, key } = await authority.issue({ type: 'url', value: identity });
      swapLink(join(folder, 'etc/certs'), revision, {
        'cert-chain.pem': cert,
        'key.pem': key,
        'root-cert.pem': authority.root,
      });
    };
    const scene = await startSecureScene(t, { env: { FILE_MOUNTED_CERTS: 'true' } });
    await startApp(t, scene.ports.app);
    await until('nothing is there', hasLogged(scene.agent, 'certificate files cannot be used'), patienceMs);
    await renew(scene.folder, '..1');
    await speaksMtls(scene);
    const load = startLoad({ port: scene.ports.outbound, perSecond: 100, path: '/ms/5', protocol: 'http1' });
    let serial = (await activeCertificate(scene))?.serial;
    for (const revision of ['..2', '..3']) {
      await renew(scene.folder, revision);
      serial = await nextCertificate(scene, serial);
    }
    assert.deepEqual((await load.stop()).lost, []);
    assert.deepEqual(scene.ca.orders, []);
  },
);

/** As the kubelet publishes a Secret: a new folder, and one link moved over the old one. Files are links through it. */
function swapLink(folder: string, revision: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, revision), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, revision, name), text);
  symlinkSync(revision, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  for (const name of Object.keys(files)) if (revision === '..1') symlinkSync(join('..data', name), join(folder, name));
}

test('a listener may name files of its own; they are there without any CA', bounded, async (t) => {
  const authority = await newAuthority();
  const { cert, key } = await authority.issue({ type: 'url', value: identity });
  const scene = await started(t, {
    env: { FILE_MOUNTED_CERTS: 'true' },
    secrets: { own: 'file-cert:own/c.pem~own/k.pem', roots: 'file-root:own/r.pem' },
    prepare: ({ folder }) => {
      for (const [name, text] of [
        ['c', cert],
        ['k', key],
        ['r', authority.root],
      ] as const)
        put(folder, `own/${name}.pem`, text);
    },
  });
  await speaksMtls(scene);
});

test(
  'OUTPUT_CERTS on a VM: written for the owner alone, and shown to the CA by the next start instead of a token',
  bounded,
  async (t) => {
    const scene = await startSecureScene(t, { env: { OUTPUT_CERTS: './etc/certs', PROV_CERT: './etc/certs' } });
    await startApp(t, scene.ports.app);
    await until(
      'the root of a VM is missing',
      hasLogged(scene.agent, 'no workload certificate from the CA'),
      patienceMs,
    );
    put(scene.folder, 'etc/certs/root-cert.pem', scene.ca.root());
    await speaksMtls(scene);
    const modes = ['key.pem', 'cert-chain.pem'].map(
      (name) => statSync(join(scene.folder, 'etc/certs', name)).mode & 0o777,
    );
    assert.deepEqual(modes, [0o600, 0o600]);
    scene.agent.process.kill('SIGKILL');
    await scene.agent.ended;
    scene.ca.callers.clear();
    const next = scene.again();
    await until('the next agent has a certificate', hasLogged(next, 'workload certificate issued'), patienceMs);
    assert.equal(scene.ca.orders.at(-1)?.client, identity);
    await speaksMtls(scene);
  },
);
