// Starts programs to measure: the fake API server, and `fairway admission serve` before it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { issue, newAuthority } from '../../src/apps/admission/authority.ts';
import type { FakeCluster } from './fake-api.ts';
import type { Target } from './load.ts';

export interface Fairway {
  readonly pid: number;
  readonly target: (path: string) => Target;
  /** A count or a gauge of its metrics, all labels together; undefined where it has none of the name. */
  readonly metric: (name: string) => Promise<number | undefined>;
  /** Whether an API server would be sent to it. */
  readonly isReady: () => Promise<boolean>;
  readonly stop: () => Promise<void>;
}

export interface Setting {
  /** A cluster that is made up. */
  readonly cluster?: FakeCluster;
  /** Of one that is there. */
  readonly kubeconfig?: string;
  readonly flags?: readonly string[];
  /** Options of Node itself: a profile, a limit. */
  readonly nodeFlags?: readonly string[];
}

const cli = new URL('../../src/cli/main.ts', import.meta.url).pathname;
const fakeApi = new URL('fake-api.ts', import.meta.url).pathname;
/** Also for the copy of a large cluster. */
const startMs = 300_000;

/** Starts the server with its own fake cluster; it listens when this resolves. */
export async function startFairway(setting: Setting): Promise<Fairway> {
  const { cluster, flags = [], nodeFlags = [] } = setting;
  const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
  const life = { nowMs: Date.now(), lifeMs: 3_600_000 };
  const authority = await newAuthority(life);
  const { cert, key } = await issue(authority, ['localhost'], life);
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  write('rollouts.yml', 'production: {b-2: 100}\n');
  write('fairway.yml', 'remutateAfter: 0\n');
  const tls = ['--tls-cert', write('tls.crt', cert), '--tls-key', write('tls.key', key)];
  const api = cluster === undefined ? undefined : await startApi(write('cluster.json', JSON.stringify(cluster)));
  const where = api === undefined ? setting.kubeconfig : write('kubeconfig', kubeconfig(api.line));
  if (where === undefined) throw new Error('no cluster');
  const at = ['--listen', '127.0.0.1:0', '--metrics', '127.0.0.1:0', '--drain-delay', '0s'];
  const server = await start(
    [...nodeFlags, cli, 'admission', 'serve', '--config', folder, '--kubeconfig', where, ...at, ...tls, ...flags],
    (line) => line.includes('"msg":"serving"'),
  ).catch(async (error: unknown) => {
    await api?.end();
    throw error;
  });
  const { port, metricsPort } = JSON.parse(server.line) as { port: number; metricsPort: number };
  const ask = (what: string): Promise<Response> => fetch(`http://127.0.0.1:${metricsPort}/${what}`);
  return {
    pid: server.child.pid ?? 0,
    target: (path) => ({ host: '127.0.0.1', port, path, ca: authority.cert, serverName: 'localhost' }),
    metric: async (name) => sumOf(await (await ask('metrics')).text(), name),
    isReady: async () => (await ask('readyz')).ok,
    stop: async () => {
      await server.end();
      await api?.end();
      rmSync(folder, { recursive: true });
    },
  };
}

function startApi(setting: string): Promise<Started> {
  return start([fakeApi, setting], (line) => /^\d+$/.test(line));
}

interface Started {
  readonly child: ChildProcess;
  /** The line that told that it had started. */
  readonly line: string;
  readonly end: () => Promise<void>;
}

/** Runs Node; resolves with the first wanted line of either output, and rejects where it ends or takes too long. */
async function start(args: readonly string[], wanted: (line: string) => boolean): Promise<Started> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (): Promise<void> => {
    child.stdin.end();
    child.kill('SIGTERM');
    await exited;
  };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let log = '';
  const listen = (chunk: Buffer): void => {
    log = (log + chunk.toString('utf8')).slice(-10_000);
    const line = log.split('\n').slice(0, -1).find(wanted);
    if (line !== undefined) resolve(line);
  };
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  child.once('exit', () => reject(new Error(`${args.join(' ')} ended: ${log}`)));
  const late = globalThis.setTimeout(() => reject(new Error(`${args.join(' ')} did not start: ${log}`)), startMs);
  try {
    return { child, line: await promise, end };
  } catch (error) {
    await end();
    throw error;
  } finally {
    clearTimeout(late);
  }
}

function kubeconfig(port: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fake', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'fake', user: {} }],
    contexts: [{ name: 'fake', context: { cluster: 'fake', user: 'fake' } }],
    'current-context': 'fake',
  });
}

function sumOf(text: string, name: string): number | undefined {
  const values = [...text.matchAll(new RegExp(`^${name}(?:\\{[^\\n]*\\})? (\\S+)$`, 'gm'))].map((found) =>
    Number(found[1]),
  );
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

/** Asks ten times a second until it is so; bounded. */
export async function waitUntil(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const untilMs = Date.now() + startMs; !(await isSo()); await setTimeout(100))
    if (Date.now() > untilMs) throw new Error(`${what} did not come`);
}
