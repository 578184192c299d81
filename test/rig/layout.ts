// Where the rig keeps things and which addresses it takes: everything is on this machine, on the loopback or on a bridge
// of its own. Owns no process and touches no file.
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const home = import.meta.dirname;
const { env } = process;
const isRoot = process.getuid?.() === 0;
const runBase = isRoot ? '/run/fairway' : join(env['XDG_RUNTIME_DIR'] ?? tmpdir(), 'fairway');
const run = env['RIG_RUN'] ?? join(runBase, 'rig');

export const layout = {
  modules: join(home, 'mod'),
  /** What is built or fetched once a machine; safe to delete. */
  cache: join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'fairway', 'rig'),
  /** Process ids, logs, keys, sockets of the running cluster; `down` removes it. */
  run,
  /** containerd's images and snapshots (an overlay cannot lie on every /run); `down` removes it. */
  data: env['RIG_DATA'] ?? '/var/tmp/fairway-rig',
  pids: join(run, 'pid'),
  logs: join(run, 'log'),
  kubeconfig: join(run, 'kubeconfig'),
  containerdSocket: join(run, 'containerd.sock'),
} as const;

/** Below 100; two rigs on one machine differ in it. */
const number = Number(env['RIG_NUMBER'] ?? 0);

export const network = {
  bridge: `fairway${number}`,
  /** The bridge's own address: the node's, and the API server's when there is a node. */
  host: `10.245.${number}.1`,
  pods: `10.245.${number}.0/24`,
  firstPod: `10.245.${number}.40`,
  /** Below it are the addresses of istiods, from .10; below the other where there is no bridge. */
  prefix: `10.245.${number}`,
  loopback: `127.100.${number}`,
  services: `10.${97 + number}.0.0/16`,
  apiPort: Number(env['RIG_API_PORT'] ?? 26_443),
  /** Its peer's is the next one. */
  etcdPort: Number(env['RIG_ETCD_PORT'] ?? 23_790),
} as const;

export const nodeName = 'rig';
