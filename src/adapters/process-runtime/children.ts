// Child processes with the exit codes of a shell, and small waits on them. Each child leads a group of its own, so that a Ctrl-C on
// the terminal reaches only fairway, and a kill reaches all that the child started.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { StartedExec } from './isolation.ts';

/** Where setpriv, unshare, nsenter, mount and ip are, whatever the user's own PATH says. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A tool's absolute path: it is started with a container's environment, whose PATH may be anything. */
export function toolPath(name: string): string {
  const folder = systemPath.split(':').find((candidate) => existsSync(join(candidate, name)));
  return folder === undefined ? name : join(folder, name);
}

/** Real-time signals are not in Node's table; Linux' C libraries begin them at 34. */
const firstRealTime = 34;
const lastRealTime = 64;

/** The number of `SIGTERM`, `SIGRTMIN+3`, `SIGRTMAX-1`, …; undefined where there is no such signal. */
export function signalNumber(name: string): number | undefined {
  const realTime = /^SIGRT(MIN|MAX)(?:([+-])(\d+))?$/.exec(name);
  if (realTime === null) return constants.signals[name as NodeJS.Signals];
  const offset = Number(realTime[3] ?? 0) * (realTime[2] === '-' ? -1 : 1);
  return (realTime[1] === 'MIN' ? firstRealTime : lastRealTime) + offset;
}

/** Settles with the exit code, 128 + n after signal n; 127 where the program could not be started. */
export async function exitCodeOf(child: ChildProcess): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  child.once('error', () => resolve(127));
  child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  return await promise;
}

/** Everything the stream still has, as text; for messages of failed programs. */
export async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString('utf8').trim();
}

/** Runs a helper program to its end; rejects with what it said. */
export async function runTool(argv: readonly string[], input = ''): Promise<void> {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { env: { PATH: systemPath }, stdio: ['pipe', 'ignore', 'pipe'], detached: true });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, message] = await Promise.all([exitCodeOf(child), textOf(child.stderr)]);
  if (code !== 0) throw new Error(`${program}: ${message === '' ? `exit status ${code}` : message}`);
}

interface ExecPlan {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  readonly stdin: Readable | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** Starts a command with its streams connected; its group can be killed. */
export function startExec(plan: ExecPlan): StartedExec {
  const [program = '', ...args] = plan.argv;
  const child = spawn(program, args, { env: plan.env, cwd: plan.cwd, stdio: 'pipe', detached: true });
  child.stdin.on('error', () => undefined); // a command need not read what it is given
  if (plan.stdin === undefined) child.stdin.end();
  else plan.stdin.pipe(child.stdin);
  child.stdout.pipe(plan.stdout, { end: false });
  child.stderr.pipe(plan.stderr, { end: false });
  return {
    pid: child.pid,
    exited: exitAndOutput(child),
    kill: () => signalGroup(child.pid, constants.signals.SIGKILL),
  };
}

/** The exit code, once the output has been read too, for which a left-over descendant is not waited long. */
export async function exitAndOutput(child: ChildProcess): Promise<number> {
  const closed = once(child, 'close').catch(() => undefined);
  const code = await exitCodeOf(child);
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 200).unref())]);
  return code;
}

/** The children of a process, by what /proc says of every process's parent. */
export function childrenOf(parent: number): readonly number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined; // it ended meanwhile
  }
}

/** Signals a group that may be gone. */
export function signalGroup(pid: number | undefined, signal: number): void {
  if (pid !== undefined) signalProcess(-pid, signal);
}

export function signalProcess(pid: number, signal: number): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
