// Istio's control plane of a revision, as a process of this machine at an address of its own: on the bridge, where pods, network namespaces
// and the API server reach it, or on the loopback where there is no bridge. What would be pods of the cluster is left out of its manifests.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goSource, goTools } from './build.ts';
import { layout, network } from './layout.ts';
import { ownsBridge } from './node.ts';
import { importProxyImage, type ProxyParts } from './proxy-image.ts';
import { say, sh } from './shell.ts';
import { runningPid, start, stop, waitFor } from './supervise.ts';

export interface Mesh extends Pick<ProxyParts, 'envoy'> {
  readonly revision: string;
  /** `--set` of istioctl, each `path=value`. */
  readonly settings: readonly string[];
  /** Of istiod, each `NAME=value`. */
  readonly environment: readonly string[];
}

const folders = join(layout.run, 'istio');
const namespace = 'istio-system';
const serverSide = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
/** What would run istiod as pods; the Service that finds them; and a webhook of it that no test needs. */
const leftOut =
  /^kind: (?:Deployment|HorizontalPodAutoscaler|PodDisruptionBudget|Service|ValidatingWebhookConfiguration)$/m;

/** Upstream's Envoy lacks the filters of Istio's build: without these settings it would refuse what istiod sends. */
const forUpstreamEnvoy = {
  setting: 'values.telemetry.enabled=false',
  environment: {
    PILOT_ENABLE_METADATA_EXCHANGE: 'false',
    PILOT_DISABLE_MX_ALPN: 'true',
    PILOT_ENABLE_ALPN_FILTER: 'false',
  },
} as const;

/** Starts the control plane, or starts it anew, and waits until its webhook can be called. */
export async function startIstio(mesh: Mesh): Promise<void> {
  if (runningPid('apiserver') === undefined) throw new Error('no cluster is up: npm run rig -- up');
  const { revision } = mesh;
  process.env['PATH'] = `${goTools('istio')}:${process.env['PATH']}`;
  mkdirSync(join(folders, revision), { recursive: true });
  const address = takeAddress(revision);
  applyManifests(mesh);
  if (ownsBridge()) lead(revision, address);
  await stop(nameOf(revision));
  startIstiod(mesh, address);
  await waitFor(nameOf(revision), () => answers(`http://${address}:8080/ready`));
  await waitFor(nameOf(revision), () => hasAuthority(revision));
  if (existsSync(layout.containerdSocket)) importProxyImage(`rig.test/proxyv2:${revision}`, mesh);
  say(`istiod of ${revision} serves at ${address}; label pods istio.io/rev=${revision}`);
}

/** The address that an istiod listens on; undefined before it was started. */
export function istiodAddress(revision: string): string | undefined {
  const file = join(folders, revision, 'address');
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Each revision keeps its own; on the loopback every address is there already. */
function takeAddress(revision: string): string {
  const before = istiodAddress(revision);
  const taken = readdirSync(folders).filter((name) => istiodAddress(name) !== undefined).length;
  const address = before ?? `${ownsBridge() ? network.prefix : network.loopback}.${10 + taken}`;
  writeFileSync(join(folders, revision, 'address'), address);
  if (ownsBridge()) sh('ip', ['addr', 'replace', `${address}/32`, 'dev', network.bridge]);
  return address;
}

function applyManifests({ revision, settings }: Mesh): void {
  const own = ['profile=minimal', forUpstreamEnvoy.setting, 'values.global.hub=rig.test'];
  const image = [`values.global.tag=${revision}`, 'values.global.imagePullPolicy=IfNotPresent'];
  const charts = join(goSource('istio', 'istio.io/istio'), 'manifests');
  const values = [...own, ...image, ...settings].flatMap((setting) => ['--set', setting]);
  const made = sh('istioctl', ['manifest', 'generate', '--revision', revision, '--manifests', charts, ...values]);
  const documents = made.split(/^---$/m).filter((each) => each.trim() !== '' && !leftOut.test(each));
  apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  kubectl(serverSide, documents.join('---\n'));
  kubectl(['wait', '--for', 'condition=established', '--timeout', '180s', 'crd', '--all']);
}

/** The revision's Service leads to the process: without a selector, and headless, so that its name is the process's own address. */
function lead(revision: string, address: string): void {
  const service = `istiod-${revision}`;
  const ports = { 'grpc-xds': 15010, 'https-dns': 15012, 'https-webhook': 15017, 'http-monitoring': 15014 };
  const served = Object.entries(ports).map(([name, port]) => ({ name, port, protocol: 'TCP' }));
  const asked = served.map((each) => ({ ...each, port: each.port === 15017 ? 443 : each.port, targetPort: each.port }));
  const labels = { app: 'istiod', 'istio.io/rev': revision };
  apply(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: service, namespace, labels },
      spec: { clusterIP: 'None', ports: asked },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: `${service}-rig`, namespace, labels: { 'kubernetes.io/service-name': service } },
      addressType: 'IPv4',
      ports: served,
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
    },
  );
}

function startIstiod({ revision, environment }: Mesh, address: string): void {
  const ports = { monitoringAddr: 15014, httpAddr: 8080, httpsAddr: 15017, grpcAddr: 15010, secureGRPCAddr: 15012 };
  const listen = Object.entries(ports).flatMap(([flag, port]) => [`--${flag}`, `${address}:${port}`]);
  const env = {
    REVISION: revision,
    POD_NAME: nameOf(revision),
    POD_NAMESPACE: namespace,
    CLUSTER_ID: 'Kubernetes',
    JWT_POLICY: 'third-party-jwt',
    PILOT_CERT_PROVIDER: 'istiod',
    ISTIOD_ADDR: `istiod-${revision}.${namespace}.svc:15012`,
    INJECTION_WEBHOOK_CONFIG_NAME: `istio-sidecar-injector-${revision}`,
    VALIDATION_WEBHOOK_CONFIG_NAME: '',
    ...forUpstreamEnvoy.environment,
    ...Object.fromEntries(environment.map((pair) => pair.split(/=(.*)/s).slice(0, 2))),
  };
  const command = ['pilot-discovery', 'discovery', '--kubeconfig', layout.kubeconfig, ...listen, '--ctrlz_port', '0'];
  start(nameOf(revision), command, { env, cwd: join(folders, revision) }); // it looks for files below its folder
}

function hasAuthority(revision: string): boolean {
  const bundles = 'jsonpath={.items[*].webhooks[*].clientConfig.caBundle}';
  const selector = `istio.io/rev=${revision}`;
  return kubectl(['get', 'mutatingwebhookconfigurations', '-l', selector, '-o', bundles]) !== '';
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function nameOf(revision: string): string {
  return `istiod-${revision}`;
}

function apply(...objects: readonly object[]): void {
  kubectl(serverSide, objects.map((each) => JSON.stringify(each)).join('\n'));
}

function kubectl(args: readonly string[], input = ''): string {
  return sh('kubectl', ['--kubeconfig', layout.kubeconfig, ...args], { input });
}
