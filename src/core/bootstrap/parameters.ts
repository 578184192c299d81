// All that a bootstrap is made of, settled: what the default bootstrap is built from and what a user's own template sees.
import type { ProxyConfig } from '../proxy/index.ts';
import type { Problem } from '../std/errors.ts';
import { type JsonObject, parseObject, textAt } from '../std/json.ts';
import { type Family, familyOf } from './addresses.ts';
import type { Node } from './node.ts';
import { connectionLimit, runtimeFlags } from './runtime.ts';
import { serviceCluster } from './service-cluster.ts';
import { type Services, servicesOf } from './services.ts';
import { type StatsParameters, statsParameters } from './stats.ts';

export interface BootstrapSources {
  readonly node: Node;
  readonly config: ProxyConfig;
  /** sidecar, router, waypoint. */
  readonly type: string;
  readonly addresses: readonly string[];
  readonly dualStack: boolean;
  readonly logAsJson: boolean;
  readonly deltaXds: boolean;
  readonly compliancePolicy: string;
  readonly stripFragment: boolean;
  readonly hostIp: string;
  readonly exitOnZero: 'off' | 'connections' | 'requests';
  readonly statusProxyProtocol: boolean;
  /** Socket of the agent for files, where another program serves the workload's certificate; undefined: none. */
  readonly filesSocket: string | undefined;
}

export interface BootstrapParameters {
  readonly node: Node;
  readonly type: string;
  readonly cluster: string;
  readonly config: ProxyConfig;
  readonly family: Family;
  readonly logAsJson: boolean;
  readonly xdsType: 'GRPC' | 'DELTA_GRPC';
  readonly metadataDiscovery: boolean;
  readonly runtime: JsonObject;
  readonly connectionLimit: number;
  readonly stats: StatsParameters;
  readonly services: Services;
  readonly statsCompression: boolean;
  readonly metricsLocalhostOnly: boolean;
  readonly statusProxyProtocol: boolean;
  readonly selfDiscovery: boolean;
  readonly filesSocket: string | undefined;
  readonly loadStats: JsonObject | undefined;
}

export interface ParametersReading {
  readonly parameters: BootstrapParameters;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** The parameters of these sources, with all that is wrong. */
export function bootstrapParameters(sources: BootstrapSources): ParametersReading {
  const { node, config, exitOnZero, addresses, hostIp } = sources;
  const { raw: proxy, configPath } = config;
  const { stats, warnings } = statsParameters({ annotations: node.annotations, config: proxy, addresses, exitOnZero });
  const { services, problems } = servicesOf({ config: proxy, configPath, metadata: node.metadata, hostIp });
  const discovery = discoveryOf(sources);
  const parameters: BootstrapParameters = {
    ...discovery.value,
    ...switches(sources),
    node,
    config,
    type: sources.type,
    cluster: serviceCluster(node.metadata, node.labels),
    family: familyOf(addresses, sources.dualStack),
    runtime: runtimeFlags({ ...sources, config: proxy }),
    connectionLimit: connectionLimit(proxy),
    stats,
    services,
    filesSocket: sources.filesSocket,
  };
  return { parameters, problems, warnings: [...warnings, ...discovery.warnings] };
}

/** A waypoint's istiod speaks delta only, and finds its peers by discovery. */
function discoveryOf({ node, type, deltaXds }: BootstrapSources): {
  readonly value: Pick<BootstrapParameters, 'xdsType' | 'metadataDiscovery'>;
  readonly warnings: readonly string[];
} {
  const isWaypoint = type === 'waypoint';
  const delta = isWaypoint || deltaXds;
  const wanted = isWaypoint || node.metadata['METADATA_DISCOVERY'] === 'true';
  return {
    value: { xdsType: delta ? 'DELTA_GRPC' : 'GRPC', metadataDiscovery: wanted && delta },
    warnings: wanted && !delta ? ['metadata discovery needs delta xDS and is off'] : [],
  };
}

type Switch =
  | 'logAsJson'
  | 'statsCompression'
  | 'metricsLocalhostOnly'
  | 'statusProxyProtocol'
  | 'selfDiscovery'
  | 'loadStats';

function switches({
  node,
  config,
  logAsJson,
  statusProxyProtocol,
}: BootstrapSources): Pick<BootstrapParameters, Switch> {
  const loadStats = textAt(node.raw, 'LOAD_STATS_CONFIG_JSON');
  return {
    logAsJson,
    statusProxyProtocol,
    statsCompression: config.raw['statsCompression'] !== false,
    metricsLocalhostOnly: config.proxyMetadata['METRICS_LOCALHOST_ACCESS_ONLY'] === 'true',
    selfDiscovery: node.metadata['ENABLE_SELF_DISCOVERY'] === 'true',
    loadStats: loadStats === undefined ? undefined : parseObject(loadStats),
  };
}
