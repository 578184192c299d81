// The end of a proxy under load, with the real Envoy: 200 requests a second, and what each setting loses and how long it takes.
// `docs/how-to/drain.md` claims nothing that is not shown here.
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { getOnce, startLoad } from './load.ts';
import {
  type Agent,
  becomesReady,
  bounded,
  hasLogged,
  type Scene,
  type SceneOptions,
  startScene,
  until,
} from './scene.ts';
import { type AppServer, startApp } from './servers.ts';
import { sideBySide } from './side-by-side.ts';

const test = sideBySide('the end of a proxy under load');

const perSecond = 200;
/** How long a client goes on after SIGTERM until it has heard that the endpoint is gone. */
const propagationMs = 1000;

interface Pod extends Scene {
  readonly app: AppServer;
  readonly elsewhere: AppServer;
}

async function startPod(t: TestContext, options: SceneOptions = {}): Promise<Pod> {
  const scene = await startScene(t, options);
  const [app, elsewhere] = await Promise.all([startApp(t, scene.ports.app), startApp(t, scene.ports.elsewhere)]);
  await becomesReady(scene);
  return { ...scene, app, elsewhere };
}

function terminate(agent: Agent): number {
  agent.process.kill('SIGTERM');
  return performance.now();
}

function statusOf(port: number, path: string, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', reject);
  });
}

/** Less than the next reason to end it (a drain of 20 s, the deadline of 25 s) would take, and nothing that a busy machine misses. */
const soonMs = 15_000;

function between(what: string, ms: number, [least, most]: readonly [number, number]): void {
  assert.ok(ms >= least && ms <= most, `${what}: ${Math.round(ms)} ms, wanted ${least} to ${most}`);
}

const longDrain = { config: { terminationDrainDuration: '20s' } };
const protocols = ['http1', 'http2'] as const;

for (const protocol of protocols) {
  test(`drain duration, ${protocol}: nothing lost, exit when it is over`, bounded, async (t) => {
    const { agent, ports } = await startPod(t, { config: { terminationDrainDuration: '6s' } });
    const load = startLoad({ port: ports.inbound, perSecond, path: '/ms/50', protocol });
    await pause(1000);
    const termMs = terminate(agent);
    await pause(propagationMs);
    const { sent, lost } = await load.stop();
    const { code, atMs } = await agent.ended;
    assert.deepEqual(lost, []);
    assert.ok(sent > perSecond * 1.5, `${sent} sent`);
    assert.equal(code, 0);
    between('exit after SIGTERM', atMs - termMs, [5950, soonMs]);
  });

  test(`exit on zero, ${protocol}: waits for the longest request, and no longer`, bounded, async (t) => {
    const { agent, ports } = await startPod(t, {
      env: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '1s' },
      config: { terminationDrainDuration: '1s' },
    });
    const load = startLoad({ port: ports.inbound, perSecond, path: '/ms/50', protocol });
    const slow = startLoad({ port: ports.inbound, perSecond: 5, path: '/ms/3000', protocol });
    await pause(1000);
    const termMs = terminate(agent);
    await pause(propagationMs);
    const [quick, long] = await Promise.all([load.stop(), slow.stop()]);
    const { code, atMs } = await agent.ended;
    assert.deepEqual([...quick.lost, ...long.lost], []);
    assert.equal(code, 0);
    between('the longest request after SIGTERM', long.lastMs - termMs, [2900, soonMs]);
    between('exit after the last answer', atMs - long.lastMs, [0, soonMs]);
  });

  test(`pre-drain, ${protocol}: all served until SIGTERM, then the end at once`, bounded, async (t) => {
    const { agent, ports } = await startPod(t, longDrain);
    const load = startLoad({ port: ports.inbound, perSecond, path: '/ms/50', protocol });
    await pause(500);
    assert.equal(await statusOf(ports.status, '/drain', 'POST'), 200);
    await pause(propagationMs * 2);
    assert.equal(await statusOf(ports.envoyStatus, '/healthz/ready'), 200);
    const { lost } = await load.stop();
    const termMs = terminate(agent);
    const { code, atMs } = await agent.ended;
    assert.deepEqual(lost, []);
    assert.equal(code, 0);
    between('exit after SIGTERM', atMs - termMs, [0, soonMs]);
  });
}

