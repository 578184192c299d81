// The door of the process runtime: pods as real processes of this machine.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PodNode, PodOnNode } from '../../ports/pod-node.ts';
import { abilitiesOfMachine } from './abilities.ts';
import { groupIsolation } from './groups.ts';
import { namespaceIsolation } from './namespaces.ts';
import { gateway } from './network.ts';
import { ProcessPod } from './runtime.ts';

export interface ProcessNodeOptions {
  /** Volumes and scratch of running pods: below it a folder a run, gone at the end. */
  readonly stateFolder: string;
  /** `NAMESPACE_POD_UID/CONTAINER/RESTARTS.log`. */
  readonly logFolder: string;
  readonly images: ReadonlyMap<string, string>;
  /** `host`: pods share this machine's network even where they could have their own. */
  readonly network: 'own' | 'host';
  /** `groups`: no namespaces even where they are allowed. */
  readonly isolation: 'namespaces' | 'groups';
}

export function processNode(options: ProcessNodeOptions): PodNode {
  const none = { namespaces: false, network: false, notes: ['Namespaces are not used, as asked.'] };
  const abilities = options.isolation === 'groups' ? none : abilitiesOfMachine();
  const isolation = abilities.namespaces ? namespaceIsolation() : groupIsolation();
  const shared = options.network === 'host' || !abilities.network;
  const folder = join(options.stateFolder, `run-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  return {
    hostIP: shared ? '127.0.0.1' : gateway,
    notes: abilities.notes,
    open: (pod: PodOnNode) =>
      new ProcessPod(pod, {
        isolation,
        folder: join(folder, pod.uid),
        logFolder: join(options.logFolder, `${pod.namespace}_${pod.name}_${pod.uid}`),
        images: options.images,
        hostNetwork: shared || pod.hostNetwork,
      }),
    async close() {
      await isolation.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
