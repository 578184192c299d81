// A bootstrap from a Go template: Istio's own file, or a user's. Owns the names that such a template sees, which are those of Istio's
// pkg/bootstrap/option, and the functions that it may call: sprig's, `toJSON` and `env`.
import {
  GoFunction,
  GoStruct,
  goJson,
  parseTemplate,
  StringMap,
  type StructType,
  sprig,
  type Value,
} from '../gotemplate/index.ts';
import { messageStruct } from '../gotypes/index.ts';
import { meshType } from '../mesh/index.ts';
import { formatDuration } from '../std/duration.ts';
import { isObject, type JsonObject, type JsonValue, objectAt } from '../std/json.ts';
import type { HostPort } from './addresses.ts';
import type { BootstrapParameters } from './parameters.ts';
import type { Keepalive, RemoteService } from './services.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The text of a template over the parameters. @throws GoTemplateError */
export function renderBootstrap(source: string, parameters: BootstrapParameters, env: Env): string {
  const functions = {
    ...sprig,
    toJSON: new GoFunction(['any'], undefined, ([value]) => goJson(value) ?? '{}'),
    env: new GoFunction(['string'], undefined, ([name]) => env[name as string] ?? ''),
  };
  return parseTemplate(source, { name: 'bootstrap', functions }).render(templateData(parameters));
}

/** Every name that a template can see; what does not apply is not there. */
function templateData(parameters: BootstrapParameters): Value {
  return Object.fromEntries(
    Object.entries({
      ...ofNode(parameters),
      ...ofStats(parameters),
      ...ofFamily(parameters),
      ...ofServices(parameters),
    })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value ?? null]),
  );
}

type Names = Readonly<Record<string, Value>>;

function ofNode(parameters: BootstrapParameters): Names {
  const { node, config, type, cluster } = parameters;
  const { metadata, locality } = node;
  return {
    nodeID: node.id,
    nodeType: type,
    cluster,
    config: messageStruct(meshType('ProxyConfig'), config.raw),
    metadata: new GoStruct(metadataType, metadata),
    meta_json_str: goJson(metadata) ?? '{}',
    ...locality,
    ...ofIstiod(parameters),
    workload_identity_socket_file: text(metadata['WORKLOAD_IDENTITY_SOCKET_FILE']) ?? '',
    log_json: parameters.logAsJson,
    metadata_discovery: parameters.metadataDiscovery,
    custom_file_path: parameters.filesSocket,
    outlier_log_path: node.known.has('OUTLIER_LOG_PATH') ? text(metadata['OUTLIER_LOG_PATH']) : undefined,
    enable_self_discovery: parameters.selfDiscovery || undefined,
    load_stats_config_json_str: text(node.raw['LOAD_STATS_CONFIG_JSON']),
    runtime_flags: goJson(parameters.runtime) ?? '{}',
    global_downstream_max_connections: BigInt(parameters.connectionLimit),
  };
}

