// Static clusters of a bootstrap: Envoy's own metrics, the agent, the two sockets of the agent, and services that ProxyConfig names.
import { type JsonObject, textAt } from '../std/json.ts';
import type { BootstrapParameters } from './parameters.ts';
import { assignment, givenAddress, http2Only, pipe, socketAddress } from './pieces.ts';
import type { Keepalive, RemoteService, Tracer } from './services.ts';

const identityFolder = './var/run/secrets/workload-spiffe-uds';

/** Every cluster, in a fixed order. */
export function staticClusters(parameters: BootstrapParameters): JsonObject[] {
  const { family, config, node, filesSocket, services, selfDiscovery } = parameters;
  const socket = `${identityFolder}/${textAt(node.metadata, 'WORKLOAD_IDENTITY_SOCKET_FILE') ?? 'socket'}`;
  const remote = (name: string, service: RemoteService | undefined): JsonObject[] =>
    service === undefined ? [] : [remoteCluster(name, service, parameters)];
  return [
    local('prometheus_stats', socketAddress(family.localhost, config.adminPort)),
    local('agent', socketAddress(family.localhost, config.statusPort)),
    ofAgent('sds-grpc', socket),
    ...(filesSocket === undefined ? [] : [ofAgent('sds-files-grpc', filesSocket)]),
    xdsCluster(config.configPath),
    ...(services.tracer === undefined ? [] : [tracerCluster(services.tracer, parameters)]),
    ...remote('envoy_metrics_service', services.metrics),
    ...remote('envoy_accesslog_service', services.accessLog),
    ...(selfDiscovery ? [selfCluster()] : []),
  ];
}

/** The semicolon ends the name in counters, for the tag that takes it out of them. */
function named(name: string, type: string): JsonObject {
  return { name, alt_stat_name: `${name};`, type };
}

function local(name: string, address: JsonObject): JsonObject {
  return {
    ...named(name, 'STATIC'),
    connect_timeout: '0.250s',
    lb_policy: 'ROUND_ROBIN',
    load_assignment: assignment(name, address),
  };
}

function ofAgent(name: string, path: string): JsonObject {
  return {
    ...named(name, 'STATIC'),
    typed_extension_protocol_options: http2Only,
    connect_timeout: '1s',
    lb_policy: 'ROUND_ROBIN',
    load_assignment: assignment(name, pipe(path)),
  };
}

/** A connection each stream: a new stream to istiod must not meet the end of an old one. */
function xdsCluster(configPath: string): JsonObject {
  const many = 100_000;
  const limits = { max_connections: many, max_pending_requests: many, max_requests: many };
  return {
    ...ofAgent('xds-grpc', `${configPath}/XDS`),
    circuit_breakers: {
      thresholds: [
        { priority: 'DEFAULT', ...limits },
        { priority: 'HIGH', ...limits },
      ],
    },
    upstream_connection_options: { tcp_keepalive: { keepalive_time: 300 } },
    max_requests_per_connection: 1,
  };
}

const tracerNames = { zipkin: 'zipkin', lightstep: 'lightstep', datadog: 'datadog_agent' } as const;

function tracerCluster({ kind, address, tls }: Tracer, parameters: BootstrapParameters): JsonObject {
  return {
    ...resolved(tracerNames[kind], { address, tls }, parameters),
    ...(kind === 'zipkin' ? { dns_refresh_rate: '30s' } : {}),
    ...(kind === 'lightstep' ? { typed_extension_protocol_options: http2Only } : {}),
  };
}

function remoteCluster(name: string, service: RemoteService, parameters: BootstrapParameters): JsonObject {
  const { keepalive } = service;
  return {
    ...resolved(name, service, parameters),
    ...(keepalive === undefined ? {} : { upstream_connection_options: { tcp_keepalive: keepaliveOf(keepalive) } }),
    typed_extension_protocol_options: http2Only,
  };
}

function resolved(
  name: string,
  { address, tls }: Pick<RemoteService, 'address' | 'tls'>,
  { family }: BootstrapParameters,
): JsonObject {
  return {
    ...named(name, 'STRICT_DNS'),
    ...(tls === undefined ? {} : { transport_socket: tls }),
    respect_dns_ttl: true,
    dns_lookup_family: family.dnsLookupFamily,
    connect_timeout: '1s',
    lb_policy: 'ROUND_ROBIN',
    load_assignment: assignment(name, givenAddress(address)),
  };
}

function keepaliveOf({ probes, timeSeconds, intervalSeconds }: Keepalive): JsonObject {
  return {
    ...(probes > 0 ? { keepalive_probes: probes } : {}),
    ...(timeSeconds > 0 ? { keepalive_time: timeSeconds } : {}),
    ...(intervalSeconds > 0 ? { keepalive_interval: intervalSeconds } : {}),
  };
}

/** The proxy's own service, for routing that prefers its zone. */
function selfCluster(): JsonObject {
  const name = 'local_cluster';
  const leastRequest = 'envoy.load_balancing_policies.least_request';
  const typed = {
    '@type': 'type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest',
    locality_lb_config: { zone_aware_lb_config: { min_cluster_size: '1' } },
  };
  return {
    ...named(name, 'EDS'),
    connect_timeout: '1s',
    load_balancing_policy: { policies: [{ typed_extension_config: { name: leastRequest, typed_config: typed } }] },
    eds_cluster_config: { eds_config: { ads: {}, resource_api_version: 'V3' }, service_name: name },
  };
}
