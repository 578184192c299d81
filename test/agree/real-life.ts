// One life of an agent with the real Envoy: Istio's pilot-agent, or ours, in the same place, with the same configuration of the small xDS server.
// Between the agent and Envoy's administration stands a recorder, so that what the agent asks is seen, and can be answered late or not at all.
import { readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePorts, type Scene, until } from '../envoy/scene.ts';
import { newMesh, startPlane, startXdsScene } from '../envoy/xds-scene.ts';
import { cluster, endpoints, listener, routes } from '../xds/resources.ts';
import { ask, istioAgent, type Who } from './agent-scene.ts';

export interface RealOptions {
  readonly args?: readonly string[];
  readonly env?: (ports: { readonly app: number }) => Readonly<Record<string, string>>;
  /** Fields of ProxyConfig. */
  readonly config?: Readonly<Record<string, string>>;
  /** How the questions about active connections are answered, one after the other; afterwards by Envoy. */
  readonly counts?: readonly CountAnswer[];
}

/** `late` comes after every agent has given up on it; `nothing` is a bootstrap that does not emit the counter; `zero` is a moment without work. */
type CountAnswer = 'late' | 'nothing' | 'zero' | 'envoy';

export interface RealLife extends Scene {
  readonly app: HeldApp;
  readonly recorder: Recorder;
  /** The status of an answer of the agent; 0: nobody answered. */
  readonly status: (path: string, method?: 'GET' | 'POST') => Promise<number>;
  readonly hasEnded: () => boolean;
  /** Waits for one of the two, whichever comes. */
  readonly endsOr: (what: string, holds: () => boolean) => Promise<'ended' | 'goes on'>;
  /** The exit code, once it has ended. */
  readonly code: () => Promise<number | null>;
  /** Whether Envoy has written that it served this path. */
  readonly logged: (path: string) => boolean;
}

/** As slow as any machine may be. */
export const patienceMs = 180_000;

/** Starts it, and waits until it is ready and serves in both directions. */
export async function realLife(t: TestContext, who: Who, options: RealOptions = {}): Promise<RealLife> {
  const app = await startHeldApp(t);
  const recorder = await startRecorder(t, options.counts ?? []);
  const mesh = await newMesh();
  const plane = await startPlane(t, mesh);
  const scene = await startXdsScene(t, {
    mesh,
    port: plane.port,
    ...(who === 'istio' ? { agent: istioAgent() } : {}),
    ...(options.args === undefined ? {} : { args: options.args }),
    config: { proxyAdminPort: recorder.port, ...options.config },
    env: {
      POD_NAME: 'pod',
      POD_NAMESPACE: 'shop',
      INSTANCE_IP: '127.0.0.1',
      MINIMUM_DRAIN_DURATION: '0s',
      ...(who === 'ours, compat istio' ? { FAIRWAY_COMPAT: 'istio' } : {}),
      ...options.env?.({ app: app.port }),
    },
  });
  recorder.setAdmin(scene.ports.admin);
  const log = join(scene.folder, 'access.log');
  plane.set(...resourcesOf(scene, app.port, log));
  const hasEnded = (): boolean => scene.agent.process.exitCode !== null || scene.agent.process.signalCode !== null;
  const life: RealLife = {
    ...scene,
    app,
    recorder,
    status: async (path, method = 'GET') => (await ask(scene.ports.status, path, { method })).status,
    hasEnded,
    endsOr: async (what, holds) => {
      await until(`the end, or ${what}`, () => hasEnded() || holds(), patienceMs);
      return hasEnded() ? 'ended' : 'goes on';
    },
    code: async () => {
      await until('the end', hasEnded, patienceMs);
      return (await scene.agent.ended).code;
    },
    logged: (path) => readFileSync(log, 'utf8').includes(`GET ${path} `),
  };
  await until('the agent is ready', () => isUp(life), patienceMs);
  return life;
}

