// Live oracle: Istio's pilot-agent and ours in the same place with the real Envoy, for the end of a proxy. With `--compat istio` nothing differs.
// Without it exactly the improvements of core/proxy/policy.ts do: each difference belongs to one of them, each of them shows, nothing else differs.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Improvement, improvements } from '../../src/core/proxy/index.ts';
import { until } from '../envoy/scene.ts';
import type { Who } from './agent-scene.ts';
import { renewedInVain } from './real-certificate.ts';
import { patienceMs, type RealLife, type RealOptions, realLife, through } from './real-life.ts';

type Facts = Readonly<Record<string, unknown>>;

interface Trial extends Outcome {
  readonly options: RealOptions;
  /** What is seen of a life, by name. */
  readonly see: (life: RealLife) => Promise<Facts>;
}

interface Outcome {
  readonly what: string;
  /** Which improvement changes which fact. */
  readonly improves: Readonly<Record<string, Improvement>>;
}

const onZero = { EXIT_ON_ZERO_ACTIVE_CONNECTIONS: 'true' };
/** Longer than any machine needs for a trial that is not about it. */
const farDeadline = { FAIRWAY_DRAIN_DEADLINE: '600s' };
/** More than an agent makes in so many seconds: ours looks up to four times in one, from the first second on. */
const looksBeyond = (seconds: number): number => 4 * seconds;
/** For what must not happen: as long as whatever would bring it about takes on a slow machine. */
const longEnoughMs = 10_000;

