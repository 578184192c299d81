// How much an agent takes beside an Envoy: time to start, memory when ready, after many polls of readiness, and for a further copy.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get, Agent as HttpAgent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { getOnce } from './load.ts';
import { type Scene, type SceneOptions, startScene, until } from './scene.ts';

export interface Measured {
  readonly startMs: number;
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
  const starts: number[] = [];
  for (let i = 0; i < 5; i++) starts.push(await startTime(options));
  const beganMs = performance.now();
  const scene = await startScene(t, options);
  await answersReady(scene);
  const readyMs = performance.now() - beganMs;
  const pid = scene.agent.process.pid ?? 0;
  const rssReadyMb = memory(pid, 'Rss');
  await poll(scene, 5000);
  const rss5kMb = memory(pid, 'Rss');
  await poll(scene, 20_000);
  const rss25kMb = memory(pid, 'Rss');
  const pssMb = memory(pid, 'Pss');
  const second = await startScene(t, options);
  await answersReady(second);
  const pssFurtherMb = memory(pid, 'Pss') + memory(second.agent.process.pid ?? 0, 'Pss') - pssMb;
  return rounded({ startMs: Math.min(...starts), readyMs, rssReadyMb, rss5kMb, rss25kMb, pssMb, pssFurtherMb });
}

/** From the start of the process to its end, with an Envoy that ends at once: more than the start of its status server. */
async function startTime({ agent, env, config: more }: Measuring): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-start-'));
  const config = {
    customConfigFile: '/dev/null',
    binaryPath: '/bin/true',
    configPath: folder,
    statusPort: 0,
    proxyAdminPort: 1,
    ...more,
  };
  const beganMs = performance.now();
  const settings = { ...env, PROXY_CONFIG: JSON.stringify(config), FILE_MOUNTED_CERTS: 'true' };
  const child = spawn(agent, ['proxy'], { cwd: folder, env: settings, stdio: 'ignore' });
  await new Promise((resolve) => child.on('exit', resolve));
  const tookMs = performance.now() - beganMs;
  rmSync(folder, { recursive: true });
  return tookMs;
}

/** Whatever an agent logs, this is what a kubelet asks. */
async function answersReady({ ports }: Scene): Promise<void> {
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

function memory(pid: number, kind: 'Rss' | 'Pss'): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(new RegExp(`^${kind}: +(\\d+) kB`, 'm').exec(text)?.[1]) / 1024;
}

function rounded<T extends object>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Math.round(Number(value) * 10) / 10]),
  ) as T;
}
