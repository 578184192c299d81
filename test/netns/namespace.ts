// A network namespace of its own for a test: loopback up, an address on a pair of interfaces whose other end is inside too, a route for what lies outside. It is
// taken away after the test; nothing leaves the machine.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

export interface Namespace {
  /** The namespace as a file. */
  readonly path: string;
  /** Runs a program to its end inside. */
  readonly run: (...command: readonly string[]) => Ran;
  /** Runs it in the background; it ends with the test. */
  readonly start: (...command: readonly string[]) => ChildProcess;
  /** `fairway agent istio-iptables …` inside. */
  readonly iptables: (...flags: readonly string[]) => Ran;
}

interface Ran {
  readonly status: number | null;
  readonly output: string;
}

export const podAddress = { v4: '10.99.0.2', v6: 'fd99::2' } as const;
const agent = fileURLToPath(new URL('../../src/cli/pilot-agent.ts', import.meta.url));

let made = 0;

/** Needs root and the packages iproute2 and iptables. Programs inside find `resolvConf` in the place of the machine's. */
export function namespace(t: TestContext, resolvConf?: string): Namespace {
  const name = `fairway-${process.pid}-${made++}`;
  if (resolvConf !== undefined) overResolvConf(t, `/etc/netns/${name}`, resolvConf);
  must('ip', ['netns', 'add', name]);
  t.after(() => must('ip', ['netns', 'del', name]));
  const inside = (...command: readonly string[]): string[] => ['netns', 'exec', name, ...command];
  for (const command of [
    'ip link set lo up',
    'ip link add pod0 type veth peer name out0',
    'ip link set out0 up',
    `ip addr add ${podAddress.v4}/24 dev pod0`,
    `ip -6 addr add ${podAddress.v6}/64 dev pod0 nodad`,
    'ip link set pod0 up',
    'ip route add default dev pod0',
  ])
    must('ip', inside(...command.split(' ')));
  const run = (...command: readonly string[]): Ran => ran('ip', inside(...command));
  const start = (...command: readonly string[]): ChildProcess => {
    const child = spawn('ip', inside(...command), { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    return child;
  };
  return {
    path: `/var/run/netns/${name}`,
    run,
    start,
    iptables: (...flags) => run(process.execPath, agent, 'istio-iptables', ...flags),
  };
}

/** `ip netns exec` mounts the files of such a folder over those of /etc. */
function overResolvConf(t: TestContext, folder: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(`${folder}/resolv.conf`, text);
}

function ran(program: string, args: readonly string[]): Ran {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  return { status, output: `${stdout}${stderr}` };
}

function must(program: string, args: readonly string[]): void {
  const { status, output } = ran(program, args);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${output}`);
}
