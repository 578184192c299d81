// The agent as one file: it is the same program, it starts fast, and it stays small. Prints what it measured.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get, Agent as HttpAgent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { buildAgent } from '../../scripts/build-agent.ts';
import { version } from '../../src/cli/version.ts';
import { getOnce, startLoad } from './load.ts';
import { becomesReady, bounded, type Scene, startScene, until } from './scene.ts';
import { startApp } from './servers.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-built-'));
let built = '';
before(() => {
  built = buildAgent('linux-x64', folder);
});
after(() => rmSync(folder, { recursive: true }));

test('the file runs where nothing else is, and no file in the working folder changes it', bounded, () => {
  const run = (...args: readonly string[]): string =>
    execFileSync(built, args, { cwd: folder, env: {}, encoding: 'utf8' });
  assert.equal(run('version', '-s'), `${version}\n`);
  assert.match(run('proxy', '--help'), /FAIRWAY_DRAIN_DEADLINE/);
  writeFileSync(join(folder, '.env'), 'PROXY_CONFIG={"statusPort":9}\n');
  const asked = spawnSync(built, ['request', '--debug-port=9', 'GET', 'x'], { cwd: folder, env: {} });
  assert.equal(asked.status, 2, 'a status port that only .env tells is refused');
});

test('the built agent drains under load as the sources do', bounded, async (t) => {
  const scene = await startScene(t, {
    agent: built,
    env: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '1s' },
  });
  await startApp(t, scene.ports.app);
  await becomesReady(scene);
  const loads = (['http1', 'http2'] as const).map((protocol) =>
    startLoad({ port: scene.ports.inbound, perSecond: 100, path: '/ms/50', protocol }),
  );
  await new Promise((resolve) => setTimeout(resolve, 500));
  scene.agent.process.kill('SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const results = await Promise.all(loads.map((load) => load.stop()));
  assert.deepEqual(
    results.flatMap(({ lost }) => lost),
    [],
  );
  assert.equal((await scene.agent.ended).code, 0);
});

test('the built agent: Envoy crashes, the agent is killed', bounded, async (t) => {
  const crashed = await startScene(t, { agent: built });
  await becomesReady(crashed);
  process.kill(crashed.envoyPid(), 'SIGSEGV');
  assert.equal((await crashed.agent.ended).code, 139);
  const killed = await startScene(t, { agent: built });
  await becomesReady(killed);
  const left = killed.envoyPid();
  killed.agent.process.kill('SIGKILL');
  await killed.agent.ended;
  const next = killed.again();
  await until('the next proxy', () => next.log().some(({ msg }) => msg === 'proxy is ready'));
  assert.notEqual(killed.envoyPid(), left);
});

interface Measured {
  readonly startMs: number;
  readonly readyMs: number;
  readonly rssReadyMb: number;
  readonly rss5kMb: number;
  readonly rss25kMb: number;
  readonly pssMb: number;
  readonly pssFurtherMb: number;
}

test('the built agent starts within 150 ms, and stays below 64 MB', bounded, async (t) => {
  const found = await measure(t);
  process.stderr.write(`${JSON.stringify(found)}\n`);
  assert.ok(found.startMs <= 150, `start ${found.startMs} ms`);
  assert.ok(found.rss25kMb <= 64, `RSS ${found.rss25kMb} MB`);
  assert.ok(
    found.rss25kMb <= found.rss5kMb * 1.05,
    `RSS ${found.rss5kMb} MB after 5,000 polls, ${found.rss25kMb} MB after 25,000`,
  );
  assert.ok(found.pssFurtherMb <= 12, `a further copy costs ${found.pssFurtherMb} MB`);
});

async function measure(t: TestContext): Promise<Measured> {
  const starts: number[] = [];
  for (let i = 0; i < 5; i++) starts.push(await startTime());
  const options = { agent: built };
  const beganMs = performance.now();
  const scene = await startScene(t, options);
  await becomesReady(scene);
  const readyMs = performance.now() - beganMs;
  const pid = scene.agent.process.pid ?? 0;
  const rssReadyMb = memory(pid, 'Rss');
  await poll(scene, 5000);
  const rss5kMb = memory(pid, 'Rss');
  await poll(scene, 20_000);
  const rss25kMb = memory(pid, 'Rss');
  const pssMb = memory(pid, 'Pss');
  const second = await startScene(t, options);
  await becomesReady(second);
  const pssFurtherMb = memory(pid, 'Pss') + memory(second.agent.process.pid ?? 0, 'Pss') - pssMb;
  return rounded({ startMs: Math.min(...starts), readyMs, rssReadyMb, rss5kMb, rss25kMb, pssMb, pssFurtherMb });
}

/** From the start of the process to its end, with an Envoy that ends at once: more than the start of its status server. */
async function startTime(): Promise<number> {
  const config = {
    customConfigFile: '/dev/null',
    binaryPath: '/bin/true',
    configPath: folder,
    statusPort: 0,
    proxyAdminPort: 1,
  };
  const beganMs = performance.now();
  const child = spawn(built, ['proxy'], { env: { PROXY_CONFIG: JSON.stringify(config) }, stdio: 'ignore' });
  await new Promise((resolve) => child.on('exit', resolve));
  return performance.now() - beganMs;
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
