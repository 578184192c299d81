// The node: a bridge, containerd, kubelet, kube-proxy. Needs root. Everything it changes on the machine is undone by
// `removeNode`, also after a crash: containers, mounts, network namespaces, the bridge, the route.
import { Resolver } from 'node:dns/promises';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ControlPlane, gates } from './control-plane.ts';
import { ctr, importOwnImages } from './image.ts';
import { layout, network, nodeName } from './layout.ts';
import { sh, succeeds } from './shell.ts';
import { runningPid, start, stop, waitFor } from './supervise.ts';

const forwarding = '/proc/sys/net/ipv4/ip_forward';
const forwardingBefore = join(layout.run, 'ip_forward');

/** The bridge comes first: the API server listens on its address. */
export function createBridge(): void {
  mkdirSync(layout.run, { recursive: true });
  writeFileSync(forwardingBefore, readFileSync(forwarding));
  sh('ip', ['link', 'add', network.bridge, 'type', 'bridge']);
  sh('ip', ['addr', 'add', `${network.host}/24`, 'dev', network.bridge]);
  sh('ip', ['link', 'set', network.bridge, 'up']);
  sh('ip', ['route', 'replace', 'blackhole', network.services]); // a service's address never leaves this machine
  writeFileSync(forwarding, '1');
}

/** Whether this rig has, or had until a crash, more than a control plane. */
export function ownsNetwork(): boolean {
  return existsSync(forwardingBefore);
}

/** Whether the bridge of this number is there, and by this rig: another one may have it. */
export function ownsBridge(): boolean {
  return ownsNetwork() && existsSync(`/sys/class/net/${network.bridge}`);
}

/** Starts the cluster's DNS server, which pods and namespaces on the bridge ask. */
export async function startDns(): Promise<void> {
  start('dns', [process.execPath, join(import.meta.dirname, 'dns.ts')]);
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  resolver.setServers([network.host]);
  await waitFor('dns', async () => {
    try {
      return (await resolver.resolve4('kubernetes.default.svc')).length === 1;
    } catch {
      return false;
    }
  });
}

/** Starts the node and waits until it is Ready. `kubeletConfig` is appended to the kubelet's YAML as it is. */
export async function startNode(plane: ControlPlane, kubeletConfig: string): Promise<void> {
  await startContainerd();
  writeFileSync(join(layout.run, 'kubelet.yaml'), `${kubeletYaml()}${kubeletConfig}\n`);
  writeFileSync(join(layout.run, 'kubelet.flags'), JSON.stringify(gates(plane)));
  startKubelet();
  const { kubeconfig } = layout;
  start('proxy', [
    'kube-proxy',
    '--kubeconfig',
    kubeconfig,
    '--proxy-mode',
    'iptables',
    '--hostname-override',
    nodeName,
    '--cluster-cidr',
    network.pods,
    '--healthz-bind-address',
    '127.0.0.1:10256',
    '--metrics-bind-address',
    '127.0.0.1:10249',
    '--conntrack-max-per-core',
    '0',
    '--conntrack-tcp-timeout-established',
    '0',
    '--conntrack-tcp-timeout-close-wait',
    '0',
  ]);
  const ready = `jsonpath={.status.conditions[?(@.type=="Ready")].status}`;
  const isReady = () =>
    sh('kubectl', ['--kubeconfig', kubeconfig, 'get', 'node', nodeName, '--ignore-not-found', '-o', ready]) === 'True';
  await waitFor('kubelet', isReady);
}

/** Starts containerd and waits until it answers and has the rig's images. */
export async function startContainerd(): Promise<void> {
  mkdirSync(join(layout.run, 'cni'), { recursive: true });
  writeFileSync(join(layout.run, 'cni', '10-rig.conflist'), JSON.stringify(cniConfig()));
  writeFileSync(join(layout.run, 'containerd.toml'), containerdConfig());
  start('containerd', ['containerd', '--config', join(layout.run, 'containerd.toml')]);
  await waitFor('containerd', () => succeeds('ctr', ['--address', layout.containerdSocket, 'version']));
  importOwnImages();
}

export function startKubelet(): void {
  const flags = JSON.parse(readFileSync(join(layout.run, 'kubelet.flags'), 'utf8')) as string[];
  const root = join(layout.run, 'kubelet');
  start('kubelet', [
    'kubelet',
    '--config',
    join(layout.run, 'kubelet.yaml'),
    '--kubeconfig',
    layout.kubeconfig,
    '--root-dir',
    root,
    '--cert-dir',
    join(root, 'pki'),
    '--hostname-override',
    nodeName,
    '--node-ip',
    network.host,
    '--v',
    '2',
    ...flags,
  ]);
}

