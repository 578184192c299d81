// One istiod over an API server without nodes, for the suite, whose files share a process (scripts/test.ts): up, down, accounts, tokens, the mesh's root.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const rig = new URL('../rig/main.ts', import.meta.url).pathname;
/** Beside a rig that somebody has up for other work. */
const ownRig = {
  RIG_RUN: join(tmpdir(), 'fairway-istiod-rig'),
  RIG_DATA: '/var/tmp/fairway-istiod-rig',
  RIG_API_PORT: '26643',
  RIG_ETCD_PORT: '23990',
  RIG_NUMBER: '8',
};
const revision = '1-31-0';
const envoy = '1.40.0';

export interface Istiod {
  readonly host: string;
  /** What its own certificate names. */
  readonly serverName: string;
}

export interface Mesh extends Istiod {
  readonly kubectl: (...args: readonly string[]) => string;
  /** The root as pods of a namespace have it mounted. */
  readonly root: (namespace: string) => string;
  /** A new token of an account, for istiod. */
  readonly token: (namespace: string, account: string) => string;
  readonly apply: (...objects: readonly object[]) => void;
  /** Starts the istiod of another revision beside it. */
  readonly also: (other: string) => Istiod;
  /** Ends istiod and starts it again. */
  readonly restart: () => void;
}

let raised: Promise<Mesh> | undefined;
after(() => void runRig('down'));

/** The mesh of this process, with namespace `shop` and account `cart`; it ends with the tests. Whatever an earlier run left is taken away first. */
export function startMesh(): Promise<Mesh> {
  raised ??= raisedMesh();
  return raised;
}

async function raisedMesh(): Promise<Mesh> {
  runRig('down');
  runRig('up');
  const env = { ...process.env, KUBECONFIG: runRig('kubeconfig').trim(), PATH: runRig('path').trim() };
  const kubectlWith = (input: string, args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('kubectl', args, { env, input, encoding: 'utf8' });
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const kubectl: Mesh['kubectl'] = (...args) => kubectlWith('', args);
  const mesh: Mesh = {
    ...startIstiod(revision),
    kubectl,
    apply: (...objects) =>
      void kubectlWith(objects.map((each) => JSON.stringify(each)).join('\n'), ['apply', '-f', '-']),
    also: startIstiod,
    root: (namespace) =>
      kubectl('-n', namespace, 'get', 'configmap', 'istio-ca-root-cert', '-o', 'jsonpath={.data.root-cert\\.pem}'),
    token: (namespace, account) =>
      kubectl('-n', namespace, 'create', 'token', account, '--audience', 'istio-ca').trim(),
    restart: () => void startIstiod(revision),
  };
  // Applied: kubectl repeats what a busy server did not answer in time, and a second creation would fail.
  mesh.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  mesh.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'cart', namespace: 'shop' } });
  await eventually('the root is in the namespace', () => mesh.root('shop') !== '');
  return mesh;
}

function startIstiod(name: string): Istiod {
  runRig('istio', name, envoy);
  return { host: runRig('istiod', name).trim(), serverName: `istiod-${name}.istio-system.svc` };
}

/** Waits for something that another process brings about, at most two minutes. What throws does not hold yet. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + 120_000;
  for (let problem = ''; ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      if (await holds()) return;
    } catch (error) {
      problem = String(error);
    }
    if (performance.now() > endMs) throw new Error(`never: ${what} ${problem}`);
  }
}

function runRig(...args: readonly string[]): string {
  const done = spawnSync(process.execPath, [rig, ...args], { env: { ...process.env, ...ownRig }, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`rig ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}
