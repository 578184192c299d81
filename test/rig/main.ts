// A real Kubernetes on one machine, without a container engine or an image registry: README.md tells how to use it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { envoyBinary } from '../envoy/parts.ts';
import { busybox, debian, type GoModule, goTools, pathWith } from './build.ts';
import { startControlPlane } from './control-plane.ts';
import { ctr, importImage } from './image.ts';
import { istiodAddress, startIstio } from './istio.ts';
import { layout, network } from './layout.ts';
import { createBridge, ownsNetwork, removeNode, startContainerd, startDns, startKubelet, startNode } from './node.ts';
import { envoyVersion, importProxyImage } from './proxy-image.ts';
import { say } from './shell.ts';
import { runningPid, started, stop } from './supervise.ts';

const usage = `usage: npm run rig -- COMMAND
  build [--node] [--istio]         get everything that \`up\` and \`istio\` need
  up [--node | --bridge] [--feature-gates A=true,…] [--kubelet-config YAML]
  up --containerd                  containerd alone: no cluster, no kubelet
  down                             end everything and leave no trace
  kubeconfig                       print its path
  path                             print a PATH that begins with the built programs, kubectl among them
  istio REVISION [ENVOY] [--set PATH=VALUE]… [--env NAME=VALUE]…
                                   a control plane of that revision, beside those that run
  istiod REVISION                  print its address
  proxy-image NAME ENVOY [AGENT]   a sidecar's image on the node, with another agent than pilot-agent
  image NAME FOLDER ENTRYPOINT…    a folder becomes an image on the node
  restart kubelet
  ctr ARG…                         containerd's client on the rig's containerd
`;
const planeModules: readonly GoModule[] = ['etcd', 'kubernetes'];
const runtimeModules: readonly GoModule[] = ['containerd', 'runc', 'cni'];

const pathFile = join(layout.run, 'path');
const ownerFile = join(layout.run, 'owner');

const [command = '', ...rest] = process.argv.slice(2);
try {
  process.exitCode = await run(command, rest);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function run(name: string, args: readonly string[]): Promise<number> {
  switch (name) {
    case 'build':
      build(planeModules, args.includes('--node') ? runtimeModules : []);
      if (args.includes('--istio')) buildIstio();
      return 0;
    case 'up':
      return await up(args);
    case 'down':
      await down();
      return 0;
    case 'kubeconfig':
      process.stdout.write(`${layout.kubeconfig}\n`);
      return 0;
    case 'path':
      process.stdout.write(`${pathWith(planeModules)}\n`);
      return 0;
    case 'istio':
      await istio(args);
      return 0;
    case 'istiod':
      process.stdout.write(`${istiodAddress(args[0] ?? '')}\n`);
      return 0;
    case 'image':
    case 'proxy-image':
    case 'ctr':
    case 'restart':
      await onNode(name, args);
      return 0;
    default:
      process.stderr.write(usage);
      return 2;
  }
}

/** Flags may stand anywhere; both may be given often. */
async function istio(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      set: { type: 'string', multiple: true, default: [] },
      env: { type: 'string', multiple: true, default: [] },
    },
  });
  const [revision, envoy = '1.40.0'] = positionals;
  if (revision === undefined) throw new Error('a revision is wanted: npm run rig -- istio REVISION');
  process.env['PATH'] = readFileSync(pathFile, 'utf8');
  const { set: settings, env: environment } = values;
  await startIstio({ revision, envoy: envoyVersion(envoy), settings, environment });
}

async function onNode(name: 'image' | 'proxy-image' | 'ctr' | 'restart', args: readonly string[]): Promise<void> {
  if (!existsSync(layout.containerdSocket)) throw new Error('no node is up: npm run rig -- up --node');
  process.env['PATH'] = readFileSync(pathFile, 'utf8');
  const [image = '', folder = '', ...entrypoint] = args;
  if (name === 'ctr') process.stdout.write(ctr(...args));
  else if (name === 'image') importImage(image, folder, entrypoint);
  else if (name === 'proxy-image') importProxyImage(image, { envoy: envoyVersion(folder), agent: entrypoint[0] });
  else {
    await stop('kubelet');
    startKubelet();
  }
}

/** Builds what is missing and puts it first on this process's PATH. */
function build(plane: readonly GoModule[], runtime: readonly GoModule[]): void {
  if (runtime.length > 0) debian(['iproute2', 'iptables', 'gcc', 'libc6-dev', 'libseccomp-dev', 'pkg-config']);
  if (runtime.length > 0) busybox();
  process.env['PATH'] = pathWith([...plane, ...runtime]);
}

/** Istio's programs, and the Envoys of the revisions that the suites start. */
function buildIstio(): void {
  goTools('istio');
  for (const version of ['1.39.3', '1.40.0'] as const) envoyBinary(version);
}

async function up(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      node: { type: 'boolean', default: false },
      bridge: { type: 'boolean', default: false },
      containerd: { type: 'boolean', default: false },
      'feature-gates': { type: 'string', default: '' },
      'kubelet-config': { type: 'string', default: '' },
    },
  });
  refuseForeign();
  if (values.bridge) debian(['iproute2']);
  build(values.containerd ? [] : planeModules, values.node || values.containerd ? runtimeModules : []);
  await down(); // what an earlier run left, also one that was killed
  mkdirSync(layout.run, { recursive: true });
  writeFileSync(ownerFile, import.meta.dirname);
  writeFileSync(pathFile, process.env['PATH'] ?? '');
  if (values.containerd) return await upContainerd();
  const onBridge = values.node || values.bridge;
  const plane = { host: onBridge ? network.host : '127.0.0.1', featureGates: values['feature-gates'] };
  if (onBridge) createBridge();
  await startControlPlane(plane);
  if (onBridge) await startDns();
  if (values.node) await startNode(plane, values['kubelet-config']);
  say(`up; export KUBECONFIG=${layout.kubeconfig}`);
  return 0;
}

async function upContainerd(): Promise<number> {
  createBridge();
  await startContainerd();
  say(`up; its socket is ${layout.containerdSocket}`);
  return 0;
}

/** A machine has one cluster: the living one of another checkout is not ended by the way. */
function refuseForeign(): void {
  const owner = existsSync(ownerFile) ? readFileSync(ownerFile, 'utf8') : import.meta.dirname;
  const alive = ['apiserver', 'containerd'].some((name) => runningPid(name) !== undefined);
  if (owner === import.meta.dirname || !alive) return;
  throw new Error(`the cluster of ${owner} is up; end it there, or here with: npm run rig -- down`);
}

/** Ends what runs with the programs it was started with, whatever the sources say by now. */
async function down(): Promise<void> {
  if (!existsSync(layout.run)) return;
  if (existsSync(pathFile)) process.env['PATH'] = readFileSync(pathFile, 'utf8');
  if (ownsNetwork()) await removeNode();
  await Promise.all(started().map(stop));
  rmSync(layout.run, { recursive: true, force: true });
}
