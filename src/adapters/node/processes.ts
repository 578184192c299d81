// Child processes and signals. A child leads its own process group, so that Ctrl-C in a terminal reaches the agent alone,
// which then drains; should the agent fall over, the child goes with it.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Child, ChildEnd, HostProcesses, Program, Ran } from '../../ports/processes.ts';
import { processUsage } from './usage.ts';

/** Processes of this machine. */
export function nodeProcesses(): HostProcesses {
  return {
    isRoot: process.getuid?.() === 0,
    pid: process.pid,
    spawn: start,
    run: runToEnd,
    onTerminate: (run) => {
      for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, run);
      for (const name of ['SIGUSR1', 'SIGUSR2'] as const) process.on(name, () => undefined);
    },
    onUnexpected: (run) => {
      for (const name of ['uncaughtException', 'unhandledRejection'] as const) process.on(name, run);
    },
    startTicks,
    kill: (pid, signal) => sendSignal(pid, signal),
    usage: processUsage,
  };
}

function start({ path, args, env, user }: Program): Child {
  const child = spawn(path, [...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
    ...user,
  });
  const { promise, resolve } = Promise.withResolvers<ChildEnd>();
  child.on('error', (error) => {
    if (child.pid === undefined) resolve({ kind: 'not-started', problem: error.message });
  });
  child.on('exit', (code, signal) => resolve(endOf(code, signal)));
  const { pid } = child;
  const takeAlong = (): void => {
    if (pid !== undefined) sendSignal(pid, 'SIGKILL');
  };
  process.once('exit', takeAlong);
  void promise.then(() => process.off('exit', takeAlong));
  return { pid, kill: (signal) => child.kill(signal), ended: promise };
}

function runToEnd(program: string, args: readonly string[], stdin = '', timeoutMs?: number): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const child = spawn(program, [...args], { stdio: 'pipe', detached: timeoutMs !== undefined });
  const killGroup = (): void => (child.pid === undefined ? undefined : sendSignal(-child.pid, 'SIGKILL'));
  const timer = timeoutMs === undefined ? undefined : setTimeout(killGroup, timeoutMs);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.on('error', (error) => resolve({ status: 127, stdout: '', stderr: error.message }));
  child.on('close', (code) =>
    resolve({
      status: code ?? 1,
      stdout: Buffer.concat(stdout).toString('utf8'),
      stderr: Buffer.concat(stderr).toString('utf8'),
    }),
  );
  child.stdin.on('error', () => undefined); // it may end without reading
  child.stdin.end(stdin);
  return promise.finally(() => clearTimeout(timer));
}

function endOf(code: number | null, signal: NodeJS.Signals | null): ChildEnd {
  return signal === null
    ? { kind: 'code', code: code ?? 0 }
    : { kind: 'signal', name: signal, number: constants.signals[signal] };
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended already.
  }
}

/** Field 22 of /proc/PID/stat; the second field, the name, may hold anything, so it is skipped by its last bracket. */
function startTicks(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : Number(fields[19]);
  } catch {
    return undefined;
  }
}
