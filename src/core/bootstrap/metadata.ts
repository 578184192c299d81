// The metadata that a node tells istiod about itself: what the environment says (ISTIO_META_*, ISTIO_METAJSON_*), over it what the agent
// knows for sure. Owns names, kinds and order of precedence; the names are those of Istio's pkg/model/proxy.go and never change.
import type { Problem } from '../std/errors.ts';
import { isObject, type JsonObject, type JsonValue, parseObject, put } from '../std/json.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Values as given: unknown names are told to istiod as they are. */
export interface RawMetadata {
  readonly raw: JsonObject;
  /** Variables that hold no JSON object; they are left out. */
  readonly warnings: readonly string[];
}

const prefix = 'ISTIO_META_';
const jsonPrefix = 'ISTIO_METAJSON_';

/** ProxyConfig's metadata, over it the environment's texts, over those its objects, whose own names do not matter. */
export function rawMetadata(env: Env, proxyMetadata: Readonly<Record<string, string>>): RawMetadata {
  const raw: JsonObject = {};
  const warnings: string[] = [];
  for (const from of [proxyMetadata, env])
    for (const [name, value] of Object.entries(from))
      if (name.startsWith(prefix) && value !== undefined) put(raw, name.slice(prefix.length), value);
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(jsonPrefix) || value === undefined) continue;
    const object = parseObject(value);
    if (object === undefined) warnings.push(`${name} holds no JSON object`);
    else for (const [key, inner] of Object.entries(object)) put(raw, key, inner);
  }
  const dns = env['DNS_PROXY_ADDR'] ?? '';
  if (dns !== '') raw['DNS_PROXY_ADDR'] = dns;
  return { raw, warnings };
}

type Kind = 'text' | 'truth' | 'list' | 'ports' | 'map' | 'number';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const truths = words(`
  ENABLE_SELF_DISCOVERY DNS_CAPTURE DNS_AUTO_ALLOCATE ENABLE_HBONE DISABLE_HBONE_SEND
  EXIT_ON_ZERO_ACTIVE_CONNECTIONS INBOUND_LISTENER_EXACT_BALANCE OUTBOUND_LISTENER_EXACT_BALANCE
  METADATA_DISCOVERY ENVOY_SKIP_DEPRECATED_LOGS
`);
const texts = words(`
  NAME NAMESPACE OWNER APP_CONTAINERS ISTIO_PROXY_SHA ISTIO_VERSION ISTIO_REVISION NODE_NAME WORKLOAD_NAME
  INTERCEPTION_MODE SERVICE_ACCOUNT HTTP_PROXY_PORT MESH_ID CLUSTER_ID NETWORK TLS_SERVER_CERT_CHAIN
  TLS_SERVER_KEY TLS_SERVER_ROOT_CERT TLS_CLIENT_CERT_CHAIN TLS_CLIENT_KEY TLS_CLIENT_ROOT_CERT BASE
  IDLE_TIMEOUT HTTP10 GENERATOR DNS_PROXY_ADDR AUTO_REGISTER_GROUP WORKLOAD_ENTRY UNPRIVILEGED_POD
  STS_PORT CLOUDRUN_ADDR WORKLOAD_IDENTITY_SOCKET_FILE OUTLIER_LOG_PATH
`);
const ofKind = (kind: Kind, names: readonly string[]): readonly (readonly [string, Kind])[] =>
  names.map((name) => [name, kind] as const);

const kinds: ReadonlyMap<string, Kind> = new Map([
  ...ofKind('text', texts),
  ...ofKind('truth', truths),
  ...ofKind('list', ['INSTANCE_IPS', 'REQUESTED_NETWORK_VIEW']),
  ...ofKind('map', ['LABELS', 'STATIC_LABELS', 'ANNOTATIONS', 'PLATFORM_METADATA']),
  ...ofKind('number', [
    'ENVOY_STATUS_PORT',
    'ENVOY_PROMETHEUS_PORT',
    'ENVOY_SECURE_METRICS_PORT',
    'ENVOY_SECURE_MERGED_METRICS_PORT',
  ]),
  ['POD_PORTS', 'ports'],
]);

/** The known names of what was given, in the form that istiod reads; a value of a wrong kind is a problem. */
export function typedMetadata(raw: JsonObject): { readonly typed: JsonObject; readonly problems: readonly Problem[] } {
  const typed: JsonObject = {};
  const problems: Problem[] = [];
  for (const [name, kind] of kinds) {
    const given = raw[name];
    if (given === undefined || given === null) continue;
    const value = valueOf(kind, given);
    if (value === undefined) problems.push(wrong(name, kind, given));
    else if (value !== '' && !(kind === 'truth' && value === 'false')) typed[name] = value;
  }
  return { typed, problems };
}

const wanted: Readonly<Record<Kind, string>> = {
  text: 'a text',
  truth: 'true or false as a text',
  list: 'a text, separated by commas',
  ports: 'a JSON list of ports as a text',
  map: 'a map of texts',
  number: 'a number',
};

function wrong(name: string, kind: Kind, given: JsonValue): Problem {
  const message = `${prefix}${name}: ${JSON.stringify(given).slice(0, 80)} is not ${wanted[kind]}`;
  return { code: 'node-metadata-invalid', severity: 'error', message };
}

/** Undefined: not of the kind. */
function valueOf(kind: Kind, given: JsonValue): JsonValue | undefined {
  switch (kind) {
    case 'text':
    case 'list':
      return typeof given === 'string' ? given : undefined;
    case 'truth':
      return typeof given === 'string' ? truthOf(given) : undefined;
    case 'ports':
      return typeof given === 'string' ? portsOf(given) : undefined;
    case 'map':
      return isObject(given) && Object.values(given).every((value) => typeof value === 'string') ? given : undefined;
    case 'number':
      return typeof given === 'number' && Number.isInteger(given) ? given : undefined;
  }
}

function truthOf(text: string): string | undefined {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return 'true';
  return /^(?:0|f|F|false|FALSE|False)$/.test(text) ? 'false' : undefined;
}

/** A list of ports, each with the three fields that istiod reads; as text, which is what istiod expects. */
function portsOf(text: string): string | undefined {
  const list = parseObject(`{"ports":${text}}`)?.['ports'];
  if (!Array.isArray(list)) return undefined;
  const ports = list.map((port) => (isObject(port) ? portOf(port) : undefined));
  return ports.includes(undefined) ? undefined : ports.length === 0 ? '' : JSON.stringify(ports);
}

function portOf({ name = '', containerPort = 0, protocol = '' }: JsonObject): JsonObject | undefined {
  if (typeof name !== 'string' || typeof protocol !== 'string' || typeof containerPort !== 'number') return undefined;
  return { ...(name === '' ? {} : { name }), containerPort, protocol };
}
