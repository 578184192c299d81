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
  const { node, config, type, exitOnZero, addresses } = sources;
  const { raw: proxy, proxyMetadata } = config;
  const { stats, warnings } = statsParameters({ annotations: node.annotations, config: proxy, addresses, exitOnZero });
  const { services, problems } = servicesOf({
    config: proxy,
    configPath: config.configPath,
    metadata: node.metadata,
    hostIp: sources.hostIp,
  });
  // A waypoint's istiod speaks delta only, and finds its peers by discovery.
  const isWaypoint = type === 'waypoint';
  const delta = isWaypoint || sources.deltaXds;
  const discovery = isWaypoint || node.metadata['METADATA_DISCOVERY'] === 'true';
  const lostDiscovery = discovery && !delta ? ['metadata discovery needs delta xDS and is off'] : [];
  const loadStats = textAt(node.raw, 'LOAD_STATS_CONFIG_JSON');
  return {
    parameters: {
      node,
      type,
      cluster: serviceCluster(node.metadata, node.labels),
      config,
      family: familyOf(addresses, sources.dualStack),
      logAsJson: sources.logAsJson,
      xdsType: delta ? 'DELTA_GRPC' : 'GRPC',
      metadataDiscovery: discovery && delta,
      runtime: runtimeFlags({ ...sources, config: proxy }),
      connectionLimit: connectionLimit(proxy),
      stats,
      services,
      statsCompression: proxy['statsCompression'] !== false,
      metricsLocalhostOnly: proxyMetadata['METRICS_LOCALHOST_ACCESS_ONLY'] === 'true',
      statusProxyProtocol: sources.statusProxyProtocol,
      selfDiscovery: node.metadata['ENABLE_SELF_DISCOVERY'] === 'true',
      filesSocket: sources.filesSocket,
      loadStats: loadStats === undefined ? undefined : parseObject(loadStats),
    },
    problems,
    warnings: [...warnings, ...lostDiscovery],
  };
}
