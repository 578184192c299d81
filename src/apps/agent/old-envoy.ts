// An Envoy that an agent left behind when it was killed: in a pod the PID namespace ends it, under systemd the control group
// does; started by hand it lives on and holds the ports. A file with its pid and start time tells it from a stranger, and one whose agent
// still lives from one that was left behind.
import type { Host } from '../../ports/host.ts';
import type { Log } from './log.ts';

interface Running {
  readonly pid: number;
  readonly startTicks: number;
}

interface PidFile extends Running {
  readonly agent?: Running;
}

const softMs = 1000;
const hardMs = 2000;
const lookEveryMs = 20;

/** Remembers the running Envoy. A folder that cannot be written only costs the clean-up. */
export function rememberEnvoy(host: Host, path: string, log: Log, pid: number): void {
  const { pid: agentPid, startTicks: ticksOf } = host.processes;
  const [startTicks, agentTicks] = [ticksOf(pid), ticksOf(agentPid)];
  const remembered = { pid, startTicks, agent: { pid: agentPid, startTicks: agentTicks } };
  const problem = startTicks === undefined ? undefined : host.files.write(path, JSON.stringify(remembered));
  if (problem !== undefined) log('warn', 'cannot remember the pid of the proxy', { path, problem });
}

/** Ends the Envoy of an agent before, if it still runs: SIGTERM, a second later SIGKILL. Gives back why this agent must not start: another one has an Envoy here. */
export async function endOldEnvoy(host: Host, path: string, log: Log): Promise<string | undefined> {
  const old = parsePidFile(host.files.read(path));
  if (old === undefined || !isAlive(host, old)) return undefined;
  const { agent } = old;
  if (agent?.pid !== undefined && isAlive(host, agent))
    return `another agent (pid ${agent.pid}) runs the proxy of this folder (pid ${old.pid}): ${path}`;
  log('warn', 'ending the proxy that an earlier agent left behind', { pid: old.pid });
  host.processes.kill(old.pid, 'SIGTERM');
  if (await isGoneWithin(host, old, softMs)) return undefined;
  host.processes.kill(old.pid, 'SIGKILL');
  if (!(await isGoneWithin(host, old, hardMs))) log('error', 'the old proxy does not end', { pid: old.pid });
  return undefined;
}

function parsePidFile(text: string | undefined): PidFile | undefined {
  try {
    const file = JSON.parse(text ?? '') as Partial<PidFile>;
    return Number.isInteger(file.pid) && Number.isInteger(file.startTicks) ? (file as PidFile) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(host: Host, { pid, startTicks }: Running): boolean {
  return host.processes.startTicks(pid) === startTicks;
}

async function isGoneWithin(host: Host, old: Running, ms: number): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += lookEveryMs) {
    if (!isAlive(host, old)) return true;
    await new Promise<void>((resolve) => host.clock.after(lookEveryMs, resolve));
  }
  return !isAlive(host, old);
}
