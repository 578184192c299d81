// A real Kubernetes on one machine, without a container engine or an image registry: README.md tells how to use it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { busybox, debian, type GoModule, pathWith } from './build.ts';
import { startControlPlane } from './control-plane.ts';
import { ctr, importImage } from './image.ts';
import { layout, network } from './layout.ts';
import { createBridge, removeNode, startContainerd, startKubelet, startNode } from './node.ts';
import { say } from './shell.ts';
import { runningPid, started, stop } from './supervise.ts';

const usage = `usage: npm run rig -- COMMAND
  build [--node]                   get everything that \`up\` needs
  up [--node] [--feature-gates A=true,…] [--kubelet-config YAML]
  up --containerd                  containerd alone: no cluster, no kubelet
  down                             end everything and leave no trace
  kubeconfig                       print its path
  path                             print a PATH that begins with the built programs, kubectl among them
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
    case 'image':
    case 'ctr':
    case 'restart':
      await onNode(name, args);
      return 0;
    default:
      process.stderr.write(usage);
      return 2;
  }
}

async function onNode(name: 'image' | 'ctr' | 'restart', args: readonly string[]): Promise<void> {
  if (!existsSync(layout.containerdSocket)) throw new Error('no node is up: npm run rig -- up --node');
  process.env['PATH'] = readFileSync(pathFile, 'utf8');
  const [image = '', folder = '', ...entrypoint] = args;
  if (name === 'ctr') process.stdout.write(ctr(...args));
  else if (name === 'image') importImage(image, folder, entrypoint);
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

async function up(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      node: { type: 'boolean', default: false },
      containerd: { type: 'boolean', default: false },
      'feature-gates': { type: 'string', default: '' },
      'kubelet-config': { type: 'string', default: '' },
    },
  });
  refuseForeign();
  build(values.containerd ? [] : planeModules, values.node || values.containerd ? runtimeModules : []);
  await down(); // what an earlier run left, also one that was killed
  mkdirSync(layout.run, { recursive: true });
  writeFileSync(ownerFile, import.meta.dirname);
  writeFileSync(pathFile, process.env['PATH'] ?? '');
  if (values.containerd) return await upContainerd();
  const plane = { host: values.node ? network.host : '127.0.0.1', featureGates: values['feature-gates'] };
  if (values.node) createBridge();
  await startControlPlane(plane);
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
  if (existsSync(`/sys/class/net/${network.bridge}`)) await removeNode();
  await Promise.all(started().map(stop));
  rmSync(layout.run, { recursive: true, force: true });
}
