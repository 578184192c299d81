// Pods in namespaces of their own, with tools that every Linux has. Needs root.
//
//   setpriv --pdeathsig ─▶ unshare ─▶ init of the sandbox (PID 1, reaps)      ends when fairway ends, also by kill -9
//   nsenter into it ─▶ unshare ─▶ the container's command (PID 1 of a namespace of its own)
//
// A command that is PID 1 has no default action for signals, exactly as in a container: `sleep` does not obey TERM.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  childrenOf,
  exitAndOutput,
  exitCodeOf,
  signalProcess,
  startExec,
  systemPath,
  textOf,
  toolPath,
} from './children.ts';
import type {
  Isolation,
  Launched,
  LaunchPlan,
  RunningProcess,
  SandboxHandle,
  SandboxRequest,
  StartedExec,
} from './isolation.ts';
import { type LaunchSurroundings, launchScript, visibleMounts } from './launch-script.ts';
import { connectPod } from './network.ts';

/** PID 1 ignores what it has no handler for; the shell's `wait` reaps whatever is orphaned in the namespace. */
const init =
  'read -r pid _ </proc/self/stat; echo "$1" >/proc/sys/kernel/hostname; echo "$pid"; exec >&-; while :; do sleep 2147483647 & wait; done';
/** Runs the launch script as the first process of the new namespace and passes its exit code on, silently. */
const first = 'exec 4>&2 2>/dev/null; (exec 2>&4 4>&-; exec /bin/sh -c "$0" sh "$@"); exit $?';
const pollMs = 2;

export function namespaceIsolation(): Isolation {
  const sandboxes = new Set<SandboxHandle>();
  return {
    kind: 'namespaces',
    async createSandbox(request) {
      const sandbox = await createSandbox(request);
      sandboxes.add(sandbox);
      void sandbox.ended.then(() => sandboxes.delete(sandbox));
      return sandbox;
    },
    async close() {
      await Promise.all([...sandboxes].map((sandbox) => sandbox.stop()));
    },
  };
}

async function createSandbox(request: SandboxRequest): Promise<SandboxHandle> {
  const network = request.hostNetwork ? [] : ['--net'];
  const holder = [
    'setpriv',
    '--pdeathsig',
    'KILL',
    'unshare',
    '--fork',
    '--pid',
    '--kill-child',
    '--mount',
    '--uts',
    '--ipc',
  ];
  const [program, ...args] = [...holder, ...network, 'sh', '-c', init, 'sandbox', request.hostname];
  const env = { PATH: systemPath };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const ended = exitCodeOf(child).then(() => undefined);
  const pid = Number(await firstLine(child.stdout));
  if (!(pid > 0)) throw new Error(`cannot create a sandbox: ${await textOf(child.stderr)}`);
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    const ip = request.hostNetwork ? '127.0.0.1' : await connectPod(pid);
    const around = {
      hostname: request.hostname,
      ip,
      visible: visibleMounts(readFileSync('/proc/self/mountinfo', 'utf8')),
    };
    return { ip, ended, stop, launch: (plan) => launch(pid, plan, around) };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function launch(sandbox: number, plan: LaunchPlan, around: LaunchSurroundings): Promise<Launched> {
  const enter = [toolPath('nsenter'), '-t', String(sandbox), '-p', '-n', '-m', '-u', '-i', '--'];
  const [program, ...args] = [...enter, toolPath('unshare'), '--pid', '--mount', '/bin/sh', '-c', first];
  const child = spawn(program, [...args, launchScript(plan, around), ...plan.argv], {
    env: plan.env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const exited = exitAndOutput(child);
  // Read from the beginning, so that what a failed start says is here when its exit is.
  const stdout = (child.stdio[1] as Readable).pipe(new PassThrough());
  const stderr = (child.stdio[2] as Readable).pipe(new PassThrough());
  const pid = await launchedPid(child.stdio[3] as Readable);
  if (pid === undefined) return { kind: 'refused', message: await textOf(stderr) };
  const failure = await startFailure(pid, plan, { exited, stderr });
  if (failure !== undefined) return { kind: 'failed', message: failure };
  return { kind: 'running', process: runningProcess(pid, plan, { stdout, stderr, exited }) };
}

/** The main process's id once the set-up is done; undefined when the set-up failed. */
async function launchedPid(report: Readable): Promise<number | undefined> {
  let pid: number | undefined;
  for await (const line of createInterface({ input: report })) {
    if (line.startsWith('pid ')) pid = Number(line.slice(4));
    if (line === 'ready') return pid;
  }
  return undefined;
}

interface Starting {
  readonly exited: Promise<number>;
  readonly stderr: Readable;
}

/** Waits until the command itself runs; its message when it cannot be started, which only the tool's complaint tells. */
async function startFailure(pid: number, plan: LaunchPlan, starting: Starting): Promise<string | undefined> {
  const ended = starting.exited.then(() => true);
  do {
    const line = commandLine(pid);
    if (line !== '' && !line.includes(plan.folder)) return undefined;
  } while (!(await Promise.race([ended, sleep(pollMs, false)])));
  const code = await starting.exited;
  const said = code === 126 || code === 127 ? String(starting.stderr.read() ?? '') : '';
  if (/^unshare: failed to execute /m.exec(said) === null) {
    if (said !== '') starting.stderr.unshift(Buffer.from(said));
    return undefined;
  }
  const command = plan.argv[0] ?? '';
  if (said.includes('Permission denied')) return `exec: "${command}": permission denied`;
  return `exec: "${command}": ${command.includes('/') ? `stat ${command}: no such file or directory` : 'executable file not found in $PATH'}`;
}

function runningProcess(
  pid: number,
  plan: LaunchPlan,
  parts: Pick<RunningProcess, 'stdout' | 'stderr' | 'exited'>,
): RunningProcess {
  let over = false;
  void parts.exited.then(() => (over = true));
  const { uid, gid } = plan.user;
  const user = [...(uid === undefined ? [] : ['-S', String(uid)]), ...(gid === undefined ? [] : ['-G', String(gid)])];
  const enter = [toolPath('nsenter'), '-t', String(pid), '-m', '-u', '-i', '-n', '-p', '-r', '-w', ...user, '--'];
  return {
    ...parts,
    pid,
    signal: (number) => {
      if (!over) signalProcess(pid, number);
    },
    exec: ({ argv, ...streams }) => killedInside(startExec({ argv: [...enter, ...argv], env: plan.env, ...streams })),
  };
}

/**
 * The command is a child of the tool that entered the namespace. Only the child is killed: were its parent gone first, a machine whose
 * init does not reap would keep the dead child, and with it the whole namespace, for ever.
 */
function killedInside(started: StartedExec): StartedExec {
  const kill = () => {
    for (const pid of childrenOf(started.pid ?? 0)) signalProcess(pid, constants.signals.SIGKILL);
  };
  return {
    ...started,
    kill: () => {
      kill();
      const again = setInterval(kill, 20); // it may not have been born yet
      void started.exited.then(() => clearInterval(again));
    },
  };
}

async function firstLine(stream: Readable): Promise<string> {
  const lines = createInterface({ input: stream });
  const closed = once(lines, 'close').then(() => '');
  const line = await Promise.race([once(lines, 'line').then(([text]) => String(text)), closed]);
  lines.close();
  return line;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
