// Pods as plain process groups, where the system allows no namespaces: the machine's network, files and user. Signals go to the whole
// group. A watchdog that holds a pipe of ours ends everything when fairway is gone: it knows the processes by a mark in their environment,
// so it finds those too that left their group.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { exitAndOutput, signalGroup, startExec, systemPath } from './children.ts';
import type { Isolation, Launched, LaunchPlan, SandboxHandle } from './isolation.ts';

const markName = 'FAIRWAY_POD_RUN';
/** Waits for the end of its input, then kills whoever carries the mark until nobody does. */
const watch = `cat >/dev/null
for round in 1 2 3 4 5 6 7 8 9 10; do
  marked=$(grep -lsF "$1" /proc/[0-9]*/environ)
  [ -n "$marked" ] || exit 0
  for file in $marked; do pid=\${file#/proc/}; kill -KILL "\${pid%/environ}" 2>/dev/null; done
done`;

export function groupIsolation(): Isolation {
  const mark = randomUUID();
  const watchdog = spawn('sh', ['-c', watch, 'watchdog', `${markName}=${mark}`], {
    env: { PATH: systemPath },
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  const ended = new Promise((resolve) => watchdog.once('exit', resolve));
  return {
    kind: 'groups',
    async createSandbox() {
      return groupSandbox({ [markName]: mark });
    },
    async close() {
      watchdog.ref();
      watchdog.stdin.end();
      await ended;
    },
  };
}

function groupSandbox(mark: Readonly<Record<string, string>>): SandboxHandle {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const running = new Set<number>();
  return {
    ip: '127.0.0.1',
    ended,
    async stop() {
      for (const pid of running) signalGroup(pid, constants.signals.SIGKILL);
      resolve();
    },
    launch: (plan) => launch({ ...plan, env: { ...plan.env, ...mark } }, running),
  };
}

async function launch(plan: LaunchPlan, running: Set<number>): Promise<Launched> {
  const obstacle = obstacleTo(plan);
  if (obstacle !== undefined) return { kind: 'refused', message: obstacle };
  const [program = '', ...args] = plan.argv;
  const cwd = plan.workingDir ?? '/';
  const child = spawn(program, args, { cwd, env: plan.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const { pid } = child;
  if (pid === undefined) {
    const [error] = (await new Promise((resolve) => child.once('error', (cause) => resolve([cause])))) as [Error];
    return { kind: 'failed', message: `exec: "${program}": ${error.message}` };
  }
  running.add(pid);
  const exited = exitAndOutput(child).finally(() => {
    signalGroup(pid, constants.signals.SIGKILL); // the main process's end is the container's
    running.delete(pid);
  });
  const signal = (number: number) => {
    if (running.has(pid)) signalGroup(pid, number);
  };
  const exec: RunningExec = ({ argv, ...streams }) => startExec({ argv, env: plan.env, cwd, ...streams });
  return { kind: 'running', process: { pid, stdout: child.stdout, stderr: child.stderr, exited, signal, exec } };
}

type RunningExec = Extract<Launched, { kind: 'running' }>['process']['exec'];

function obstacleTo(plan: LaunchPlan): string | undefined {
  const without = 'without namespaces (fairway is not run as root here)';
  const mount = plan.mounts.find(({ source, target }) => source !== target);
  if (mount !== undefined) return `${mount.target} cannot be mounted ${without}`;
  if (plan.root !== undefined) return `${plan.root} cannot be entered ${without}`;
  if (!existsSync(plan.workingDir ?? '/')) return `working directory ${plan.workingDir} does not exist`;
  const { uid } = plan.user;
  if (uid !== undefined && uid !== process.getuid?.()) return `user ${uid} cannot be taken ${without}`;
  return undefined;
}
