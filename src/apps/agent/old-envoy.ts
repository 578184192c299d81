// An Envoy that an agent left behind when it was killed: in a pod the PID namespace ends it, under systemd the control group
// does; started by hand it lives on and holds the ports. A file with its pid and start time tells it from a stranger.
import type { Host } from '../../ports/host.ts';
import type { Log } from './log.ts';

interface PidFile {
  readonly pid: number;
  readonly startTicks: number;
}

const softMs = 1000;
const hardMs = 2000;
const lookEveryMs = 20;

/** Remembers the running Envoy. A folder that cannot be written only costs the clean-up. */
export function rememberEnvoy(host: Host, path: string, log: Log, pid: number): void {
  const startTicks = host.processes.startTicks(pid);
  const problem = startTicks === undefined ? undefined : host.files.write(path, JSON.stringify({ pid, startTicks }));
  if (problem !== undefined) log('warn', 'cannot remember the pid of the proxy', { path, problem });
}

/** Ends the Envoy of an agent before, if it still runs: SIGTERM, a second later SIGKILL. */
export async function endOldEnvoy(host: Host, path: string, log: Log): Promise<void> {
  const old = parsePidFile(host.files.read(path));
  if (old === undefined || !isAlive(host, old)) return;
  log('warn', 'ending the proxy that an earlier agent left behind', { pid: old.pid });
  host.processes.kill(old.pid, 'SIGTERM');
  if (await isGoneWithin(host, old, softMs)) return;
  host.processes.kill(old.pid, 'SIGKILL');
  if (!(await isGoneWithin(host, old, hardMs))) log('error', 'the old proxy does not end', { pid: old.pid });
}

function parsePidFile(text: string | undefined): PidFile | undefined {
  try {
    const { pid, startTicks } = JSON.parse(text ?? '') as Partial<PidFile>;
    return Number.isInteger(pid) && Number.isInteger(startTicks) ? ({ pid, startTicks } as PidFile) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(host: Host, { pid, startTicks }: PidFile): boolean {
  return host.processes.startTicks(pid) === startTicks;
}

async function isGoneWithin(host: Host, old: PidFile, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += lookEveryMs) {
    if (!isAlive(host, old)) return true;
    await new Promise<void>((resolve) => host.clock.after(lookEveryMs, resolve));
  }
  return !isAlive(host, old);
}
