// The companions of `fairway pod run` at work: each asks the run's socket and prints what it says.
import { runClient } from '../apps/pod-runner/index.ts';
import { type Pod, policyOf } from '../core/pod/index.ts';
import { UsageError } from '../core/std/errors.ts';
import { apiObject, columnsOf } from '../sim/pod/index.ts';
import type { Io } from './io.ts';
import { loadManifests } from './pod-manifests.ts';
import { type SocketFlags, socketPath } from './pod-socket.ts';
import { printData, table } from './print.ts';

export async function applyFiles(files: readonly string[], flags: SocketFlags, io: Io): Promise<void> {
  const manifests = await loadManifests(files, io, { gates: policyOf().gates, images: 'unknown' });
  for (const [key, what] of await clientOf(flags, io).apply(manifests)) io.stdout.write(`${key} ${what}\n`);
}

export async function showPods(
  names: readonly string[],
  flags: SocketFlags & { readonly output?: 'yaml' | 'json' | undefined },
  io: Io,
): Promise<void> {
  const { pods, deployments } = await clientOf(flags, io).list();
  const chosen = names.length === 0 ? pods : names.map((name) => named(pods, name));
  if (flags.output !== undefined) {
    const objects = chosen.map(apiObject);
    const one = names.length === 1 ? objects[0] : { apiVersion: 'v1', kind: 'List', items: objects };
    return await printData(io, flags.output, one);
  }
  io.stdout.write(table([['NAME', 'READY', 'STATUS', 'RESTARTS', 'IP'], ...chosen.map(rowOf)]));
  if (names.length > 0 || deployments.length === 0) return;
  const rows = deployments.map(({ key, wanted, status }) => [
    key,
    `${status.ready}/${wanted}`,
    String(status.updated),
    String(status.available),
    status.complete ? 'yes' : 'no',
  ]);
  io.stdout.write(`\n${table([['DEPLOYMENT', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'COMPLETE'], ...rows])}`);
}

export async function deleteNames(
  names: readonly string[],
  flags: SocketFlags & { readonly gracePeriod?: number | undefined },
  io: Io,
): Promise<void> {
  const client = clientOf(flags, io);
  for (const reference of names) {
    await client.delete({ reference, gracePeriodSeconds: flags.gracePeriod });
    io.stdout.write(`${reference} deleted\n`);
  }
}

export async function printLogs(
  pod: string,
  flags: SocketFlags & { readonly container?: string | undefined; readonly previous: boolean },
  io: Io,
): Promise<void> {
  const { container, previous } = flags;
  const query = { pod, ...(container === undefined ? {} : { container }), ...(previous ? { previous: 'true' } : {}) };
  io.stdout.write(await clientOf(flags, io).logs(query));
}

interface Exec extends SocketFlags {
  readonly pod: string;
  readonly command: readonly string[];
  readonly container?: string | undefined;
  readonly stdin: boolean;
}

/** The command's own exit status becomes 1 where it is not 0: 2, 69 and 70 have meanings of their own here. */
export async function execIn(exec: Exec, io: Io): Promise<void> {
  const { pod, command, container, stdin } = exec;
  const streams = { stdin: stdin ? io.stdin : undefined, stdout: io.stdout, stderr: io.stderr };
  const code = await clientOf(exec, io).exec({ pod, command, container, ...streams });
  if (code === 0) return;
  io.stderr.write(`command exited with ${code}\n`);
  io.exitCode = 1;
}

function clientOf(flags: SocketFlags, io: Io) {
  return runClient(socketPath(flags.socket, io));
}

function named(pods: readonly Pod[], name: string): Pod {
  const key = name.replace(/^pods?\//, '');
  const found = pods.find(({ metadata }) => [metadata.name, `${metadata.namespace}/${metadata.name}`].includes(key));
  if (found === undefined) throw new UsageError(`there is no pod ${key}`, { hint: 'fairway pod get lists what runs' });
  return found;
}

function rowOf(pod: Pod): readonly string[] {
  const { ready, status, restarts } = columnsOf(pod);
  return [pod.metadata.name, ready, status, String(restarts), pod.status.podIP ?? '<none>'];
}
