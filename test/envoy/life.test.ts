// Start order, readiness, crashes and what is left behind, with the real Envoy.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { nodeProcesses } from '../../src/adapters/node/processes.ts';
import { writeListeners } from './bootstrap.ts';
import { getOnce, startLoad } from './load.ts';
import { envoyVersions } from './parts.ts';
import { agentSource, becomesReady, bounded, hasLogged, type Scene, startScene, until } from './scene.ts';
import { startApp } from './servers.ts';
import { sideBySide } from './side-by-side.ts';

const test = sideBySide('the life of a proxy');

/** `fairway agent wait`, as a postStart hook runs it. */
function wait({ ports }: Scene, seconds: number): Promise<number | null> {
  const args = [
    'wait',
    '--url',
    `http://127.0.0.1:${ports.envoyStatus}/healthz/ready`,
    '--periodMillis=50',
    `--timeoutSeconds=${seconds}`,
  ];
  const child = spawn(process.execPath, [agentSource, ...args], { stdio: 'ignore' });
  return new Promise((resolve) => child.on('exit', resolve));
}

test(
  'start order: held back by `wait`, the first request of the application succeeds; not held back, it fails',
  bounded,
  async (t) => {
    const scene = await startScene(t, { prepare: ({ folder, ports }) => writeListeners(folder, ports, 'refused') });
    await startApp(t, scene.ports.elsewhere);
    await assert.rejects(getOnce(scene.ports.outbound, '/'), /ECONNREFUSED/);
    const held = wait(scene, 20);
    await until('Envoy is up', () =>
      getOnce(scene.ports.admin, '/server_info').then(
        () => true,
        () => false,
      ),
    );
    await assert.rejects(getOnce(scene.ports.envoyStatus, '/healthz/ready'), /status 503/);
    writeListeners(scene.folder, scene.ports);
    assert.equal(await held, 0);
    await getOnce(scene.ports.outbound, '/');
  },
);

test('a proxy that never gets its configuration: `wait` gives up', bounded, async (t) => {
  const scene = await startScene(t, { prepare: ({ folder, ports }) => writeListeners(folder, ports, 'refused') });
  assert.equal(await wait(scene, 1), 69);
});

test('Envoy crashes: the agent leaves with 128 + signal and says so', bounded, async (t) => {
  const scene = await startScene(t);
  await becomesReady(scene);
  process.kill(scene.envoyPid(), 'SIGSEGV');
  const { code } = await scene.agent.ended;
  assert.equal(code, 139);
  assert.match(
    readFileSync(join(scene.folder, 'termination-log'), 'utf8'),
    /Envoy ended by itself while serving: signal SIGSEGV/,
  );
  assert.equal(existsSync(join(scene.folder, 'config', 'envoy.pid')), false);
});

test('a bootstrap that Envoy refuses: its code', bounded, async (t) => {
  const scene = await startScene(t, { config: { customConfigFile: '/dev/null' } });
  assert.equal((await scene.agent.ended).code, 1);
});

test('the agent is killed: the next one ends the Envoy that was left, and serves', bounded, async (t) => {
  const scene = await startScene(t);
  await startApp(t, scene.ports.app);
  await becomesReady(scene);
  const left = scene.envoyPid();
  scene.agent.process.kill('SIGKILL');
  assert.equal((await scene.agent.ended).signal, 'SIGKILL');
  await getOnce(scene.ports.inbound, '/');
  const next = scene.again();
  await until('the next proxy is ready', hasLogged(next, 'proxy is ready'));
  assert.notEqual(scene.envoyPid(), left);
  assert.equal(nodeProcesses().startTicks(left), undefined);
  await getOnce(scene.ports.inbound, '/');
  next.process.kill('SIGTERM');
  next.process.kill('SIGTERM');
  assert.equal((await next.ended).code, 0);
});

test('metrics hold the parts of agent and Envoy', bounded, async (t) => {
  const scene = await startScene(t);
  await becomesReady(scene);
  const text = await (await fetch(`http://127.0.0.1:${scene.ports.status}/stats/prometheus`)).text();
  assert.match(text, /^istio_agent_startup_duration_seconds \d/m);
  assert.match(text, /^envoy_server_live\{\} 1$/m);
});

for (const version of envoyVersions) {
  test(`Envoy ${version}: ready, 200 requests a second, exit on zero, nothing lost`, bounded, async (t) => {
    const scene = await startScene(t, {
      version,
      env: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '3s' },
    });
    await startApp(t, scene.ports.app);
    await becomesReady(scene);
    const loads = (['http1', 'http2'] as const).map((protocol) =>
      startLoad({ port: scene.ports.inbound, perSecond: 100, path: '/ms/20', protocol }),
    );
    await pause(500);
    scene.agent.process.kill('SIGTERM');
    await pause(1000);
    const results = await Promise.all(loads.map((load) => load.stop()));
    assert.deepEqual(
      results.flatMap(({ lost }) => lost),
      [],
    );
    assert.equal((await scene.agent.ended).code, 0);
  });
}