/** The kubelet ends first, or it would start again what ends here. Containers are killed, not stopped. */
export async function removeNode(): Promise<void> {
  await stop('kubelet');
  if (runningPid('containerd') !== undefined && existsSync(layout.containerdSocket)) {
    for (const task of ctr('tasks', 'ls', '-q').split('\n')) {
      if (task !== '')
        succeeds('ctr', ['-a', layout.containerdSocket, '-n', 'k8s.io', 'tasks', 'kill', '-s', 'KILL', task]);
    }
  }
  for (const name of ['proxy', 'containerd']) await stop(name);
  for (const shim of shims()) process.kill(shim, 'SIGKILL');
  if (ownsBridge()) removeNetwork();
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  const ours = mounts.filter((path) => path.startsWith(`${layout.run}/`) || path.startsWith(`${layout.data}/`));
  for (const path of ours.toReversed()) succeeds('umount', ['-l', path]);
  rmSync(layout.data, { recursive: true, force: true });
}

function removeNetwork(): void {
  if (existsSync(join(layout.run, 'kubelet.yaml'))) {
    succeeds('kube-proxy', ['--cleanup']);
    for (const command of ['iptables', 'ip6tables']) removeFirewall(command);
  }
  for (const name of namespacesOfPods()) succeeds('ip', ['netns', 'del', name]);
  succeeds('ip', ['link', 'del', network.bridge]);
  succeeds('ip', ['route', 'del', 'blackhole', network.services]);
  if (existsSync(forwardingBefore)) writeFileSync(forwarding, readFileSync(forwardingBefore));
}

/** A chain that kube-proxy makes and its own cleaning leaves. */
function removeFirewall(command: string): void {
  for (const chain of ['INPUT', 'OUTPUT']) succeeds(command, ['-D', chain, '-j', 'KUBE-FIREWALL']);
  for (const action of ['-F', '-X']) succeeds(command, [action, 'KUBE-FIREWALL']);
}

/** Network namespaces that hold an address of the rig's pods; other programs of the machine may have some too. */
function namespacesOfPods(): readonly string[] {
  const prefix = network.pods.slice(0, network.pods.lastIndexOf('.') + 1);
  const all = existsSync('/run/netns') ? readdirSync('/run/netns').filter((name) => name.startsWith('cni-')) : [];
  return all.filter((name) => {
    try {
      return sh('ip', ['-n', name, '-4', 'addr']).includes(` ${prefix}`);
    } catch {
      return false;
    }
  });
}

/** containerd's shims outlive it on purpose; ours are those that were given our socket. */
function shims(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return basename(program) === 'containerd-shim-runc-v2' && args.includes(layout.containerdSocket);
      } catch {
        return false;
      }
    });
}

function cniConfig(): object {
  const ranges = [[{ subnet: network.pods, rangeStart: network.firstPod }]];
  const ipam = { type: 'host-local', ranges, routes: [{ dst: '0.0.0.0/0' }], dataDir: join(layout.run, 'ipam') };
  return {
    cniVersion: '1.0.0',
    name: 'rig',
    plugins: [
      { type: 'bridge', bridge: network.bridge, isGateway: true, hairpinMode: true, ipam },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

/** Without restrict_oom_score_adj runc fails where the kernel gives no right to lower a score ("can't get final child's PID"). */
function containerdConfig(): string {
  return `version = 3
root = "${layout.data}"
state = "${join(layout.run, 'containerd')}"
[grpc]
  address = "${layout.containerdSocket}"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "rig.test/pause:1"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
  BinaryName = "${sh('sh', ['-c', 'command -v runc']).trim()}"
[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["${sh('sh', ['-c', 'dirname $(command -v host-local)']).trim()}"]
  conf_dir = "${join(layout.run, 'cni')}"
`;
}

/** For cgroup v1 and v2, with and without swap; evicts only when the machine is about to fail; adds no firewall rules. */
function kubeletYaml(): string {
  return `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: ${network.host}
failCgroupV1: false
failSwapOn: false
cgroupDriver: cgroupfs
enforceNodeAllocatable: []
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
containerRuntimeEndpoint: unix://${layout.containerdSocket}
evictionHard: {nodefs.available: "1%", imagefs.available: "1%", memory.available: "50Mi"}
imageGCHighThresholdPercent: 100
makeIPTablesUtilChains: false
clusterDNS: [${network.host}]
clusterDomain: cluster.local
resolvConf: ""
`;
}
