// The programs of the pods without pods: that an application which ends well loses nothing by itself, and that the client counts what is lost. Without the second the
// zeros of this suite and of the measurement would tell nothing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../cluster/kube.ts';
import { freePorts } from '../envoy/scene.ts';
import { type Caller, callerOf, type Kind } from './pods/callers.ts';

interface App {
  readonly port: number;
  readonly term: () => void;
  readonly ended: Promise<unknown>;
}

async function startApp(t: TestContext, env: Readonly<Record<string, string>>): Promise<App> {
  const [port = 0] = await freePorts(1);
  const args = [join(import.meta.dirname, 'pods', 'app.ts')];
  const child = spawn(process.execPath, args, { env: { ...env, PORT: String(port) }, stdio: 'inherit' });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await until('the application listens', () => accepts(port));
  return { port, term: () => child.kill('SIGTERM'), ended };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

function newCaller(t: TestContext, kind: Kind, url: string): Caller {
  const caller = callerOf(kind, url);
  t.after(caller.close);
  return caller;
}

const forEver = { DELAY_MS: '120000' };
const kinds = [
  ['HTTP/1.1', 'http1', '/', { ...forEver }],
  ['a stream', 'http1', '/stream', { ...forEver }],
  ['HTTP/2', 'http2', '/', { ...forEver, PROTOCOL: 'http2' }],
  ['a WebSocket', 'websocket', '/', { GOODBYE_MS: '300' }],
] as const;

for (const [name, kind, path, env] of kinds) {
  const scheme = kind === 'websocket' ? 'ws' : 'http';
  /** Waits until the application has the calls of the caller. */
  const begun = async (t: TestContext, { port }: App, calls: number): Promise<void> => {
    const other = newCaller(t, kind === 'http2' ? 'http2' : 'http1', `http://127.0.0.1:${port}/ready`);
    const running = async (): Promise<number> => (JSON.parse(await other.call()) as { running: number }).running;
    const besides = kind === 'http2' ? 2 * 4 + 1 : 1; // the sessions of both callers, and this question
    await until('the application has them', async () => (await running()) === calls + besides);
  };

  test(`${name}: what runs at SIGTERM is finished, the application ends, and then a call is lost`, async (t) => {
    const app = await startApp(t, { ...env, ON_TERM: 'close', LONG_POLL: 'true' });
    const caller = newCaller(t, kind, `${scheme}://127.0.0.1:${app.port}${path}`);
    const calls = Promise.all([caller.call(), caller.call(), caller.call()]);
    await begun(t, app, 3);
    app.term();
    await calls;
    await app.ended;
    await assert.rejects(caller.call());
  });

  test(`${name}: what an application cuts off is counted`, async (t) => {
    const app = await startApp(t, { ...env, ON_TERM: 'exit' });
    const caller = newCaller(t, kind, `${scheme}://127.0.0.1:${app.port}${path}`);
    const calls = Promise.allSettled([caller.call(), caller.call()]);
    await begun(t, app, 2);
    app.term();
    const ends = (await calls).map(({ status }) => status);
    assert.deepEqual(ends, ['rejected', 'rejected']);
  });
}

test('an application that calls out tells how many of its calls failed, and serves meanwhile', async (t) => {
  const reports: string[] = [];
  let calls = 0;
  const other = createServer(({ url = '' }, response) => {
    if (url.startsWith('/report')) reports.push(decodeURIComponent(url));
    else calls++;
    response.writeHead(calls % 10 === 9 ? 503 : 200).end();
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const base = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const env = { ON_TERM: 'call-out', CALLS: '20', CALL_URL: base, REPORT_URL: `${base}/report` };
  const app = await startApp(t, env);
  const caller = newCaller(t, 'http1', `http://127.0.0.1:${app.port}/`);
  app.term();
  await until('it calls out', () => calls > 0);
  await caller.call();
  await app.ended;
  const report = JSON.parse(reports[0]?.split('of=')[1] ?? '') as { calls: number; failed: string[] };
  assert.deepEqual([calls, report.calls, report.failed.length], [20, 20, 2]);
});