function ofIstiod({ config, node, xdsType }: BootstrapParameters): Names {
  const sans = Array.isArray(node.metadata['PILOT_SAN']) ? node.metadata['PILOT_SAN'] : [];
  const platform = objectAt(node.metadata, 'PLATFORM_METADATA');
  return {
    discovery_address: config.discoveryAddress,
    discovery_host: config.discoveryAddress.split(':')[0] ?? '',
    pilot_grpc_address: addressText(splitAddress(config.discoveryAddress)),
    pilot_SAN: `[${sans.map((exact) => `{"exact":${goJson(exact)}}`).join(',')}]`,
    gcp_project_id: text(platform['gcp_project']),
    gcp_project_number: text(platform['gcp_project_number']),
    xds_type: xdsType,
    xds_root_cert: '',
  };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function ofStats({ stats, node, ...parameters }: BootstrapParameters): Names {
  const port = (name: string): bigint | undefined => {
    const number = Number(node.metadata[name] ?? 0);
    return number === 0 ? undefined : BigInt(number);
  };
  const list = (items: readonly string[]): Value => (items.length === 0 ? undefined : items);
  return {
    inclusionPrefix: list(stats.prefixes),
    inclusionSuffix: list(stats.suffixes),
    inclusionRegexps: list(stats.regexps),
    extraStatTags: list(stats.extraTags),
    histogram_buckets: stats.buckets.map(({ prefix, buckets }) => ({ match: { prefix }, buckets })),
    stats_flush_interval: stats.flushMs === undefined ? undefined : formatDuration(stats.flushMs),
    stats_eviction_interval: stats.evictionMs === undefined ? undefined : `${stats.evictionMs / 1000}s`,
    envoy_status_port: port('ENVOY_STATUS_PORT') ?? 0n,
    envoy_prometheus_port: port('ENVOY_PROMETHEUS_PORT') ?? 0n,
    secure_metrics_port: port('ENVOY_SECURE_METRICS_PORT'),
    secure_merged_metrics_port: port('ENVOY_SECURE_MERGED_METRICS_PORT'),
    envoy_metrics_stats_compression: parameters.statsCompression,
    metrics_localhost_access_only: parameters.metricsLocalhostOnly,
    envoy_status_port_enable_proxy_protocol: parameters.statusProxyProtocol || undefined,
  };
}

function ofFamily({ family }: BootstrapParameters): Names {
  return {
    localhost: family.localhost,
    wildcard: family.wildcard,
    dns_lookup_family: family.dnsLookupFamily,
    dual_stack: family.other === undefined ? undefined : true,
    additional_localhost: family.other?.localhost,
    additional_wildcard: family.other?.wildcard,
  };
}

function ofServices({ services: { tracer, metrics, accessLog, statsd } }: BootstrapParameters): Names {
  return {
    ...(tracer === undefined ? {} : { [tracer.kind]: addressText(tracer.address), tracing_tls: json(tracer.tls) }),
    lightstepToken: tracer?.kind === 'lightstep' ? tracer.tokenFile : undefined,
    ...ofRemote('envoy_metrics_service', metrics),
    ...ofRemote('envoy_accesslog_service', accessLog),
    statsd: addressText(statsd),
  };
}

function ofRemote(name: string, service: RemoteService | undefined): Names {
  return {
    [`${name}_address`]: addressText(service?.address),
    [`${name}_tls`]: json(service?.tls),
    [`${name}_tcp_keepalive`]: service?.keepalive === undefined ? undefined : json(keepaliveOf(service.keepalive)),
  };
}

function keepaliveOf({ probes, timeSeconds, intervalSeconds }: Keepalive): JsonObject {
  const times = { keepalive_probes: probes, keepalive_time: timeSeconds, keepalive_interval: intervalSeconds };
  return { tcp_keepalive: Object.fromEntries(Object.entries(times).filter(([, value]) => value > 0)) };
}

function json(value: JsonObject | undefined): string | undefined {
  return value === undefined ? undefined : goJson(value);
}

function addressText(given: HostPort | undefined): string | undefined {
  return given === undefined ? undefined : `{"address": "${given.address}", "port_value": ${given.port}}`;
}

function splitAddress(address: string): HostPort | undefined {
  const at = address.lastIndexOf(':');
  return at < 0 ? undefined : { address: address.slice(0, at), port: Number(address.slice(at + 1)) };
}

/** Go's names of the metadata's fields, where they are not the JSON name in camel case. */
const goNames: Readonly<Record<string, string>> = {
  InstanceName: 'NAME',
  InstanceIPs: 'INSTANCE_IPS',
  MeshID: 'MESH_ID',
  ClusterID: 'CLUSTER_ID',
  PilotSubjectAltName: 'PILOT_SAN',
  IstioProxySHA: 'ISTIO_PROXY_SHA',
  HTTPProxyPort: 'HTTP_PROXY_PORT',
  EnableHBONE: 'ENABLE_HBONE',
  DisableHBONESend: 'DISABLE_HBONE_SEND',
  DNSCapture: 'DNS_CAPTURE',
  DNSAutoAllocate: 'DNS_AUTO_ALLOCATE',
  DNSProxyAddr: 'DNS_PROXY_ADDR',
  CertBaseDir: 'BASE',
  AutoRegisterGroup: 'AUTO_REGISTER_GROUP',
};

const metadataType: StructType = {
  name: '*model.BootstrapNodeMetadata',
  field: (data, name) => {
    if (name === 'ProxyConfig')
      return { value: messageStruct(meshType('ProxyConfig'), data['PROXY_CONFIG'] as JsonObject) };
    const key = goNames[name] ?? name.replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_').toUpperCase();
    const value = data[key] as JsonValue | undefined;
    return { value: isObject(value) ? new StringMap(value as Record<string, string>) : fieldValue(value) };
  },
};

function fieldValue(value: JsonValue | undefined): Value {
  if (typeof value === 'number') return BigInt(value);
  if (value === 'true' || value === 'false') return value === 'true';
  return value ?? '';
}
