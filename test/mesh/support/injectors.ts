// Fairway's admission server in the place of istiod's injectors: one replica, a process of this machine.
import { install } from '../../cluster/install.ts';
import { fairway, kubectl, until } from '../../cluster/kube.ts';
import { leadTo, startReplica } from '../../cluster/replica.ts';
import type { Repository } from './shop.ts';
import { namespace, type Pod, proxyOf, revisions } from './stage.ts';

/** Of fairway.yml, in every test. */
export const knownRevisions = `revisions: {${revisions.map((name) => `${name}: {}`).join(', ')}}\n`;

/** @param folder with rollouts.yml and fairway.yml. Take-over is refused until Fairway's own configurations can be called. */
export async function standIn(folder: string): Promise<void> {
  const served = ['--config', folder, '--inject', ...revisions];
  await install(...served);
  leadTo(await startReplica(...served));
  for (const revision of revisions)
    await until(
      `${revision} is taken over`,
      async () => (await fairway('admission', 'take-over', revision)).status === 0,
    );
}

/** What a pod would become that carries the older revision. */
export function dryRun(): Pod {
  const metadata = { name: 'dry', namespace, labels: { 'istio.io/rev': revisions[0] } };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'a', image: 'a' }] } };
  return JSON.parse(kubectl(['create', '--dry-run=server', '-o', 'json', '-f', '-'], JSON.stringify(pod))) as Pod;
}

/** Writes what the fleet's proxies wait for into fairway.yml, and waits until pods get it. */
export async function obeys(repository: Repository, { exitOnZero }: { readonly exitOnZero: boolean }): Promise<void> {
  repository.write('fairway.yml', `${knownRevisions}lifecycle: {exitOnZeroActiveConnections: ${exitOnZero}}\n`);
  await until(`exit on zero is ${exitOnZero}`, () => {
    const asked = proxyOf(dryRun())?.env?.find(({ name }) => name === 'EXIT_ON_ZERO_ACTIVE_CONNECTIONS');
    return asked?.value === String(exitOnZero);
  });
}
