// Static listeners of a bootstrap: metrics, readiness, and metrics with mutual TLS. They answer whatever the load: the overload manager
// and the limit of connections pass them by.
import type { JsonObject } from '../std/json.ts';
import type { BootstrapParameters } from './parameters.ts';
import { extension, socketAddress } from './pieces.ts';
import { sdsSecret } from './tls.ts';

/** Every listener, in a fixed order. */
export function staticListeners(parameters: BootstrapParameters): JsonObject[] {
  const port = (name: string): number => Number(parameters.node.metadata[name] ?? 0);
  const [secure, merged] = [port('ENVOY_SECURE_METRICS_PORT'), port('ENVOY_SECURE_MERGED_METRICS_PORT')];
  const { wildcard } = parameters.family;
  return [
    metricsListener(parameters, port('ENVOY_PROMETHEUS_PORT')),
    ...(secure === 0 ? [] : [secureListener(wildcard, secure, { prefix: 'secure_stats', routes: [toEnvoy] })]),
    ...(merged === 0
      ? []
      : [secureListener(wildcard, merged, { prefix: 'secure_merged_stats', routes: mergedRoutes })]),
    statusListener(parameters, port('ENVOY_STATUS_PORT')),
  ];
}

function route(prefix: string, cluster: string): JsonObject {
  return { match: { prefix }, route: { cluster } };
}

const toEnvoy = route('/stats/prometheus', 'prometheus_stats');
const mergedRoutes = [route('/stats/prometheus', 'agent'), route('/metrics', 'agent')];

/** Name and address; with dual stack the other family's address too. */
function onPort(address: string, other: string | undefined, port: number): JsonObject {
  return {
    name: `${address}_${port}`,
    address: socketAddress(address, port),
    ignore_global_conn_limit: true,
    bypass_overload_manager: true,
    ...(other === undefined ? {} : { additionalAddresses: [{ address: socketAddress(other, port) }] }),
  };
}

function metricsListener(
  { family, metricsLocalhostOnly, statsCompression }: BootstrapParameters,
  port: number,
): JsonObject {
  const side = metricsLocalhostOnly ? 'localhost' : 'wildcard';
  const filters = statsCompression ? (['brotli', 'zstd', 'gzip'] as const).map(compressor) : [];
  return {
    ...onPort(family[side], family.other?.[side], port),
    filter_chains: [{ filters: [httpManager({ prefix: 'stats', routes: [toEnvoy], filters })] }],
  };
}

function statusListener({ family, statusProxyProtocol }: BootstrapParameters, port: number): JsonObject {
  const type = 'envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol';
  const filter = extension('envoy.listener.proxy_protocol', type, { allow_requests_without_proxy_protocol: true });
  const ready = { prefix: 'agent', routes: [route('/healthz/ready', 'agent')] };
  return {
    ...onPort(family.wildcard, family.other?.wildcard, port),
    ...(statusProxyProtocol ? { listener_filters: [filter] } : {}),
    filter_chains: [{ filters: [httpManager(ready)] }],
  };
}

function secureListener(wildcard: string, port: number, http: Http): JsonObject {
  const inspector = 'envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector';
  return {
    ...onPort(wildcard, undefined, port),
    listener_filters: [extension('envoy.filters.listener.tls_inspector', inspector)],
    filter_chains: [
      {
        filter_chain_match: { transport_protocol: 'tls' },
        transport_socket: mutualTls(),
        filters: [httpManager(http)],
      },
    ],
  };
}

/** Waits for its secrets no longer than Envoy does by itself: a port without a certificate must not hold back the start. */
function mutualTls(): JsonObject {
  const type = 'envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext';
  return extension('envoy.transport_sockets.tls', type, {
    require_client_certificate: true,
    common_tls_context: {
      tls_certificate_sds_secret_configs: [impatient('default')],
      combined_validation_context: {
        default_validation_context: {},
        validation_context_sds_secret_config: impatient('ROOTCA'),
      },
    },
  });
}

function impatient(name: string): JsonObject {
  const { initial_fetch_timeout: _, ...source } = sdsSecret(name)['sds_config'] as JsonObject;
  return { name, sds_config: source };
}

interface Http {
  readonly prefix: string;
  readonly routes: readonly JsonObject[];
  readonly filters?: readonly JsonObject[];
}

function httpManager({ prefix, routes, filters = [] }: Http): JsonObject {
  const type = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
  return extension('envoy.filters.network.http_connection_manager', type, {
    codec_type: 'AUTO',
    stat_prefix: prefix,
    route_config: { virtual_hosts: [{ name: 'backend', domains: ['*'], routes: [...routes] }] },
    http_filters: [
      ...filters,
      extension('envoy.filters.http.router', 'envoy.extensions.filters.http.router.v3.Router'),
    ],
  });
}

const metricsTypes = [
  'text/plain',
  'application/vnd.google.protobuf',
  'application/openmetrics-text',
  'application/openmetrics-protobuf',
];

function compressor(method: 'brotli' | 'zstd' | 'gzip'): JsonObject {
  const library = `envoy.extensions.compression.${method}.compressor.v3.${method[0]?.toUpperCase()}${method.slice(1)}`;
  const type = 'envoy.extensions.filters.http.compressor.v3.Compressor';
  return extension(`envoy.filters.http.compressor.${method}`, type, {
    compressor_library: extension(`stats_${method}`, library),
    response_direction_config: { common_config: { content_type: metricsTypes } },
  });
}
