// What a call of `proxy` asks for, settled: flags, environment and files read into one value, with all that is wrong with them.
// Refuses to start anything.
import {
  type AppProbe,
  effectiveProxyConfig,
  type ProxyConfig,
  parseAppProbes,
  parseDownwardApi,
  parsePodPorts,
  parseScrapeTargets,
  type ScrapeTarget,
} from '../../core/proxy/index.ts';
import type { Problem } from '../../core/std/errors.ts';
import type { Host } from '../../ports/host.ts';
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
  readonly probes: ReadonlyMap<string, AppProbe>;
  readonly targets: readonly ScrapeTarget[];
  readonly addresses: readonly string[];
  readonly bootstrapPath: string;
}

interface Asked {
  readonly settings: ProxySettings;
  readonly words: readonly string[];
  readonly env: Env;
}

/** The plan, or every problem. */
export function planOf(
  { settings, words, env }: Asked,
  host: Host,
): { readonly plan: Plan | undefined; readonly problems: readonly Problem[] } {
  const annotations = parseDownwardApi(host.files.read(annotationsFile) ?? '');
  const { config, problems: ofConfig } = effectiveProxyConfig({
    meshYaml: host.files.read(settings.meshConfig),
    environmentYaml: settings.proxyConfig,
    annotations,
  });
  const ports = parsePodPorts(settings.podPorts);
  const { probes, problems: ofProbes } = parseAppProbes(settings.appProbers);
  const { targets, problems: ofTargets } = parseScrapeTargets(settings.prometheusAnnotations, config.statusPort);
  const role = roles.find((name) => name === (words[0] ?? 'sidecar'));
  const problems = [
    ...(role === undefined ? [usageProblem(`"${words[0]}" is no type of proxy: ${roles.join(', ')}`)] : []),
    ...ofConfig,
    ...(ports.kind === 'invalid' ? [usageProblem(ports.problem)] : []),
    ...ofProbes,
    ...ofTargets,
    ...(config.customConfigFile === '' ? [usageProblem('no bootstrap: ProxyConfig has no customConfigFile')] : []),
  ];
  if (role === undefined || ports.kind === 'invalid' || problems.length > 0) return { plan: undefined, problems };
  const addresses = [...new Set([settings.instanceIp, ...host.net.addresses()])].filter((address) => address !== '');
  const bootstrapPath = config.customConfigFile;
  return {
    plan: { role, settings, config, env, appPorts: ports.tcp, probes, targets, addresses, bootstrapPath },
    problems: [],
  };
}

/** As Istio's bootstrap: IPv6's only where the pod has nothing else. */
export function loopbackOf({ addresses }: Pick<Plan, 'addresses'>): string {
  return addresses.length > 0 && addresses.every((address) => address.includes(':')) ? '::1' : '127.0.0.1';
}

function usageProblem(message: string): Problem {
  return { code: 'usage', severity: 'error', message };
}
