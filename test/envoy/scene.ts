// One pod on loopback: an application and a service elsewhere (servers of this process), the agent and its Envoy (processes).
// Ports are free ones, so that scenes do not meet. Whatever a test leaves running ends with it, by process id.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Ports, writeBootstrap } from './bootstrap.ts';
import { type EnvoyVersion, envoyBinary } from './parts.ts';

export interface SceneOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Fields of ProxyConfig. */
  readonly config?: Readonly<Record<string, string | number | object>>;
  readonly version?: EnvoyVersion;
  /** The built agent; without it the sources run on Node. */
  readonly agent?: string;
  /** Before Envoy starts. */
  readonly prepare?: (scene: Pick<Scene, 'folder' | 'ports'>) => void;
}

export interface Scene {
  readonly folder: string;
  readonly ports: Ports;
  readonly agent: Agent;
  /** Another agent in the same place. */
  readonly again: () => Agent;
  readonly accessLog: () => readonly string[];
  /** The pid of Envoy that the agent wrote down. */
  readonly envoyPid: () => number;
}

export interface Agent {
  readonly process: ChildProcess;
  /** Log lines, parsed. */
  readonly log: () => readonly LogEntry[];
  readonly output: () => string;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null; readonly atMs: number }>;
}

export interface LogEntry {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

/** No test of the suite takes longer; one that hangs fails instead. */
export const bounded = { timeout: 180_000 };

export const agentSource = fileURLToPath(new URL('../../src/cli/pilot-agent.ts', import.meta.url));

/** Starts a pod; it is not ready yet. */
export async function startScene(t: Pick<TestContext, 'after'>, options: SceneOptions = {}): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'envoy-scene-'));
  const agents: Agent[] = [];
  t.after(async () => {
    for (const { process: child, ended } of agents) {
      child.kill('SIGKILL');
      await ended;
      endLeftEnvoy(folder);
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
    rmSync(folder, { recursive: true, force: true });
  });
  const [admin = 0, inbound = 0, outbound = 0, envoyStatus = 0, prometheus = 0, status = 0, app = 0, elsewhere = 0] =
    await freePorts(8);
  const ports: Ports = { admin, inbound, outbound, envoyStatus, prometheus, status, app, elsewhere };
  const bootstrap = writeBootstrap(folder, ports);
  options.prepare?.({ folder, ports });
  const again = (): Agent => {
    const agent = startAgent({ folder, ports, bootstrap, options });
    agents.push(agent);
    return agent;
  };
  const envoyPid = (): number =>
    (JSON.parse(readFileSync(join(folder, 'config', 'envoy.pid'), 'utf8')) as { pid: number }).pid;
  const accessLog = (): readonly string[] =>
    readFileSync(join(folder, 'access.log'), 'utf8').split('\n').filter(Boolean);
  return { folder, ports, agent: again(), again, accessLog, envoyPid };
}

interface Place {
  readonly folder: string;
  readonly ports: Ports;
  readonly bootstrap: string;
  readonly options: SceneOptions;
}

function startAgent({ folder, ports, bootstrap, options }: Place): Agent {
  const config = {
    binaryPath: envoyBinary(options.version),
    configPath: join(folder, 'config'),
    customConfigFile: bootstrap,
    proxyAdminPort: ports.admin,
    statusPort: ports.status,
    concurrency: 1,
    ...options.config,
  };
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    PROXY_CONFIG: JSON.stringify(config),
    ENVOY_STATUS_PORT: String(ports.envoyStatus),
    ENVOY_PROMETHEUS_PORT: String(ports.prometheus),
    FAIRWAY_TERMINATION_LOG: join(folder, 'termination-log'),
    FILE_MOUNTED_CERTS: 'true', // nobody asks for them: a scene without a CA
    ...options.env,
  };
  const args = ['proxy', 'sidecar', '--log_as_json', '--proxyLogLevel=error', ...(options.args ?? [])];
  const child = spawn(...commandOf(args, options.agent), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<Awaited<Agent['ended']>>((resolve) => {
    child.on('exit', (code, signal) => resolve({ code, signal, atMs: performance.now() }));
  });
  const output = (): string => Buffer.concat(chunks).toString('utf8');
  const log = (): LogEntry[] =>
    output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogEntry);
  return { process: child, log, output, ended };
}

function commandOf(args: readonly string[], built = process.env['FAIRWAY_AGENT']): [string, string[]] {
  return built === undefined ? [process.execPath, [agentSource, ...args]] : [built, [...args]];
}

/** The Envoy, or what stands for it, of an agent that was killed, or that does not end its own. It holds the agent's output open, and this process would wait for that. */
function endLeftEnvoy(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      const isIts = readlinkSync(`/proc/${pid}/cwd`) === folder || args.some((arg) => arg.startsWith(`${folder}/`));
      if (isIts) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Another process, which has ended meanwhile.
    }
}

/** Below the ports that the kernel gives to outgoing connections, which would take one between this look and its use; above Istio's. */
const portRange = { first: 16_000, count: 16_000 } as const;
const given = new Set<number>();

/** Ports of loopback that nobody listens on; none is given twice. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = portRange.first + Math.floor(Math.random() * portRange.count);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer((socket: Socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Waits until something holds, at most so many milliseconds, which a slow machine may need; looks every 10 ms. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 120_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function hasLogged(agent: Agent, message: string): () => boolean {
  return () => agent.log().some(({ msg }) => msg === message);
}

/** Waits until the agent has called its proxy ready. */
export async function becomesReady({ agent }: Scene): Promise<void> {
  await until('the proxy is ready', () => hasLogged(agent, 'proxy is ready')() || agent.process.exitCode !== null);
  if (agent.process.exitCode !== null) throw new Error(`the agent ended:\n${agent.output()}`);
}
