// Fairway's own default bootstrap, as a data structure. What it means is what Istio's means, since istiod's configuration builds on it;
// `test/agree` compares both. Listeners, clusters and counters are in files of their own.
import type { JsonObject, JsonValue } from '../std/json.ts';
import { staticClusters } from './clusters.ts';
import { staticListeners } from './listeners.ts';
import type { BootstrapParameters } from './parameters.ts';
import { extension, givenAddress } from './pieces.ts';
import { statsConfig } from './stats-config.ts';
import { statsSinks, tracing } from './telemetry.ts';

/** The whole bootstrap, as JSON. */
export function defaultBootstrap(parameters: BootstrapParameters): JsonObject {
  const { node, cluster, runtime, stats, connectionLimit } = parameters;
  return {
    application_log_config: { log_format: logFormat(parameters) },
    node: { id: node.id, cluster, locality: { ...node.locality }, metadata: node.metadata },
    layered_runtime: {
      layers: [
        { name: 'global config', static_layer: runtime },
        { name: 'admin', admin_layer: {} },
      ],
    },
    bootstrap_extensions: extensions(parameters),
    ...(stats.flushMs === undefined ? {} : { stats_flush_interval: seconds(stats.flushMs) }),
    ...(stats.evictionMs === undefined ? {} : { stats_eviction_interval: seconds(stats.evictionMs) }),
    stats_config: statsConfig(parameters),
    admin: admin(parameters),
    dynamic_resources: dynamicResources(parameters),
    static_resources: { clusters: staticClusters(parameters), listeners: staticListeners(parameters) },
    overload_manager: overload(connectionLimit),
    ...tracing(parameters),
    ...statsSinks(parameters),
    ...clusterManager(parameters),
    deferred_stat_options: { enable_deferred_creation_stats: true },
  };
}

function seconds(ms: number): string {
  return `${ms / 1000}s`;
}

const logTime = '%Y-%m-%dT%T.%fZ';

/** As the agent's own log, so that both can be read as one. */
function logFormat({ logAsJson }: BootstrapParameters): JsonObject {
  if (!logAsJson) return { text_format: `${logTime}\t%l\tenvoy %n %g:%#\t%v\tthread=%t` };
  return {
    json_format: { time: logTime, level: '%l', scope: 'envoy %n', msg: '%j', caller: '%g:%#', thread: '%t' },
  };
}

/** As untyped messages: an Envoy without Istio's extensions then says so when they are used. */
function extensions({ metadataDiscovery }: BootstrapParameters): JsonValue[] {
  const discovery = untyped('metadata_discovery', 'istio.workload.BootstrapExtension', { config_source: { ads: {} } });
  const internal = 'envoy.bootstrap.internal_listener';
  const type = 'envoy.extensions.bootstrap.internal_listener.v3.InternalListener';
  return [...(metadataDiscovery ? [discovery] : []), untyped(internal, type, { buffer_size_kb: 64 })];
}

function untyped(name: string, type: string, value: JsonObject): JsonObject {
  return extension(name, 'udpa.type.v1.TypedStruct', { type_url: `type.googleapis.com/${type}`, value });
}

function admin({ family, config }: BootstrapParameters): JsonObject {
  const log = 'envoy.extensions.access_loggers.file.v3.FileAccessLog';
  return {
    access_log: [extension('envoy.access_loggers.file', log, { path: '/dev/null' })],
    profile_path: '/var/lib/istio/data/envoy.prof',
    address: givenAddress({ address: family.localhost, port: config.adminPort }),
  };
}

/** Waits for istiod as long as it takes: readiness tells meanwhile. */
function dynamicResources({ xdsType }: BootstrapParameters): JsonObject {
  const overAds = (): JsonObject => ({ ads: {}, initial_fetch_timeout: '0s', resource_api_version: 'V3' });
  return {
    lds_config: overAds(),
    cds_config: overAds(),
    ads_config: {
      api_type: xdsType,
      set_node_on_first_message_only: true,
      transport_api_version: 'V3',
      grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }],
    },
  };
}

function overload(connections: number): JsonObject {
  const name = 'envoy.resource_monitors.global_downstream_max_connections';
  const type = 'envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig';
  return { resource_monitors: [extension(name, type, { max_active_downstream_connections: connections })] };
}

function clusterManager({ node, selfDiscovery, loadStats }: BootstrapParameters): JsonObject {
  // What the flag says; a variable of that name is told to istiod only.
  const outlierLog = node.known.has('OUTLIER_LOG_PATH') ? (node.metadata['OUTLIER_LOG_PATH'] ?? '') : '';
  if (outlierLog === '' && !selfDiscovery && loadStats === undefined) return {};
  return {
    cluster_manager: {
      ...(selfDiscovery ? { local_cluster_name: 'local_cluster' } : {}),
      ...(outlierLog === '' ? {} : { outlier_detection: { event_log_path: outlierLog } }),
      ...(loadStats === undefined ? {} : { load_stats_config: loadStats }),
      enable_deferred_cluster_creation: true,
    },
  };
}
