// One life of an agent whose CA fails to renew its certificate, while somebody asks for it: the one improvement that is about certificates.
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from '../envoy/scene.ts';
import { firstSecret } from '../envoy/secret-client.ts';
import { activeCertificate, socketPath, startSecureScene } from '../envoy/secure-scene.ts';
import { istioAgent, type Who } from './agent-scene.ts';
import { patienceMs } from './real-life.ts';

const unavailable = 14;

/** What a new stream of secrets is told while the CA refuses the renewal, and how the agent ends. */
export async function renewedInVain(
  t: TestContext,
  who: Who,
): Promise<{ readonly answer: string; readonly code: number | null }> {
  const scene = await startSecureScene(t, {
    ...(who === 'istio' ? { agent: istioAgent() } : {}),
    lifeMs: 3_600_000,
    config: { terminationDrainDuration: '0.1s' },
    env: {
      SECRET_GRACE_PERIOD_RATIO: '0.998',
      SECRET_GRACE_PERIOD_RATIO_JITTER: '0',
      INSTANCE_IP: '127.0.0.1',
      ...(who === 'ours, compat istio' ? { FAIRWAY_COMPAT: 'istio' } : {}),
    },
  });
  const has = (): Promise<boolean> =>
    activeCertificate(scene).then(
      (certificate) => certificate !== undefined,
      () => false, // it does not listen yet
    );
  await until('Envoy has a certificate', has, patienceMs);
  scene.ca.failure = { code: unavailable, message: 'no' };
  const before = scene.ca.orders.length;
  await until('the renewal is refused', () => scene.ca.orders.length > before, patienceMs);
  const answer = await firstSecret(join(scene.folder, socketPath), 'default').then(
    () => 'the certificate',
    () => 'nothing',
  );
  scene.agent.process.kill('SIGTERM'); // Istio's agent writes no pid: it must end its Envoy itself
  return { answer, code: (await scene.agent.ended).code };
}
