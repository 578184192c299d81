// Commands in running containers, by CRI's ExecSync: output comes as a whole at the end, and there is no input.
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { ExecRequest } from '../../ports/pod-node.ts';
import type { ExecOutcome } from '../probe/handler.ts';
import { CallError, type CriClient, deadlineExceeded } from './client.ts';
import { RuntimeService } from './generated/api_pb.js';

interface Command {
  readonly containerId: string;
  readonly command: readonly string[];
  /** The runtime ends the command after it, in whole seconds; undefined: never. */
  readonly timeoutMs: number | undefined;
}

/** The kubelet reads no more of what a probe or a hook says. */
const outputLimit = 10 * 1024;
const abandoned: ExecOutcome = { exitCode: -1, output: '' };

/** For probes and hooks. When the signal fires nobody waits any more; the command ends at its own time-out, or with its container. */
export async function execWithin(client: CriClient, what: Command, signal: AbortSignal): Promise<ExecOutcome> {
  const { promise: aborted, resolve } = Promise.withResolvers<ExecOutcome>();
  signal.addEventListener('abort', () => resolve(abandoned));
  if (signal.aborted) return abandoned;
  return await Promise.race([run(client, what), aborted]);
}

/** For a user: resolves to the exit code once the output is written. */
export async function execToEnd(
  client: CriClient,
  containerId: string,
  { command, stdin, stdout, stderr }: ExecRequest,
): Promise<number> {
  if (stdin !== undefined && (await hasInput(stdin)))
    throw new Error('a command in a container of this runtime gets no input: leave out -i');
  const done = await client.call(RuntimeService.method.execSync, { containerId, cmd: [...command] });
  for (const [stream, said] of [
    [stdout, done.stdout],
    [stderr, done.stderr],
  ] as const) {
    if (said.length > 0 && !stream.write(said)) await once(stream, 'drain');
  }
  return done.exitCode;
}

/** Settles at the first input, or at the end without any. */
function hasInput(stdin: Readable): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  stdin.once('data', () => resolve(true));
  for (const end of ['end', 'close']) stdin.once(end, () => resolve(false));
  return promise;
}

async function run(client: CriClient, { containerId, command, timeoutMs }: Command): Promise<ExecOutcome> {
  const timeout = BigInt(timeoutMs === undefined ? 0 : Math.max(1, Math.ceil(timeoutMs / 1000)));
  try {
    const done = await client.call(RuntimeService.method.execSync, { containerId, cmd: [...command], timeout });
    const output = Buffer.concat([done.stdout, done.stderr]).subarray(0, outputLimit).toString('utf8');
    return { exitCode: done.exitCode, output };
  } catch (error) {
    if (error instanceof CallError && error.code === deadlineExceeded)
      return { exitCode: -1, output: `command "${command.join(' ')}" timed out` };
    throw error;
  }
}
