// Settles the bootstrap: reads the pod's files, lets core/bootstrap make the node and the parameters, says where the file goes.
import {
  type BootstrapParameters,
  bootstrapParameters,
  type Node,
  type NodeSources,
  nodeOf,
  type Platform,
} from '../../../core/bootstrap/index.ts';
import { filesSocket, socketFolder } from '../../../core/identity/index.ts';
import { type ProxyConfig, parseDownwardApi } from '../../../core/proxy/index.ts';
import type { Problem } from '../../../core/std/errors.ts';
import type { Host } from '../../../ports/host.ts';
import { isServed } from '../identity/served.ts';
import type { ProxySettings } from '../settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface Settled {
  readonly node: Node;
  readonly parameters: BootstrapParameters;
  /** Where Envoy reads its bootstrap. */
  readonly path: string;
  readonly form: BootstrapForm;
}

/** `given` is a user's file that is taken as it is; `default` is Fairway's own. */
export type BootstrapForm =
  | { readonly kind: 'given' }
  | { readonly kind: 'template'; readonly text: string }
  | { readonly kind: 'default' };

interface Sources {
  readonly role: string;
  readonly settings: ProxySettings;
  readonly env: Env;
  readonly config: ProxyConfig;
  readonly addresses: readonly string[];
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** What the drain counts. */
  readonly exitOnZero: 'off' | 'connections' | 'requests';
  readonly sockets: ServedSockets;
  readonly platform: Platform;
}

/** Sockets that other programs serve. */
export interface ServedSockets {
  /** Certificates by name, for gateways. */
  readonly credentials: boolean;
  /** The workload's own certificate: the agent then serves files only, on a socket of its own. */
  readonly workload: boolean;
}

const credentialSocket = './var/run/secrets/credential-uds/socket';

export async function servedSockets(socketFile: string, host: Host): Promise<ServedSockets> {
  return {
    credentials: await isServed(host, credentialSocket),
    workload: await isServed(host, `${socketFolder}/${socketFile}`),
  };
}

const labelsFile = './etc/istio/pod/labels';
/** Where Istio's images and packages have their template. */
const istioTemplate = './var/lib/istio/envoy/envoy_bootstrap_tmpl.json';

/** Node, parameters and place of the bootstrap, with every problem. */
export function settleBootstrap(
  sources: Sources,
  host: Host,
): { readonly settled: Settled; readonly problems: readonly Problem[]; readonly warnings: readonly string[] } {
  const { role, settings, config, addresses, exitOnZero, sockets } = sources;
  const reading = nodeOf(nodeSources(sources, host));
  const made = bootstrapParameters({
    ...settings,
    node: reading.node,
    config,
    type: role,
    addresses,
    exitOnZero,
    filesSocket: sockets.workload ? filesSocket : undefined,
  });
  const { path, form, problems } = templateOf(sources, host);
  return {
    settled: { node: reading.node, parameters: made.parameters, path, form },
    problems: [...reading.problems, ...made.problems, ...problems],
    warnings: [...reading.warnings, ...made.warnings],
  };
}

function nodeSources(sources: Sources, host: Host): NodeSources {
  const { role, settings, env, config, addresses, annotations, sockets } = sources;
  const { podName, podNamespace, domain, skipDeprecatedLogs, socketFile, outlierLogPath } = settings;
  const labels = host.files.read(labelsFile);
  return {
    identity: { type: role, podName, podNamespace, domain, addresses },
    env,
    config,
    labels: labels === undefined ? undefined : parseDownwardApi(labels),
    annotations,
    platform: sources.platform,
    ports: portsOf(settings),
    exitOnZero: sources.exitOnZero !== 'off',
    metadataDiscovery: settings.metadataDiscovery === '' ? undefined : settings.metadataDiscovery === 'true',
    skipDeprecatedLogs,
    socketFile,
    outlierLogPath,
    credentialSocket: sockets.credentials,
    servesFilesOnly: sockets.workload,
  };
}

function portsOf(settings: ProxySettings): NodeSources['ports'] {
  return {
    status: settings.envoyStatusPort,
    prometheus: settings.envoyPrometheusPort,
    secureMetrics: settings.envoySecureMetricsPort,
    secureMergedMetrics: settings.envoySecureMergedMetricsPort,
  };
}

interface Template {
  readonly path: string;
  readonly form: BootstrapForm;
  readonly problems: readonly Problem[];
}

/** A given file goes as it is; a template that somebody names must be there; Istio's own is taken where it is, else Fairway's. */
function templateOf({ settings, config }: Sources, host: Host): Template {
  if (config.customConfigFile !== '') return { path: config.customConfigFile, form: { kind: 'given' }, problems: [] };
  const named = settings.bootstrapTemplate || config.templatePath;
  const file = named || istioTemplate;
  const path = `${config.configPath}/envoy-rev.${/\.yaml(?:\.tmpl)?$/.test(file) ? 'yaml' : 'json'}`;
  const text = host.files.read(file);
  if (text !== undefined) return { path, form: { kind: 'template', text }, problems: [] };
  if (named === '') return { path, form: { kind: 'default' }, problems: [] };
  const message = `cannot read the template of the bootstrap: ${named}`;
  return { path, form: { kind: 'default' }, problems: [{ code: 'usage', severity: 'error', message }] };
}
