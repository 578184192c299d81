// `fairway pod run` at work: makes the node, starts the pods, shows what happens, and ends everything before it returns.
import { join, resolve } from 'node:path';
import { cleanCri, criNode } from '../adapters/cri/index.ts';
import { processNode } from '../adapters/process-runtime/index.ts';
import { objectStore, PodHost, serve } from '../apps/pod-runner/index.ts';
import { policyOf } from '../core/pod/index.ts';
import { UsageError } from '../core/std/errors.ts';
import type { PodNode } from '../ports/pod-node.ts';
import type { Io } from './io.ts';
import { type KubeletFlags, policyOptions } from './pod-flags.ts';
import { loadManifests } from './pod-manifests.ts';
import { podPrinter } from './pod-print.ts';
import { socketPath, stateFolder } from './pod-socket.ts';

export interface RunFlags extends KubeletFlags {
  readonly runtime: 'process' | 'cri';
  readonly endpoint: string;
  readonly clean: boolean;
  readonly image: readonly string[];
  readonly network: 'own' | 'host';
  readonly isolation: 'namespaces' | 'groups';
  readonly timing: 'ideal' | 'kubelet';
  readonly logs?: string;
  readonly socket?: string;
  readonly output?: 'yaml' | 'json';
  readonly watch: boolean;
  readonly quiet: boolean;
}

export async function runPods(files: readonly string[], flags: RunFlags, io: Io): Promise<void> {
  checkFlags(files, flags);
  if (flags.clean) return await clean(flags, io);
  const images = imagesOf(flags.image, io);
  const policy = policyOf({ ...policyOptions(flags), timing: flags.timing, seed: io.nowMs(), nodeName: 'localhost' });
  const known = flags.runtime === 'cri' ? 'pulled' : new Set(images.keys());
  const manifests = await loadManifests(files, io, { gates: policy.gates, images: known });
  const node = await nodeOf(flags, images, io);
  for (const note of node.notes) io.stderr.write(`note: ${note}\n`);
  const printer = podPrinter(io, flags);
  const host = new PodHost({
    policy: { ...policy, hostIP: node.hostIP },
    node,
    objects: objectStore(),
    observer: printer,
    nowMs: io.nowMs,
  });
  const socket = await serve(host, socketPath(flags.socket, io)).catch(async (error: unknown) => {
    await node.close();
    throw error;
  });
  const signals = listenToSignals(host, node, io);
  try {
    host.apply(manifests);
    await Promise.race([host.idle(), signals.forced]);
    await printer.end(host.pods());
    if (signals.wasForced() || host.pods().some(({ status }) => status.phase === 'Failed')) io.exitCode = 1;
  } finally {
    signals.stop();
    await node.close();
    await socket.close();
  }
}

function checkFlags(files: readonly string[], { runtime, image, clean: cleans }: RunFlags): void {
  if (cleans && runtime !== 'cri') throw new UsageError('--clean is for --runtime cri: processes leave nothing behind');
  if (cleans && files.length > 0) throw new UsageError('--clean only removes what ended runs left: give it no file');
  if (!cleans && files.length === 0) throw new UsageError('give at least one manifest file');
  if (runtime === 'cri' && image.length > 0)
    throw new UsageError('--image stands for an image where there is none: --runtime cri has images of its own');
}

async function clean(flags: RunFlags, io: Io): Promise<void> {
  const notes = await cleanCri({ socket: socketOf(flags), stateFolder: criFolder(io) });
  for (const note of notes) io.stderr.write(`note: ${note}\n`);
}

async function nodeOf(flags: RunFlags, images: ReadonlyMap<string, string>, io: Io): Promise<PodNode> {
  const logFolder = flags.logs === undefined ? join(stateFolder(io), 'logs') : resolve(io.cwd, flags.logs);
  if (flags.runtime === 'cri') return await criNode({ socket: socketOf(flags), stateFolder: criFolder(io), logFolder });
  const { network, isolation } = flags;
  return processNode({ stateFolder: join(stateFolder(io), 'pods'), logFolder, images, network, isolation });
}

function criFolder(io: Io): string {
  return join(stateFolder(io), 'cri');
}

/** The path in `unix:///path`. */
function socketOf({ endpoint }: RunFlags): string {
  const found = /^unix:\/\/(\/.+)$/.exec(endpoint);
  if (found === null) throw new UsageError(`--endpoint ${endpoint}: write unix:///PATH of the runtime's socket`);
  return found[1] ?? '';
}

interface Signals {
  /** Settles when the user will not wait. */
  readonly forced: Promise<void>;
  readonly wasForced: () => boolean;
  stop(): void;
}

/** The first signal deletes every pod with its own grace, the second ends them at once. */
function listenToSignals(host: PodHost, node: PodNode, io: Io): Signals {
  const { promise, resolve: force } = Promise.withResolvers<void>();
  let count = 0;
  const onSignal = (name: NodeJS.Signals) => {
    count++;
    if (count === 1) {
      io.stderr.write(`${name}: deleting the pods; once more ends them at once\n`);
      host.deleteAll();
    } else if (count === 2) {
      io.stderr.write(`${name}: ending the pods at once\n`);
      void node.close().then(force);
    }
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  return {
    forced: promise,
    wasForced: () => count > 1,
    stop: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

function imagesOf(flags: readonly string[], io: Io): ReadonlyMap<string, string> {
  return new Map(
    flags.map((flag) => {
      const at = flag.lastIndexOf('=');
      if (at < 1) throw new UsageError(`--image ${flag}: write NAME=FOLDER`);
      return [flag.slice(0, at), resolve(io.cwd, flag.slice(at + 1))] as const;
    }),
  );
}
