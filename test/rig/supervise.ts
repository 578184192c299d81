// Programs that outlive the command: started in a session of their own with a log and a pid file, ended by that file.
// A pid file also holds the process's start time, so that a recycled id is never mistaken for ours.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { layout } from './layout.ts';

const termPatienceMs = 5_000;
const readyPatienceMs = 180_000;

interface Surroundings {
  /** Added to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts `command` in the background under `name`; its output goes to `log/name`. */
export function start(name: string, command: readonly string[], { env, cwd }: Surroundings = {}): void {
  mkdirSync(layout.pids, { recursive: true });
  mkdirSync(layout.logs, { recursive: true });
  const [program = '', ...args] = command;
  const log = openSync(join(layout.logs, name), 'a');
  const stdio = ['ignore', log, log] as const;
  const child = spawn(program, args, { detached: true, stdio: [...stdio], cwd, env: { ...process.env, ...env } });
  closeSync(log);
  if (child.pid === undefined) throw new Error(`cannot start ${program}`);
  child.unref();
  writeFileSync(pidFile(name), `${child.pid} ${startTime(child.pid) ?? ''}`);
}

/** TERM, then KILL after five seconds; nothing happens when it does not run. */
export async function stop(name: string): Promise<void> {
  const pid = runningPid(name);
  if (pid !== undefined) await end(pid);
  rmSync(pidFile(name), { force: true });
}

/** Names of what was started and not yet stopped. */
export function started(): readonly string[] {
  return existsSync(layout.pids) ? readdirSync(layout.pids).sort() : [];
}

/** The process under `name`, if it is still the one that was started. */
export function runningPid(name: string): number | undefined {
  if (!existsSync(pidFile(name))) return undefined;
  const [pid = '', since = ''] = readFileSync(pidFile(name), 'utf8').split(' ');
  return since !== '' && startTime(Number(pid)) === since ? Number(pid) : undefined;
}

/** Asks `isReady` four times a second; throws after three minutes, or as soon as `name` has died, with the end of its log. */
export async function waitFor(name: string, isReady: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + readyPatienceMs;
  while (!(await isReady())) {
    const died = existsSync(pidFile(name)) && runningPid(name) === undefined;
    if (died || Date.now() > deadline)
      throw new Error(`${name} ${died ? 'died' : 'did not become ready'}:\n${tail(name)}`);
    await sleep(250);
  }
}

async function end(pid: number): Promise<void> {
  const since = startTime(pid);
  signal(pid, 'SIGTERM');
  for (const deadline = Date.now() + termPatienceMs; startTime(pid) === since; await sleep(50)) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in between.
  }
}

/** Clock ticks since boot at which a living process began (field 22 of its stat line); zombies count as ended. */
function startTime(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function pidFile(name: string): string {
  return join(layout.pids, name);
}

function tail(name: string): string {
  const file = join(layout.logs, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-15).join('\n') : '(no log)';
}
