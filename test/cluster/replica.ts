// Server processes, and the way of API servers to them: a Service without a selector, and one EndpointSlice for each replica, because no
// kubelet is there to make them.
import { type ChildProcess, spawn } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { accountEnvironment, apply, cli, kubectl, until } from './kube.ts';

export interface Replica {
  readonly port: number;
  readonly metricsPort: number;
  readonly process: ChildProcess;
  readonly exited: Promise<number | null>;
  /** Everything that was logged. */
  readonly log: () => string;
  readonly ready: () => Promise<boolean>;
  /** The sum of a metric's samples whose line holds all of these texts. */
  readonly metric: (name: string, ...parts: readonly string[]) => Promise<number>;
}

/** An address of this machine that is not the loopback's: EndpointSlices refuse that. */
export const hostAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const running: Pick<Replica, 'process' | 'exited'>[] = [];

/** Starts a server and waits until it is ready. */
export async function startReplica(...args: readonly string[]): Promise<Replica> {
  return startProgram(cli, ['admission', 'serve', ...args]);
}

/** The same for another program, such as the bundle. */
export async function startProgram(program: string, args: readonly string[]): Promise<Replica> {
  const fixed = ['--listen', ':0', '--metrics', '127.0.0.1:0', '--drain-delay', '1500ms', '--log-level', 'debug'];
  const child = spawn(process.execPath, [program, ...args, ...fixed], {
    env: accountEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  running.push({ process: child, exited });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
  await until('the server listens', () => /"msg":"serving"/.test(log) || child.exitCode !== null);
  const served = log.split('\n').find((line) => line.includes('"msg":"serving"'));
  if (served === undefined) throw new Error(`the server ended: ${log}`);
  const { port, metricsPort } = JSON.parse(served) as { port: number; metricsPort: number };
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${metricsPort}${path}`);
  const replica: Replica = {
    port,
    metricsPort,
    process: child,
    exited,
    log: () => log,
    ready: async () => (await get('/readyz')).status === 200,
    metric: async (name, ...parts) => {
      const lines = (await (await get('/metrics')).text())
        .split('\n')
        .filter((line) => line.startsWith(name) && parts.every((part) => line.includes(part)));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    },
  };
  await until('the server is ready', replica.ready);
  return replica;
}

export async function stopReplicas(): Promise<void> {
  for (const { process: child } of running) child.kill('SIGKILL');
  await Promise.all(running.splice(0).map(({ exited }) => exited));
}

/** Leads the Service to exactly these replicas. The API server hears of it a moment later. */
export function leadTo(...chosen: readonly Replica[]): void {
  const name = (port: number): string => `fairway-admission-${port}`;
  const wanted = new Set(chosen.map(({ port }) => name(port)));
  const label = 'kubernetes.io/service-name=fairway-admission';
  const present = kubectl([
    '-n',
    'fairway-system',
    'get',
    'endpointslices',
    '-l',
    label,
    '-o',
    'jsonpath={.items[*].metadata.name}',
  ]).split(' ');
  for (const { port } of chosen)
    apply({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: {
        name: name(port),
        namespace: 'fairway-system',
        labels: { 'kubernetes.io/service-name': 'fairway-admission' },
      },
      addressType: 'IPv4',
      ports: [{ name: 'https-webhook', port, protocol: 'TCP' }],
      endpoints: [{ addresses: [hostAddress], conditions: { ready: true } }],
    });
  const gone = present.filter((each) => each !== '' && !wanted.has(each));
  if (gone.length > 0) kubectl(['-n', 'fairway-system', 'delete', 'endpointslices', ...gone]);
}