async function isUp(life: RealLife): Promise<boolean> {
  if (life.hasEnded()) throw new Error(`the agent ended:\n${life.agent.output()}`);
  if ((await life.status('/healthz/ready')) !== 200) return false;
  return (await through(life.ports.inbound)) === '200 ' && (await through(life.ports.outbound)) === '200 ';
}

/** Inbound and outbound to the application; Envoy's status listener to the agent, on the wildcard of IPv6. */
function resourcesOf({ ports }: Scene, app: number, accessLog: string) {
  return [
    cluster('app'),
    endpoints('app', [app]),
    cluster('agent'),
    endpoints('agent', [ports.status]),
    listener('in', { port: ports.inbound, routes: 'app', direction: 'inbound', accessLog }),
    listener('out', { port: ports.outbound, routes: 'app', direction: 'outbound' }),
    listener('status', { host: '::', port: ports.envoyStatus, routes: 'agent', direction: 'outbound' }),
    routes('app', 'app'),
    routes('agent', 'agent'),
  ];
}

/** One request on a connection that the client would keep: its status, and what it is told about the connection. */
export function through(port: number, path = '/'): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path, agent: false, headers: { connection: 'keep-alive' } } as const;
    const asked = get(options, (response) => {
      response.on('error', () => resolve('lost'));
      response.on('end', () => resolve(`${response.statusCode} ${response.headers.connection ?? ''}`));
      response.resume();
    });
    asked.on('error', () => resolve('lost'));
    asked.setTimeout(patienceMs, () => asked.destroy());
  });
}

interface HeldApp {
  readonly port: number;
  /** Requests of `/hold` that are being answered. */
  readonly held: () => number;
  /** Answers them. */
  readonly release: () => void;
  /** Connections from where the agent dials. */
  readonly dials: () => number;
  readonly close: () => void;
}

async function startHeldApp(t: TestContext): Promise<HeldApp> {
  const held = new Set<ServerResponse>();
  let dials = 0;
  const server = createServer(({ url }, response) => {
    if (url !== '/hold') return void response.end('done');
    response.write('.');
    held.add(response);
    response.on('close', () => held.delete(response));
  });
  server.on('connection', ({ remoteAddress }) => {
    if (remoteAddress === '127.0.0.6') dials++;
  });
  const [port = 0] = await freePorts(1);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  t.after(close);
  return {
    port,
    held: () => held.size,
    release: () => held.forEach((response) => response.end('.')),
    dials: () => dials,
    close,
  };
}

interface Recorder {
  readonly port: number;
  readonly setAdmin: (port: number) => void;
  /** What the agent asked Envoy to do. */
  readonly posts: readonly string[];
  /** Questions about active connections and requests. */
  readonly counts: readonly string[];
}

const lateMs = 3000;

async function startRecorder(t: TestContext, answers: readonly CountAnswer[]): Promise<Recorder> {
  const posts: string[] = [];
  const counts: string[] = [];
  let admin = 0;
  const answer = (asked: IncomingMessage, response: ServerResponse): void => {
    const url = decodeURIComponent(asked.url ?? '');
    if (asked.method === 'POST') posts.push(url);
    const isCount = url.includes('_active');
    if (isCount) counts.push(url);
    const how = isCount ? answers[counts.length - 1] : 'envoy';
    if (how === 'nothing') response.end();
    else if (how === 'zero') response.end('listener.0.0.0.0_15006.downstream_cx_active: 0\n');
    else if (how === 'late') setTimeout(() => response.destroy(), lateMs);
    else forward(admin, asked, response);
  };
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { port, posts, counts, setAdmin: (to) => void (admin = to) };
}

function forward(port: number, { method, url, headers }: IncomingMessage, response: ServerResponse): void {
  const passed = request({ host: '127.0.0.1', port, method, path: url, headers, agent: false }, (answered) => {
    answered.on('error', () => response.destroy());
    response.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(response);
  });
  passed.on('error', () => response.destroy());
  passed.end();
}