test('a drain that is shorter than a request loses it: exit on zero is what waits', bounded, async (t) => {
  const { agent, ports } = await startPod(t, { config: { terminationDrainDuration: '1s' } });
  const slow = getOnce(ports.inbound, '/ms/3000');
  await pause(300);
  terminate(agent);
  await assert.rejects(slow);
  assert.equal((await agent.ended).code, 0);
});

test('connections are told to close during the drain: HTTP/1.1 by a header, inbound only', bounded, async (t) => {
  const { agent, ports } = await startPod(t, longDrain);
  terminate(agent);
  await until('the drain', hasLogged(agent, 'draining'));
  const told = { inbound: 0, outbound: 0 };
  for (let i = 0; i < 10; i++) {
    for (const side of ['inbound', 'outbound'] as const)
      if ((await connectionHeader(ports[side])) === 'close') told[side]++;
    await pause(20);
  }
  assert.ok(told.inbound > 0, 'no inbound response said close');
  assert.equal(told.outbound, 0);
  agent.process.kill('SIGTERM');
  await agent.ended;
});

/** A client that wants to keep its connection; what the response says about it. */
function connectionHeader(port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'keep-alive' };
    get({ host: '127.0.0.1', port, path: '/', agent: false, headers }, (response) => {
      response.resume();
      resolve(response.headers.connection);
    }).on('error', reject);
  });
}

test(
  'Envoy stops to listen when drainDuration is over: keep it longer than clients need to hear',
  bounded,
  async (t) => {
    const { agent, ports } = await startPod(t, { config: { drainDuration: '1s', terminationDrainDuration: '20s' } });
    const termMs = terminate(agent);
    await until('inbound is refused', async () =>
      getOnce(ports.inbound, '/').then(
        () => false,
        () => true,
      ),
    );
    between('refused after SIGTERM', performance.now() - termMs, [900, soonMs]);
    await getOnce(ports.outbound, '/');
    agent.process.kill('SIGTERM');
    assert.equal((await agent.ended).code, 0);
  },
);

test('wait for the application: it can call out until it has ended', bounded, async (t) => {
  const pod = await startPod(t, waiting());
  const { agent, ports, app } = pod;
  const outbound = startLoad({ port: ports.outbound, perSecond: 50, path: '/', protocol: 'http1' });
  await pause(300);
  const termMs = terminate(agent);
  await pause(2500);
  const { lost } = await outbound.stop();
  await app.close();
  const goneMs = performance.now();
  const { code, atMs } = await agent.ended;
  assert.deepEqual(lost, []);
  assert.equal(code, 0);
  between('exit after SIGTERM', atMs - termMs, [3000, soonMs]);
  between('exit after the application', atMs - goneMs, [900, soonMs]);

  function waiting(): SceneOptions {
    const prepared: { env: Record<string, string> } = { env: {} };
    return {
      config: { terminationDrainDuration: '1s' },
      env: prepared.env,
      prepare: (scene) => {
        prepared.env['ISTIO_META_POD_PORTS'] = JSON.stringify([{ containerPort: scene.ports.app, protocol: 'TCP' }]);
      },
    };
  }
});

test('without waiting for the application, as upstream, its calls fail', bounded, async (t) => {
  const { agent, ports } = await startPod(t, {
    args: ['--compat', 'istio'],
    config: { terminationDrainDuration: '1s' },
  });
  const outbound = startLoad({ port: ports.outbound, perSecond: 50, path: '/', protocol: 'http1' });
  await pause(300);
  terminate(agent);
  assert.equal((await agent.ended).code, 0);
  await pause(500);
  const { lost } = await outbound.stop();
  assert.notDeepEqual(lost, []);
});

