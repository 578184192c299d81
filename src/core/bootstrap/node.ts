// The node that an agent introduces to istiod: id, metadata, locality. Pure: files, environment and platform are given.
import type { ProxyConfig } from '../proxy/index.ts';
import type { Problem } from '../std/errors.ts';
import { type JsonObject, parseObject, textAt, textsAt } from '../std/json.ts';
import { type Locality, localityLabel, localityOf } from './locality.ts';
import { rawMetadata, typedMetadata } from './metadata.ts';

type Texts = Readonly<Record<string, string>>;

/** What a cloud tells of the machine; undefined fields where there is no cloud. */
export interface Platform {
  readonly metadata: Texts;
  readonly locality: Locality;
  /** Labels of the machine; they count outside of Kubernetes only. */
  readonly labels: Texts;
  readonly isKubernetes: boolean;
}

export const noPlatform: Platform = { metadata: {}, locality: {}, labels: {}, isKubernetes: true };

export interface NodeIdentity {
  readonly type: string;
  readonly podName: string;
  readonly podNamespace: string;
  /** Empty: `NAMESPACE.svc.cluster.local`. */
  readonly domain: string;
  /** The pod's own address first. */
  readonly addresses: readonly string[];
}

export interface NodeSources {
  readonly identity: NodeIdentity;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: ProxyConfig;
  /** Of the pod, by the downward API; undefined: no such file. */
  readonly labels: Texts | undefined;
  readonly annotations: Texts | undefined;
  readonly platform: Platform;
  readonly ports: {
    readonly status: number;
    readonly prometheus: number;
    readonly secureMetrics: number;
    readonly secureMergedMetrics: number;
  };
  readonly exitOnZero: boolean;
  /** Undefined: as HBONE is. */
  readonly metadataDiscovery: boolean | undefined;
  readonly skipDeprecatedLogs: boolean;
  /** File name below ./var/run/secrets/workload-spiffe-uds. */
  readonly socketFile: string;
  readonly outlierLogPath: string;
  /** Another program serves certificates by name. */
  readonly credentialSocket: boolean;
  /** Another program serves the workload's certificate, so the agent serves files on a socket of its own. */
  readonly servesFilesOnly: boolean;
}

export interface Node {
  readonly id: string;
  /** As istiod reads it. */
  readonly metadata: JsonObject;
  /** What the environment gave, unchecked. */
  readonly raw: JsonObject;
  /** Names of the metadata that istiod knows. */
  readonly known: ReadonlySet<string>;
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly locality: Locality;
}

