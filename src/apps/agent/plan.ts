// What a call of `proxy` asks for, settled: flags, environment and files read into one value, with all that is wrong with them.
// Refuses to start anything.
import { hostPort } from '../../core/bootstrap/index.ts';
import {
  type AppProbe,
  effectiveProxyConfig,
  isOn,
  missingIn,
  type ProxyConfig,
  parseAppProbes,
  parseDownwardApi,
  parsePodPorts,
  parseScrapeTargets,
  podPortsVariable,
  type ScrapeTarget,
  withNodeSettings,
} from '../../core/proxy/index.ts';
import type { Problem } from '../../core/std/errors.ts';
import { textAt } from '../../core/std/json.ts';
import type { Host } from '../../ports/host.ts';
import { discoverPlatform } from './bootstrap/platform.ts';
import { type Settled, servedSockets, settleBootstrap } from './bootstrap/settle.ts';
import type { ProxySettings } from './settings.ts';

/** Node types whose proxy is an Envoy; a waypoint drains like a router. */
const roles = ['sidecar', 'router', 'waypoint'] as const;
const annotationsFile = './etc/istio/pod/annotations';

export type Env = Readonly<Record<string, string | undefined>>;

export interface Plan {
  readonly role: (typeof roles)[number];
  readonly settings: ProxySettings;
  readonly config: ProxyConfig;
  /** The agent's own environment, for what no table can list: ISTIO_META_*, XDS_HEADER_*, CA_HEADER_*. */
  readonly env: Env;
  readonly appPorts: readonly number[];
  /** Each is there as long as a container of the application runs; none: whoever runs this pod does not tell. */
  readonly appFiles: readonly string[];
  readonly probes: ReadonlyMap<string, AppProbe>;
  readonly targets: readonly ScrapeTarget[];
  readonly addresses: readonly string[];
  /** What the drain counts. */
  readonly exitOnZero: 'off' | 'connections' | 'requests';
  readonly bootstrap: Settled;
}

interface Asked {
  readonly settings: ProxySettings;
  readonly words: readonly string[];
  readonly env: Env;
}

