// Runs the handler of a probe or a hook once: exec by the runtime, the network kinds from here, as the kubelet does. Says what
// happened in the kubelet's words; thresholds and what follows are the lifecycle engine's.
import { portNumber } from '../../core/container/index.ts';
import type { Container, HookHandler, Probe } from '../../core/pod/index.ts';
import { checkGrpcHealth } from './grpc.ts';
import { getForHook, getForProbe } from './http.ts';
import { connectTcp } from './tcp.ts';
import type { Address, Verdict } from './verdict.ts';

/** Where a container is reached, and how a command is run in it. */
export interface Target {
  readonly container: Container;
  readonly podIP: string;
  /** Resolves to the exit code and the output; ends the command when the signal fires. */
  exec(command: readonly string[], signal: AbortSignal): Promise<ExecOutcome>;
}

export interface ExecOutcome {
  readonly exitCode: number;
  readonly output: string;
}

/** One attempt; a time-out is a failure, an error of our own is `unknown`. */
export async function probeOnce(probe: Probe, target: Target, timeoutMs: number): Promise<Verdict> {
  try {
    if (probe.exec !== undefined) return await probeByExec(probe.exec.command ?? [], target, timeoutMs);
    if (probe.httpGet !== undefined)
      return await getForProbe(probe.httpGet, addressOf(probe.httpGet, target), timeoutMs);
    if (probe.tcpSocket !== undefined) return await connectTcp(addressOf(probe.tcpSocket, target), timeoutMs);
    const grpc = probe.grpc ?? { port: 0 };
    return await checkGrpcHealth({ host: target.podIP, port: grpc.port }, grpc.service ?? '', timeoutMs);
  } catch (error) {
    return { result: 'unknown', message: error instanceof Error ? error.message : String(error) };
  }
}

/** Runs a hook to its end, or until the signal fires; rejects with why it failed. */
export async function runHook(handler: HookHandler, target: Target, signal: AbortSignal): Promise<void> {
  if (handler.exec !== undefined) {
    const command = handler.exec.command ?? [];
    const { exitCode, output } = await target.exec(command, signal);
    if (exitCode !== 0) throw new Error(`command '${command.join(' ')}' exited with ${exitCode}: ${output}`);
  } else if (handler.httpGet !== undefined) {
    await getForHook(handler.httpGet, addressOf(handler.httpGet, target), signal);
  } else if (handler.sleep !== undefined) {
    await pause(handler.sleep.seconds * 1000, signal);
  } else {
    throw new Error('invalid handler: a hook is exec, httpGet or sleep');
  }
}

async function probeByExec(command: readonly string[], target: Target, timeoutMs: number): Promise<Verdict> {
  const signal = AbortSignal.timeout(timeoutMs);
  const { exitCode, output } = await target.exec(command, signal);
  if (signal.aborted) {
    return { result: 'failure', message: `command "${command.join(' ')}" timed out after ${timeoutMs / 1000}s` };
  }
  return { result: exitCode === 0 ? 'success' : 'failure', message: output };
}

function addressOf(
  action: { readonly host?: string | undefined; readonly port: number | string },
  target: Target,
): Address {
  const port = portNumber(target.container, action.port);
  if (port === undefined) throw new Error(`couldn't find port: ${action.port}`);
  return { host: action.host === undefined || action.host === '' ? target.podIP : action.host, port };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(new Error('cancelled'));
  });
  return promise;
}