export interface NodeReading {
  readonly node: Node;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** `type~address~pod.namespace~domain`, the id that istiod takes apart. */
export function nodeId({ type, podName, podNamespace, domain, addresses }: NodeIdentity): string {
  return [type, addresses[0] ?? '', `${podName}.${podNamespace}`, domainOf({ podNamespace, domain })].join('~');
}

export function domainOf({ podNamespace, domain }: Pick<NodeIdentity, 'podNamespace' | 'domain'>): string {
  return domain === '' ? `${podNamespace}.svc.cluster.local` : domain;
}

/** The node of these sources. Problems are values that istiod would not understand. */
export function nodeOf(sources: NodeSources): NodeReading {
  const { raw, warnings } = rawMetadata(sources.env, sources.config.proxyMetadata);
  const { typed, problems } = typedMetadata(raw);
  const statics = staticLabels(sources, typed);
  const labels = labelsOf(sources, { typed, statics: statics.labels });
  const warned = [...warnings, ...statics.warnings];
  return { node: assemble(sources, { raw, typed, labels, statics: statics.labels }), problems, warnings: warned };
}

interface Gathered {
  readonly raw: JsonObject;
  readonly typed: JsonObject;
  readonly labels: Texts;
  readonly statics: Texts;
}

function assemble(sources: NodeSources, { raw, typed, labels, statics }: Gathered): Node {
  const place = localityLabel(labels);
  const placed = place === undefined ? labels : { ...labels, 'istio-locality': place };
  const annotations = { ...textsAt(typed, 'ANNOTATIONS'), ...sources.annotations };
  // Without labels of a pod the static ones are all there are, and tell the same place.
  const fixed = sources.labels === undefined && Object.hasOwn(statics, 'istio-locality') ? placed : statics;
  const maps = { LABELS: placed, STATIC_LABELS: fixed, ANNOTATIONS: annotations };
  const known = withoutEmpty({ ...typed, ...facts(sources, typed), ...maps });
  const secrets = {
    ...(sources.credentialSocket ? { credential: 'true' } : {}),
    ...(sources.servesFilesOnly ? { 'file-credential': 'true' } : {}),
  };
  return {
    id: nodeId(sources.identity),
    metadata: { ...raw, ...secrets, ...known },
    raw,
    known: new Set(Object.keys(known)),
    labels: placed,
    annotations,
    locality: place === undefined ? sources.platform.locality : localityOf(place),
  };
}

/** What the agent knows for sure; an empty value takes the name away from what was given. */
function facts({ identity, env, config, platform, ports, ...sources }: NodeSources, typed: JsonObject): JsonObject {
  const discovery = sources.metadataDiscovery ?? typed['ENABLE_HBONE'] === 'true';
  return {
    ISTIO_VERSION: textAt(typed, 'ISTIO_VERSION') ?? 'unknown',
    NAME: env['POD_NAME'] ?? typed['NAME'] ?? '',
    NAMESPACE: env['POD_NAMESPACE'] ?? typed['NAMESPACE'] ?? '',
    SERVICE_ACCOUNT: env['SERVICE_ACCOUNT'] ?? typed['SERVICE_ACCOUNT'] ?? '',
    INSTANCE_IPS: [...new Set(identity.addresses)].join(','),
    PROXY_CONFIG: config.raw,
    PILOT_SAN: pilotSan(config),
    PLATFORM_METADATA: { ...platform.metadata },
    ENVOY_STATUS_PORT: ports.status,
    ENVOY_PROMETHEUS_PORT: ports.prometheus,
    ENVOY_SECURE_METRICS_PORT: ports.secureMetrics,
    ENVOY_SECURE_MERGED_METRICS_PORT: ports.secureMergedMetrics,
    EXIT_ON_ZERO_ACTIVE_CONNECTIONS: sources.exitOnZero ? 'true' : '',
    METADATA_DISCOVERY: String(discovery),
    ENVOY_SKIP_DEPRECATED_LOGS: sources.skipDeprecatedLogs ? 'true' : '',
    WORKLOAD_IDENTITY_SOCKET_FILE: sources.socketFile,
    OUTLIER_LOG_PATH: sources.outlierLogPath,
  };
}

/** The name in istiod's certificate; none is asked for without mutual TLS. */
function pilotSan({ raw, discoveryAddress }: ProxyConfig): string[] {
  const host = discoveryAddress.split(':')[0] ?? '';
  // Istiod on this machine, for whoever develops it, still has its usual certificate.
  const name = host === 'localhost' ? 'istiod.istio-system.svc' : host;
  return raw['controlPlaneAuthPolicy'] === 'MUTUAL_TLS' ? [name] : [];
}

interface StaticLabels {
  readonly labels: Texts;
  readonly warnings: readonly string[];
}

function staticLabels({ env, platform }: NodeSources, typed: JsonObject): StaticLabels {
  const text = env['ISTIO_METAJSON_LABELS'];
  const given = text === undefined ? {} : parseObject(text);
  const sound = given !== undefined && Object.values(given).every((value) => typeof value === 'string');
  const own = sound && Object.keys(given).length > 0 ? (given as Texts) : textsAt(typed, 'STATIC_LABELS');
  const labels = platform.isKubernetes ? own : { ...own, ...platform.labels };
  return { labels, warnings: sound ? [] : ['ISTIO_METAJSON_LABELS is not a map of texts'] };
}

/** The pod's own labels win; its hash says nothing that lasts. */
function labelsOf(
  { labels, env }: NodeSources,
  { typed, statics }: { readonly typed: JsonObject; readonly statics: Texts },
): Texts {
  if (labels === undefined) return env['ISTIO_METAJSON_LABELS'] === undefined ? textsAt(typed, 'LABELS') : statics;
  const { 'pod-template-hash': _, ...rest } = labels;
  return { ...statics, ...rest };
}

function withoutEmpty(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) =>
        value !== '' &&
        value !== 0 &&
        !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
    ),
  );
}
