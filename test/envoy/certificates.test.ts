// The workload's certificate from a CA to the real Envoy and back: issued, rotated under load, kept while the CA is away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getOnce, startLoad } from './load.ts';
import { envoyVersions } from './parts.ts';
import { becomesReady, bounded, until } from './scene.ts';
import { activeCertificate, identity, startSecureScene } from './secure-scene.ts';
import { startApp } from './servers.ts';

for (const version of envoyVersions)
  test(`Envoy ${version} gets certificate and roots, and speaks mTLS by them`, bounded, async (t) => {
    const scene = await startSecureScene(t, { version });
    await startApp(t, scene.ports.app);
    await becomesReady(scene);
    await until('mTLS works', () =>
      getOnce(scene.ports.outbound, '/').then(
        () => true,
        () => false,
      ),
    );
    assert.deepEqual((await activeCertificate(scene))?.identities, [identity]);
    const [order] = scene.ca.orders;
    assert.deepEqual([order?.token, order?.headers['clusterid'], order?.lifeSeconds], ['token-1', 'east', 86_400]);
    assert.equal(scene.ca.orders.length, 1);
  });

test('certificates rotate under 200 requests a second, and none is lost', bounded, async (t) => {
  const scene = await startSecureScene(t, { lifeMs: 4000, env: { SECRET_GRACE_PERIOD_RATIO_JITTER: '0' } });
  await startApp(t, scene.ports.app);
  await becomesReady(scene);
  await until('mTLS works', () =>
    getOnce(scene.ports.outbound, '/').then(
      () => true,
      () => false,
    ),
  );
  const load = startLoad({ port: scene.ports.outbound, perSecond: 200, path: '/ms/5', protocol: 'http1' });
  const serials = new Set<string>();
  await until(
    'four certificates were in use',
    async () => {
      serials.add((await activeCertificate(scene))?.serial ?? '');
      await pause(100);
      return serials.size >= 4;
    },
    30_000,
  );
  const { sent, lost } = await load.stop();
  assert.deepEqual(lost, []);
  assert.ok(sent > 500, `${sent} requests`);
  const keys = new Set(scene.ca.orders.map(({ csr }) => csr));
  assert.equal(keys.size, scene.ca.orders.length, 'a new key for each certificate');
});