interface Reading {
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** The plan, or every problem. */
export async function planOf({ settings, words, env }: Asked, host: Host): Promise<Reading> {
  const annotations = readAnnotations(host);
  const { config, problems: ofConfig, warnings: ofStatsd } = await configOf(settings, annotations ?? {}, host);
  const app = applicationOf(settings, config);
  const role = roles.find((name) => name === (words[0] ?? 'sidecar'));
  const addresses = addressesOf(settings.instanceIp, annotations ?? {}, host);
  const exitOnZero = exitOnZeroOf(settings);
  const [sockets, platform] = await Promise.all([
    servedSockets(settings.socketFile, host),
    discoverPlatform({ host, env, told: settings.cloudPlatform, addresses }),
  ]);
  const asked = { role: role ?? 'sidecar', settings, env, config, addresses, exitOnZero };
  const bootstrap = settleBootstrap({ ...asked, annotations, sockets, platform }, host);
  const unknown = usageProblem(`"${words[0]}" is no type of proxy: ${roles.join(', ')}`);
  const ofBootstrap = bootstrap.problems.filter(isNewTo(app.problems));
  const problems = [...(role === undefined ? [unknown] : []), ...ofConfig, ...app.problems, ...ofBootstrap];
  const warnings = [...ofStatsd, ...bootstrap.warnings, ...overrideWarnings(settings, host)];
  const plan: Plan = { ...asked, ...app.value, bootstrap: bootstrap.settled };
  return { plan: problems.length > 0 ? undefined : plan, problems, warnings };
}

/** The ports are read here and as the node's metadata, and what is wrong with them would be told by both. */
function isNewTo(told: readonly Problem[]): (problem: Problem) => boolean {
  const isOfPorts = ({ message }: Problem): boolean => message.startsWith(podPortsVariable);
  return (problem) => !isOfPorts(problem) || !told.some(isOfPorts);
}

/** Istio's agent starts without it, too. */
function overrideWarnings({ bootstrapOverride: path }: ProxySettings, { files }: Host): readonly string[] {
  return path === '' || files.read(path) !== undefined ? [] : [`the bootstrap override cannot be read: ${path}`];
}

function readAnnotations(host: Host): Readonly<Record<string, string>> | undefined {
  const text = host.files.read(annotationsFile);
  return text === undefined ? undefined : parseDownwardApi(text);
}

/** What the agent must know of the application. */
function applicationOf(
  settings: ProxySettings,
  config: ProxyConfig,
): {
  readonly value: Pick<Plan, 'appPorts' | 'appFiles' | 'probes' | 'targets'>;
  readonly problems: readonly Problem[];
} {
  const ports = parsePodPorts(settings.podPorts);
  const { probes, problems: ofProbes } = parseAppProbes(settings.appProbers);
  const { targets, problems: ofTargets } = parseScrapeTargets(settings.prometheusAnnotations, config.statusPort);
  const appFiles = settings.appRunning.split(':').filter(Boolean);
  const ofPorts = ports.kind === 'invalid' ? [usageProblem(ports.problem)] : [];
  return {
    value: { appPorts: ports.kind === 'invalid' ? [] : ports.tcp, appFiles, probes, targets },
    problems: [...ofPorts, ...ofProbes, ...ofTargets],
  };
}

interface ConfigReading {
  readonly config: ProxyConfig;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

async function configOf(
  settings: ProxySettings,
  annotations: Readonly<Record<string, string>>,
  host: Host,
): Promise<ConfigReading> {
  const { config, problems } = effectiveProxyConfig({
    meshYaml: host.files.read(settings.meshConfig),
    environmentYaml: settings.proxyConfig,
    annotations,
  });
  const statsd = textAt(config.raw, 'statsdUdpAddress') ?? '';
  const statsdAddress = await resolved(statsd, host);
  return {
    config: withNodeSettings(config, { ...settings, serviceCluster: settings.serviceClusterFlag, statsdAddress }),
    problems: [...problems, ...missingIn(config)],
    warnings: statsd !== '' && statsdAddress === '' ? [`statsd cannot be resolved and is left out: ${statsd}`] : [],
  };
}

/** Envoy wants statsd's address, not its name. */
async function resolved(given: string, host: Host): Promise<string> {
  const parts = hostPort(given);
  if (parts === undefined) return '';
  const [address] = /^[\d.]+$|:/.test(parts.address) ? [parts.address] : await host.net.lookup(parts.address);
  if (address === undefined) return '';
  return address.includes(':') ? `[${address}]:${parts.port}` : `${address}:${parts.port}`;
}

/** The pod's own address first: istiod takes the first one for it. */
function addressesOf(instanceIp: string, annotations: Readonly<Record<string, string>>, host: Host): readonly string[] {
  const excluded = annotations['traffic.sidecar.istio.io/excludeInterfaces']?.split(',') ?? [];
  const found = host.net.addresses(excluded);
  const all = [instanceIp, ...(found.length === 0 && excluded.length === 0 ? ['127.0.0.1', '::1'] : found)];
  return [...new Set(all.filter((address) => address !== ''))];
}

function exitOnZeroOf(settings: ProxySettings): Plan['exitOnZero'] {
  if (settings.exitOnZero !== '' && isOn('exit-on-zero', settings)) return settings.exitOnZero;
  return settings.exitOnZeroConnections ? 'connections' : 'off';
}

/** As Istio's bootstrap: IPv6's only where the pod has nothing else. */
export function loopbackOf({ addresses }: Pick<Plan, 'addresses'>): string {
  return addresses.length > 0 && addresses.every((address) => address.includes(':')) ? '::1' : '127.0.0.1';
}

function usageProblem(message: string): Problem {
  return { code: 'usage', severity: 'error', message };
}