const trials: readonly Trial[] = [
  {
    what: 'exit on zero, while a stream holds it; then a second SIGTERM',
    options: { env: ({ app }) => ({ ...onZero, ...farDeadline, ISTIO_KUBE_APP_PROBERS: probers(app) }) },
    see: async (life) => {
      const stream = await holdStream(life);
      terminate(life);
      await until('a look at the counters', () => life.recorder.counts.length > 0, patienceMs);
      const drained = await seenFromOutside(life);
      terminate(life);
      const looks = life.recorder.counts.length;
      const second = await life.endsOr('further looks', () => life.recorder.counts.length > looks + 4);
      life.app.release();
      return { ...drained, second, stream: await stream.answer, ...(await theEnd(life)) };
    },
    improves: {
      '/healthz/ready': 'status-until-exit',
      '/metrics': 'status-until-exit',
      '/stats/prometheus': 'status-until-exit',
      '/app-health/a/livez': 'status-until-exit',
      '/app-lifecycle/a/prestopz': 'status-until-exit',
      second: 'hasten',
      stream: 'hasten',
    },
  },
  {
    what: 'exit on zero, the last stream ends',
    options: { env: () => ({ ...onZero, ...farDeadline }) },
    see: heldByStream('looks at the counters', 2),
    improves: {},
  },
  {
    what: 'exit on zero, one look between two short connections',
    options: { env: () => ({ ...onZero, ...farDeadline }), counts: ['envoy', 'zero'] },
    see: heldByStream('looks after the zero', 3),
    improves: { held: 'prompt-exit', stream: 'prompt-exit' },
  },
  {
    what: 'exit on zero, a stream that does not end',
    options: { env: () => ({ ...onZero, FAIRWAY_DRAIN_DEADLINE: '3s' }) },
    see: heldByStream('looks beyond the deadline', looksBeyond(3)),
    improves: { held: 'drain-deadline', stream: 'drain-deadline' },
  },
  {
    what: "exit on zero, somebody holds the agent's own listener on IPv6",
    options: { env: () => ({ ...onZero, ...farDeadline }) },
    see: heldByConnection('envoyStatus', '::1', '/healthz/ready'),
    improves: { held: 'listeners-by-address' },
  },
  {
    what: 'exit on zero requests, somebody holds an idle connection',
    options: { env: () => ({ ...onZero, ...farDeadline }), args: ['--exit-on-zero', 'requests'] },
    see: heldByConnection('inbound', '127.0.0.1', '/'),
    improves: { held: 'exit-on-zero', asks: 'exit-on-zero' },
  },
  {
    what: 'exit on zero, one look is answered late',
    options: { env: () => ({ ...onZero, ...farDeadline }), counts: ['envoy', 'late'] },
    see: heldByStream('looks after the late one', 3),
    improves: {},
  },
  {
    what: 'exit on zero, no such counter',
    options: {
      env: () => ({ ...onZero, ...farDeadline }),
      counts: Array.from({ length: 99 }, () => 'nothing' as const),
      config: { terminationDrainDuration: '60s' },
    },
    see: async (life) => {
      const stream = await holdStream(life);
      terminate(life);
      await until('a look at the counters', () => life.recorder.counts.length > 0, patienceMs);
      await Promise.race([life.code(), pause(longEnoughMs)]);
      const held = life.hasEnded() ? 'ended' : 'goes on';
      life.app.release();
      const told = await stream.answer;
      terminate(life);
      return { held, stream: told, ...(await theEnd(life)) };
    },
    improves: { held: 'missing-counter', stream: 'missing-counter' },
  },
  {
    what: '/drain, then SIGTERM while a stream runs',
    options: { env: () => ({ ...onZero, ...farDeadline }) },
    see: async (life) => {
      const stream = await holdStream(life);
      const asked = await life.status('/drain', 'POST');
      await until('the drain', () => life.recorder.posts.length > 0, patienceMs);
      const ready = await life.status('/healthz/ready');
      const served = await through(life.ports.outbound);
      terminate(life);
      const held = await life.endsOr('looks at the counters', () => life.recorder.counts.length > 1);
      life.app.release();
      return { asked, ready, served, held, stream: await stream.answer, ...(await theEnd(life)) };
    },
    improves: { held: 'finish-after-drain', stream: 'finish-after-drain', asks: 'finish-after-drain' },
  },
  {
    what: 'the application outlives the drain',
    options: {
      env: ({ app }) => ({ ...farDeadline, ISTIO_META_POD_PORTS: JSON.stringify([{ containerPort: app }]) }),
      config: { terminationDrainDuration: '1s' },
    },
    see: async (life) => {
      terminate(life);
      const atWork = await life.endsOr('dials beyond the drain', () => life.app.dials() > 3);
      const callsOut = await through(life.ports.outbound);
      life.app.close();
      return { atWork, callsOut, ...(await theEnd(life)) };
    },
    improves: { atWork: 'wait-for-app', callsOut: 'wait-for-app' },
  },
  {
    what: '/quitquitquit, and what Envoy had not written yet',
    options: { config: { fileFlushInterval: '600s' } },
    see: async (life) => {
      for (let i = 0; i < 5; i++) await through(life.ports.inbound, `/${i}`);
      await life.status('/quitquitquit', 'POST'); // Istio's may be gone before it has answered
      return { ...(await theEnd(life)), written: life.logged('/4') };
    },
    improves: { written: 'soft-stop' },
  },
  {
    what: 'Envoy dies',
    options: {},
    see: async (life) => {
      process.kill(envoyOf(life), 'SIGSEGV');
      return { ...(await theEnd(life)), told: existsSync(join(life.folder, 'termination-log')) };
    },
    improves: { code: 'exit-code', told: 'exit-code' },
  },
  {
    what: 'SIGTERM, the drain is over',
    options: { config: { terminationDrainDuration: '2s' } },
    see: async (life) => {
      const stream = await holdStream(life);
      terminate(life);
      return { ...(await theEnd(life)), stream: await stream.answer };
    },
    improves: {},
  },
];

const certificate: Outcome = {
  what: 'the CA fails to renew a certificate, and somebody asks for it',
  improves: { answer: 'held-certificate' },
};

describe('the end of a proxy', { concurrency: 5 }, () => {
  compare(certificate, renewedInVain);
  for (const trial of trials) compare(trial, async (t, who) => trial.see(await realLife(t, who, trial.options)));
});

test('every improvement is shown', () => {
  const shown = new Set([certificate, ...trials].flatMap(({ improves }) => Object.values(improves)));
  assert.deepEqual([...shown].toSorted(), improvements.toSorted());
});

/**
 * Nothing differs with `--compat istio`; without it the improvements of this trial, each in its place. Real processes race now and then: lives
 * that differ are told and lived once more, and what is a difference shows again.
 */
