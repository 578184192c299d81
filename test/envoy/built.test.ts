// The agent as one file: it is the same program, it starts fast, and it stays small. Prints what it measured.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildAgent } from '../../scripts/build-agent.ts';
import { version } from '../../src/cli/version.ts';
import { startLoad } from './load.ts';
import { measureAgent } from './measure.ts';
import { becomesReady, bounded, startScene, until } from './scene.ts';
import { nextCertificate, renewedOften, speaksMtls, startSecureScene } from './secure-scene.ts';
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
    env: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '3s' },
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

test('the built agent gets certificates, and renews them under load', bounded, async (t) => {
  const scene = await startSecureScene(t, { agent: built, ...renewedOften });
  await startApp(t, scene.ports.app);
  await becomesReady(scene);
  await speaksMtls(scene);
  const load = startLoad({ port: scene.ports.outbound, perSecond: 100, path: '/ms/5', protocol: 'http1' });
  for (let serial: string | undefined, times = 0; times < 3; times++) serial = await nextCertificate(scene, serial);
  assert.deepEqual((await load.stop()).lost, []);
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

test('the built agent starts with 150 ms of processor time, and stays below 64 MB', bounded, async (t) => {
  const found = await measureAgent(t, { agent: built });
  process.stderr.write(`${JSON.stringify(found)}\n`);
  // The time on the clock is the machine's as well: `npm run bench -- agent` holds it to the same limit.
  assert.ok(found.startCpuMs <= 150, `start: ${found.startCpuMs} ms of processor time`);
  assert.ok(found.rss25kMb <= 64, `RSS ${found.rss25kMb} MB`);
  assert.ok(
    found.rss25kMb <= found.rss5kMb * 1.05,
    `RSS ${found.rss5kMb} MB after 5,000 polls, ${found.rss25kMb} MB after 25,000`,
  );
  assert.ok(found.pssFurtherMb <= 12, `a further copy costs ${found.pssFurtherMb} MB`);
});
