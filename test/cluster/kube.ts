// The rig's control plane for a suite: up, down, kubectl, and requests by the project's own adapter.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Connection, connect } from '../../src/adapters/kube/connect.ts';

const rig = new URL('../rig/main.ts', import.meta.url).pathname;
export const cli = new URL('../../src/cli/main.ts', import.meta.url).pathname;
/** Beside a rig that somebody has up for other work; what the environment says about the rig comes first. */
const beside = {
  RIG_RUN: join(tmpdir(), 'fairway-cluster-rig'),
  RIG_API_PORT: '26543',
  RIG_ETCD_PORT: '23890',
  RIG_NUMBER: '9',
};
let settings: Readonly<Record<string, string>> = beside;
let kubeconfig = '';
let path = '';

/** Starts the control plane; whatever an earlier run left is taken away first. */
export async function clusterUp(): Promise<Connection> {
  return await rise('up');
}

/** The same with a node, of which a machine has one: root, and the rig's usual place. */
export async function nodeUp(): Promise<Connection> {
  settings = {};
  return await rise('up', '--node');
}

async function rise(...args: readonly string[]): Promise<Connection> {
  runRig(...args);
  kubeconfig = runRig('kubeconfig').trim();
  path = runRig('path').trim();
  return connect({ kubeconfig, nowMs: Date.now, log: () => {} });
}

export function clusterDown(connection: Connection | undefined): void {
  connection?.close();
  runRig('down');
}

/** What a program needs to reach the cluster. */
export function environment(): NodeJS.ProcessEnv {
  return { ...process.env, KUBECONFIG: kubeconfig, PATH: path };
}

/** The same for the server itself: its own account, so that every suite also shows that the rights which are installed are enough. */
export function accountEnvironment(): NodeJS.ProcessEnv {
  return { ...environment(), KUBECONFIG: kubeconfigOf('fairway-system', 'fairway-admission') };
}

/** A kubeconfig for an account of the cluster, for two hours. */
export function kubeconfigOf(namespace: string, account: string): string {
  const token = kubectl(['-n', namespace, 'create', 'token', account, '--duration', '2h']).trim();
  const config = JSON.parse(readFileSync(kubeconfig, 'utf8')) as {
    readonly users: readonly { readonly name: string }[];
  };
  const file = `${kubeconfig}.${account}`;
  const users = config.users.map(({ name }) => ({ name, user: { token } }));
  writeFileSync(file, JSON.stringify({ ...config, users }), { mode: 0o600 });
  return file;
}

/** Runs kubectl; throws with its stderr where it fails. */
export function kubectl(args: readonly string[], input = ''): string {
  const done = spawnSync('kubectl', args, { input, env: environment(), encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

/** Runs a command of Fairway against the cluster, while this process goes on to answer for the injectors. */
export async function fairway(
  ...args: readonly string[]
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, [cli, ...args], { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { status, stdout, stderr };
}

export interface Finding {
  readonly code: string;
  readonly path?: string;
  readonly message: string;
}

/** What doctor finds of these kinds in a namespace. */
export async function doctorFinds(
  { folder, namespace }: { readonly folder: string; readonly namespace: string },
  codes: readonly string[],
): Promise<readonly Finding[]> {
  const { stdout, stderr } = await fairway('doctor', '--config', folder, '-n', namespace, '--output', 'json');
  if (stdout === '') throw new Error(`doctor found nothing out: ${stderr}`);
  return (JSON.parse(stdout) as readonly Finding[]).filter(({ code }) => codes.includes(code));
}

/** Applies objects as they are. */
export function apply(...objects: readonly object[]): void {
  kubectl(
    ['apply', '--server-side', '--force-conflicts', '--validate=strict', '-f', '-'],
    objects.map((each) => JSON.stringify(each)).join('\n'),
  );
}

export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** Creates a pod and gives what the API server made of it. */
export async function createPod(
  connection: Connection,
  namespace: string,
  metadata: object,
  dryRun = false,
): Promise<Pod> {
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [{ name: 'app', image: 'example.test/app:1' }] },
  };
  const answer = await connection.send({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/pods${dryRun ? '?dryRun=All' : ''}`,
    body,
  });
  if (answer.status !== 201) throw new Error(`HTTP ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as Pod;
}

export function revisionOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.['istio.io/rev'];
}

/** Makes a namespace, and waits until pods can be created in it. */
export async function newNamespace(name: string, labels: Readonly<Record<string, string>> = {}): Promise<string> {
  apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  await until(`the account of ${name}`, () =>
    kubectl(['-n', name, 'get', 'serviceaccount', '-o', 'name']).includes('default'),
  );
  return name;
}

/** Waits for something that another process brings about; fails after three minutes. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, everyMs = 50): Promise<void> {
  const endMs = Date.now() + 180_000;
  while (Date.now() < endMs) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`never: ${what}`);
}

/** A command of the rig that is up; its standard output. */
export function runRig(...args: readonly string[]): string {
  const done = spawnSync(process.execPath, [rig, ...args], { env: { ...settings, ...process.env }, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`rig ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}
