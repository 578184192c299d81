// How much an agent takes beside an Envoy: time to start, memory when ready, after many polls of readiness, and for a further copy.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get, Agent as HttpAgent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getOnce } from './load.ts';
import { freePorts, type Scene, type SceneOptions, startScene, until } from './scene.ts';

const settlesWithinMs = 60_000;

export interface Measured {
  /** From the start of the process to the start of Envoy. */
  readonly startMs: number;
  /** Processor time of a start, and of the end of an Envoy that ends at once. */
  readonly startCpuMs: number;
  readonly readyMs: number;
  readonly rssReadyMb: number;
  readonly rss5kMb: number;
  readonly rss25kMb: number;
  readonly pssMb: number;
  readonly pssFurtherMb: number;
}

/** An agent beside a real Envoy: the program, and what it needs to start without a control plane. */
export type Measuring = Pick<SceneOptions, 'env' | 'config'> & { readonly agent: string };

export async function measureAgent(t: Pick<TestContext, 'after'>, options: Measuring): Promise<Measured> {
  const starts: Start[] = [];
  for (let i = 0; i < 5; i++) starts.push(await startOnce(options));
  const startMs = Math.min(...starts.map(({ ms }) => ms));
  const startCpuMs = Math.min(...starts.map(({ cpuMs }) => cpuMs));
  const beganMs = performance.now();
  const scene = await startScene(t, options);
  await answersReady(scene);
  const readyMs = performance.now() - beganMs;
  const pid = scene.agent.process.pid ?? 0;
  const rssReadyMb = memory(pid, 'Rss');
  await poll(scene, 5000);
  const rss5kMb = memory(pid, 'Rss');
  await poll(scene, 20_000);
  const rss25kMb = await settledRss(pid, rss5kMb);
  const pssMb = memory(pid, 'Pss');
  const second = await startScene(t, options);
  await answersReady(second);
  const pssFurtherMb = memory(pid, 'Pss') + memory(second.agent.process.pid ?? 0, 'Pss') - pssMb;
  return rounded({ startMs, startCpuMs, readyMs, rssReadyMb, rss5kMb, rss25kMb, pssMb, pssFurtherMb });
}

interface Start {
  readonly ms: number;
  readonly cpuMs: number;
}

/** A start with an Envoy that tells when it began, and ends at once. The shell counts what the agent took of the processor. */
async function startOnce({ agent, env, config: more }: Measuring): Promise<Start> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-start-'));
  const binaryPath = join(folder, 'envoy');
  writeFileSync(binaryPath, `#!/bin/sh\n: >${folder}/began\n`, { mode: 0o755 });
  const [statusPort = 0, adminPort = 0] = await freePorts(2);
  const config = {
    customConfigFile: '/dev/null',
    binaryPath,
    configPath: folder,
    statusPort,
    proxyAdminPort: adminPort,
    ...more,
  };
  const settings = { ...env, PROXY_CONFIG: JSON.stringify(config), FILE_MOUNTED_CERTS: 'true' };
  const counted = '"$0" proxy sidecar >/dev/null 2>&1 & wait $!; times';
  const beganMs = Date.now();
  const child = spawn('/bin/sh', ['-c', counted, agent], {
    cwd: folder,
    env: settings,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const said = await textOf(child.stdout);
  const { mtimeMs } = statSync(join(folder, 'began'));
  rmSync(folder, { recursive: true });
  return { ms: mtimeMs - beganMs, cpuMs: cpuOfChildren(said) };
}

/** The second line of the shell's `times`: `0m0.050s 0m0.010s`. */
function cpuOfChildren(said: string): number {
  const [, children = ''] = said.trim().split('\n');
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (ms, [, m, s]) => ms + Number(m) * 60_000 + Number(s) * 1000,
    0,
  );
}

/** Whatever an agent logs, this is what a kubelet asks. */
export async function answersReady({ ports }: Scene): Promise<void> {
  const ready = (): Promise<boolean> =>
    getOnce(ports.status, '/healthz/ready').then(
      () => true,
      () => false,
    );
  await until('the proxy is ready', ready, 60_000);
}

async function poll({ ports }: Scene, times: number): Promise<void> {
  const agent = new HttpAgent({ keepAlive: true, maxSockets: 4 });
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port: ports.status, path: '/healthz/ready', agent }, (response) => {
        response.resume();
        response.on('end', resolve);
      }).on('error', reject);
    });
  for (let done = 0; done < times; done += 4) await Promise.all([one(), one(), one(), one()]);
  agent.destroy();
  await getOnce(ports.status, '/stats/prometheus');
}

/** Right after polls there is garbage that the runtime gives back within seconds; what it keeps is what counts. */
async function settledRss(pid: number, beforeMb: number): Promise<number> {
  const endMs = performance.now() + settlesWithinMs;
  while (memory(pid, 'Rss') > beforeMb * 1.02 && performance.now() < endMs) await pause(500);
  return memory(pid, 'Rss');
}

function memory(pid: number, kind: 'Rss' | 'Pss'): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${kind}: +(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
}

function rounded<T extends object>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round(Number(value) * 10) / 10]),
  ) as T;
}
