// Fairway's admission server in the place of istiod's injectors: one replica, a process of this machine.
import { install } from '../../cluster/install.ts';
import { fairway, until } from '../../cluster/kube.ts';
import { leadTo, startReplica } from '../../cluster/replica.ts';
import { revisions } from './stage.ts';

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
