// The door of the CRI runtime: pods in containerd, or in any other runtime that speaks CRI v1, on this machine.
import { mkdirSync, rmSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { TransientError } from '../../core/std/errors.ts';
import type { PodNode, PodOnNode } from '../../ports/pod-node.ts';
import { CriClient } from './client.ts';
import { RuntimeService } from './generated/api_pb.js';
import { ownName } from './owner.ts';
import { Relist } from './relist.ts';
import { CriPod } from './runtime.ts';
import { type Cleaned, labelsOf, removeAllOf, removeLeftovers } from './sandboxes.ts';

export interface CriNodeOptions {
  /** The path of the runtime's unix socket. */
  readonly socket: string;
  /** Volumes of running pods: below it a folder a run, gone at the end. */
  readonly stateFolder: string;
  /** `NAMESPACE_POD_UID/CONTAINER/RESTARTS.log`. */
  readonly logFolder: string;
}

/** Connects, and removes what runs that have ended left; rejects with TransientError where no runtime is ready. */
export async function criNode(options: CriNodeOptions): Promise<PodNode> {
  const client = new CriClient(options.socket);
  const { cleaned, version } = await prepare(client, options);
  const owner = ownName();
  const labels = labelsOf(owner);
  const relist = new Relist(client, owner);
  const folder = join(options.stateFolder, owner);
  mkdirSync(folder, { recursive: true });
  const open = new Set<CriPod>();
  const hostIP = addressOfMachine();
  return {
    hostIP,
    notes: [`Pods run in ${version}.`, ...notesOf(cleaned)],
    open(pod: PodOnNode) {
      const logFolder = join(options.logFolder, `${pod.namespace}_${pod.name}_${pod.uid}`);
      const onClosed = () => open.delete(made);
      const made = new CriPod(pod, {
        client,
        relist,
        hostIP,
        labels,
        folder: join(folder, pod.uid),
        logFolder,
        onClosed,
      });
      open.add(made);
      return made;
    },
    async close() {
      await Promise.allSettled([...open].map((pod) => pod.close()));
      relist.close();
      await removeAllOf(client, owner);
      rmSync(folder, { recursive: true, force: true });
      client.close();
    },
  };
}

/** Removes what runs that have ended left, and nothing else. */
export async function cleanCri(options: Omit<CriNodeOptions, 'logFolder'>): Promise<readonly string[]> {
  const client = new CriClient(options.socket);
  const { cleaned } = await prepare(client, options);
  client.close();
  const notes = notesOf(cleaned);
  return notes.length > 0 ? notes : ['Nothing was left.'];
}

interface Prepared {
  readonly cleaned: Cleaned;
  readonly version: string;
}

async function prepare(
  client: CriClient,
  { socket, stateFolder }: Omit<CriNodeOptions, 'logFolder'>,
): Promise<Prepared> {
  try {
    const { runtimeName, runtimeVersion } = await client.call(RuntimeService.method.version, {});
    const { status } = await client.call(RuntimeService.method.status, {});
    const missing = status?.conditions.filter((one) => !one.status && required.has(one.type)) ?? [];
    if (missing.length > 0)
      throw new Error(missing.map(({ type, message }) => `${type} is false: ${message}`).join('; '));
    return { cleaned: await removeLeftovers(client, stateFolder), version: `${runtimeName} ${runtimeVersion}` };
  } catch (cause) {
    client.close();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new TransientError(`the container runtime at ${socket} is not ready: ${why}`, { cause });
  }
}

const required: ReadonlySet<string> = new Set(['RuntimeReady', 'NetworkReady']);

function notesOf({ removed, elsewhere }: Cleaned): readonly string[] {
  return [
    ...(removed > 0 ? [`Removed ${removed} sandboxes that ended runs had left.`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} sandboxes of runs in other PID namespaces stay.`] : []),
  ];
}

/** The first address that others can reach. */
function addressOfMachine(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
