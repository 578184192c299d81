// One life of an agent with the stub as its Envoy: Istio's pilot-agent, or ours. The same place and the same settings for both.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Scene, type SceneOptions, startScene, until } from '../envoy/scene.ts';
import type { Stub } from './envoy-stub.ts';
import { buildIstio } from './istio-program.ts';

export type Who = 'istio' | 'ours' | 'ours, compat istio';

export interface How {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another address of this machine. */
  readonly host?: string;
}

/** Status 0: nobody answered. */
export interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Life extends Scene {
  readonly stubLog: () => readonly string[];
  /** On a connection of its own. */
  readonly ask: (path: string, how?: How) => Promise<Told>;
  /** Its exit code. */
  readonly code: () => Promise<number | null>;
}

const stubProgram = fileURLToPath(new URL('envoy-stub.ts', import.meta.url));
const usual: Omit<Stub, 'admin' | 'prometheus'> = { counts: [0], ready: 'at-once', endsWith: 0 };

export interface LifeOptions extends Pick<SceneOptions, 'env' | 'config' | 'args'> {
  readonly stub?: Partial<Stub>;
}

let built: string | undefined;

/** Istio's own agent, built once. */
export function istioAgent(): string {
  built ??= buildIstio('istio-inject', 'istio.io/istio/pilot/cmd/pilot-agent');
  return built;
}

/** Starts it and waits until it calls its proxy ready. */
export async function life(t: TestContext, who: Who, options: LifeOptions = {}): Promise<Life> {
  const scene = await startScene(t, {
    ...(who === 'istio' ? { agent: istioAgent() } : {}),
    ...(options.args === undefined ? {} : { args: options.args }),
    env: {
      POD_NAME: 'pod',
      POD_NAMESPACE: 'shop',
      INSTANCE_IP: '127.0.0.1',
      // A control plane that nobody asks: Istio's agent wants to know how it would.
      XDS_ROOT_CA: 'SYSTEM',
      ...(who === 'ours, compat istio' ? { FAIRWAY_COMPAT: 'istio' } : {}),
      ...options.env,
    },
    // A path of its own kind: the stub is started through a shell.
    config: { discoveryAddress: '127.0.0.1:15010', binaryPath: './envoy', ...options.config },
    prepare: ({ folder, ports }) => {
      writeFileSync(join(folder, 'stub.json'), JSON.stringify({ ...usual, ...ports, ...options.stub }));
      const script = `#!/bin/sh\nexec ${process.execPath} ${stubProgram} "$@"\n`;
      writeFileSync(join(folder, 'envoy'), script, { mode: 0o755 });
    },
  });
  const log = join(scene.folder, 'stub.log');
  const running: Life = {
    ...scene,
    stubLog: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
    ask: (path, how) => ask(scene.ports.status, path, how),
    code: async () => (await scene.agent.ended).code,
  };
  await until('the agent is ready', () => isReady(running), 60_000);
  return running;
}

async function isReady({ ask: askStatus, agent }: Life): Promise<boolean> {
  if (agent.process.exitCode !== null) throw new Error(`the agent ended:\n${agent.output()}`);
  return (await askStatus('/healthz/ready')).status === 200;
}

export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, host = '127.0.0.1' }: How = {},
): Promise<Told> {
  const { promise, resolve } = Promise.withResolvers<Told>();
  const nobody = { status: 0, headers: {}, body: Buffer.alloc(0) };
  const asked = request({ host, port, path, method, headers, agent: false, timeout: 30_000 }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', () => resolve(nobody));
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
    );
  });
  asked.on('error', () => resolve(nobody));
  asked.on('timeout', () => asked.destroy());
  asked.end();
  return promise;
}