test('a stream that never ends: the deadline ends it, with success, and tells what was cut', bounded, async (t) => {
  const { agent, ports } = await startPod(t, {
    env: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '0s', FAIRWAY_DRAIN_DEADLINE: '2500ms' },
  });
  const stream = get({ host: '127.0.0.1', port: ports.inbound, path: '/stream', agent: false });
  stream.on('error', () => undefined).on('response', (response) => response.resume().on('error', () => undefined));
  await pause(300);
  const termMs = terminate(agent);
  const { code, atMs } = await agent.ended;
  assert.equal(code, 0);
  between('exit after SIGTERM', atMs - termMs, [2450, soonMs]);
  assert.deepEqual(cutBy(agent), [1]);
});

/** The connections that its deadline cut; none where it came to an end before. */
function cutBy(agent: Agent): readonly unknown[] {
  const cuts = agent.log().filter(({ msg }) => msg === 'stopping the proxy before its work has ended');
  return cuts.map(({ connectionsCut }) => connectionsCut);
}

test('a WebSocket that the application closes during the drain ends whole', bounded, async (t) => {
  const { agent, ports, app } = await startPod(t, {
    env: { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true', MINIMUM_DRAIN_DURATION: '0s' },
  });
  const socket = connect(ports.inbound, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += String(chunk);
  });
  const end = new Promise<string>((resolve) => {
    socket.on('end', () => resolve('end'));
    socket.on('error', (error) => resolve(String(error)));
  });
  await until('the upgrade', () => app.upgraded.length === 1 && received.includes('101'));
  terminate(agent);
  await pause(2000);
  socket.write('still here\n');
  await until('the echo', () => received.endsWith('still here\n'));
  app.upgraded[0]?.end('bye\n');
  const closedMs = performance.now();
  assert.equal(await end, 'end');
  assert.ok(received.endsWith('bye\n'), received);
  socket.end();
  const { code, atMs } = await agent.ended;
  assert.equal(code, 0);
  between('exit after the close', atMs - closedMs, [0, soonMs]);
});

test('an idle kept connection holds exit on zero connections, not exit on zero requests', bounded, async (t) => {
  for (const [unit, cut] of [
    ['connections', [1]],
    ['requests', []],
  ] as const) {
    const { agent, ports } = await startPod(t, {
      args: ['--exit-on-zero', unit],
      env: { MINIMUM_DRAIN_DURATION: '0s', FAIRWAY_DRAIN_DEADLINE: '6s' },
    });
    const idle = connect(ports.inbound, '127.0.0.1');
    idle.on('error', () => undefined);
    idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await new Promise((resolve) => idle.once('data', resolve));
    terminate(agent);
    assert.equal((await agent.ended).code, 0);
    idle.destroy();
    assert.deepEqual(cutBy(agent), cut, `exit on zero ${unit}`);
  }
});

test('a second SIGTERM ends the drain; /quitquitquit ends a proxy at once', bounded, async (t) => {
  const first = await startPod(t, longDrain);
  terminate(first.agent);
  await until('the drain', hasLogged(first.agent, 'draining'));
  const againMs = terminate(first.agent);
  const hastened = await first.agent.ended;
  assert.equal(hastened.code, 0);
  between('exit after the second SIGTERM', hastened.atMs - againMs, [0, soonMs]);
  const second = await startPod(t, longDrain);
  const askedMs = performance.now();
  assert.equal(await statusOf(second.ports.status, '/quitquitquit', 'POST'), 200);
  const quit = await second.agent.ended;
  assert.equal(quit.code, 0);
  between('exit after /quitquitquit', quit.atMs - askedMs, [0, soonMs]);
});

test('the soft stop writes out the access log; killing Envoy, as upstream, loses its end', bounded, async (t) => {
  const lines: number[] = [];
  for (const args of [[], ['--without', 'soft-stop']]) {
    const { agent, ports, accessLog } = await startPod(t, { args, config: { fileFlushInterval: '20s' } });
    for (let i = 0; i < 20; i++) await getOnce(ports.inbound, `/${i}`);
    await statusOf(ports.status, '/quitquitquit', 'POST');
    assert.equal((await agent.ended).code, 0);
    lines.push(accessLog().length);
  }
  assert.equal(lines[0], 20);
  assert.ok((lines[1] ?? 20) < 20, `${lines[1]} lines`);
});