function compare(outcome: Outcome, of: (t: TestContext, who: Who) => Promise<Facts>): void {
  test(`as Istio's agent, and better: ${outcome.what}`, { timeout: 500_000 }, async (t) => {
    const judge = async (): Promise<void> => judged(outcome, await livesOf((who) => of(t, who)));
    await judge().catch((error: unknown) => {
      t.diagnostic(`lived once more: ${outcome.what}: ${String(error)}`);
      return judge();
    });
  });
}

interface Lives {
  readonly istio: Facts;
  readonly compat: Facts;
  readonly ours: Facts;
}

async function livesOf(of: (who: Who) => Promise<Facts>): Promise<Lives> {
  const [istio = {}, compat = {}, ours = {}] = await allOf([of('istio'), of('ours, compat istio'), of('ours')]);
  return { istio, compat, ours };
}

function judged({ improves }: Outcome, { istio, compat, ours }: Lives): void {
  assert.deepEqual(compat, istio);
  assert.deepEqual(differing(istio, ours), Object.keys(improves).toSorted(), JSON.stringify({ istio, ours }));
}

/** Each life comes to its end, also where another one fails: all that was started is then known, and ended with the test. */
async function allOf(lives: readonly Promise<Facts>[]): Promise<readonly Facts[]> {
  await Promise.allSettled(lives);
  return Promise.all(lives);
}

function differing(one: Facts, other: Facts): readonly string[] {
  const names = Object.keys({ ...one, ...other });
  return names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name])).toSorted();
}

function terminate({ agent }: RealLife): void {
  agent.process.kill('SIGTERM');
}

/** After SIGTERM a stream is under way, until the agent ended or has looked so often; then it is let go. */
function heldByStream(happens: string, looks: number): Trial['see'] {
  return async (life) => {
    const stream = await holdStream(life);
    terminate(life);
    const held = await life.endsOr(happens, () => life.recorder.counts.length > looks);
    life.app.release();
    return { held, stream: await stream.answer, ...(await theEnd(life)) };
  };
}

/** The same with an idle connection. */
function heldByConnection(port: 'envoyStatus' | 'inbound', host: string, path: string): Trial['see'] {
  return async (life) => {
    const idle = await holdConnection(life.ports[port], host, path);
    terminate(life);
    const held = await life.endsOr('looks at the counters', () => life.recorder.counts.length > looksBeyond(2));
    idle.destroy();
    return { held, ...(await theEnd(life)) };
  };
}

/** A request that the application answers when it is told to; resolves once it runs. */
async function holdStream({ ports, app }: RealLife): Promise<{ readonly answer: Promise<string> }> {
  const answer = through(ports.inbound, '/hold');
  await until('the stream', () => app.held() > 0, patienceMs);
  return { answer };
}

/** A connection that is kept after one request. */
function holdConnection(port: number, host: string, path: string): Promise<Socket> {
  const socket = connect(port, host);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('data', () => resolve(socket));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  });
}

/** The agent's child: Istio's agent writes no pid. */
function envoyOf({ agent }: RealLife): number {
  const isChild = (pid: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(agent.process.pid);
    } catch {
      return false; // it has ended meanwhile
    }
  };
  const [pid = assert.fail('no Envoy')] = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(name));
  return Number(pid);
}

function probers(port: number): string {
  const handler = { httpGet: { port, path: '/' }, timeoutSeconds: 5 };
  return JSON.stringify({ '/app-health/a/livez': handler, '/app-lifecycle/a/prestopz': handler });
}

/** What callers see during the drain. */
async function seenFromOutside(life: RealLife): Promise<Facts> {
  const asked = ['/healthz/ready', '/metrics', '/stats/prometheus', '/app-health/a/livez', '/app-lifecycle/a/prestopz'];
  const told = await Promise.all(asked.map(async (path) => [path, await life.status(path)] as const));
  const inbound = await through(life.ports.inbound);
  return { ...Object.fromEntries(told), inbound, outbound: await through(life.ports.outbound) };
}

/** Exit code and what was asked of Envoy: how often its counters were looked at is chance. */
async function theEnd(life: RealLife): Promise<Facts> {
  const code = await life.code();
  const { posts, counts } = life.recorder;
  return { code, posts, asks: [...new Set(counts)] };
}
