// Istio's mesh and proxy configuration: its defaults, how YAML is applied on top (whole fields, metadata key by key), and the JSON
// that PROXY_CONFIG carries. Data is kept as JSON with only what differs from a field's zero value.
import { readYaml, YamlError } from '../gotemplate/index.ts';
import { parseDurationMs } from '../std/duration.ts';
import { InjectError } from './error.ts';
import { clone, isObject, type JsonObject, type JsonValue, objectAt, put, sameJson } from './json.ts';
import { type Field, type Kind, meshType, type Type } from './schema/schema.ts';

/** What Istio's code has where nobody configures anything (pkg/config/mesh). */
const proxyDefaults: JsonObject = {
  configPath: './etc/istio/proxy',
  binaryPath: '/usr/local/bin/envoy',
  serviceCluster: 'istio-proxy',
  drainDuration: '45s',
  discoveryAddress: 'istiod.istio-system.svc:15012',
  proxyAdminPort: 15000,
  controlPlaneAuthPolicy: 'MUTUAL_TLS',
  statNameLength: 189,
  statusPort: 15020,
  terminationDrainDuration: '5s',
};
const meshDefaults: JsonObject = {
  proxyListenPort: 15001,
  proxyInboundListenPort: 15006,
  connectTimeout: '10s',
  protocolDetectionTimeout: '0s',
  ingressClass: 'istio',
  ingressService: 'istio-ingressgateway',
  ingressControllerMode: 'STRICT',
  enableTracing: true,
  outboundTrafficPolicy: { mode: 'ALLOW_ANY' },
  inboundTrafficPolicy: {},
  enableAutoMtls: true,
  trustDomain: 'cluster.local',
  defaultServiceExportTo: ['*'],
  defaultVirtualServiceExportTo: ['*'],
  defaultDestinationRuleExportTo: ['*'],
  rootNamespace: 'istio-system',
  localityLbSetting: { enabled: true },
  dnsRefreshRate: '60s',
  enablePrometheusMerge: true,
  extensionProviders: [
    { name: 'prometheus', prometheus: {} },
    { name: 'stackdriver', stackdriver: {} },
    { name: 'envoy', envoyFileAccessLog: { path: '/dev/stdout' } },
  ],
  defaultProviders: {},
};

/** MeshConfig as JSON; `defaultConfig` is its ProxyConfig, complete. */
export interface Mesh {
  readonly config: JsonObject;
}

/** The mesh configuration of a YAML text on top of the defaults. @throws InjectError */
export function parseMesh(yaml: string): Mesh {
  const given = readMap(yaml, 'the mesh configuration');
  const { defaultConfig, extensionProviders, ...rest } = given;
  const config = apply(meshType('MeshConfig'), clone(meshDefaults), rest);
  config['extensionProviders'] = mergeProviders(meshDefaults['extensionProviders'] ?? [], extensionProviders ?? null);
  const proxy = isObject(defaultConfig) ? mergeProxyConfig(proxyDefaults, defaultConfig) : proxyDefaults;
  return { config: { ...config, defaultConfig: proxy } };
}

/** The effective ProxyConfig of a mesh. */
export function proxyConfigOf({ config }: Mesh): JsonObject {
  return objectAt(config, 'defaultConfig');
}

/** A mesh whose ProxyConfig has the annotation `proxy.istio.io/config` on top. @throws InjectError */
export function withProxyConfig(mesh: Mesh, yaml: string): Mesh {
  const given = readMap(yaml, 'the annotation proxy.istio.io/config');
  return { config: { ...mesh.config, defaultConfig: mergeProxyConfig(proxyConfigOf(mesh), given) } };
}

/** Fields replace, proxyMetadata merges by key, and of proxyHeaders each part. */
function mergeProxyConfig(base: JsonObject, given: JsonObject): JsonObject {
  const merged = apply(meshType('ProxyConfig'), { ...base }, given);
  const [old, now] = [base['proxyMetadata'], merged['proxyMetadata']];
  if (isObject(old)) merged['proxyMetadata'] = sortedMap({ ...old, ...(isObject(now) ? now : {}) });
  const [oldHeaders, headers] = [base['proxyHeaders'], merged['proxyHeaders']];
  if (isObject(oldHeaders) && isObject(headers)) merged['proxyHeaders'] = { ...oldHeaders, ...headers };
  if (merged['tracingServiceName'] !== undefined) delete merged['serviceCluster'];
  return merged;
}

function sortedMap(map: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(map).sort()) put(result, key, map[key] ?? null);
  return result;
}

function mergeProviders(base: JsonValue, given: JsonValue): JsonValue {
  const list = Array.isArray(base) ? clone(base) : [];
  for (const provider of Array.isArray(given) ? given.filter(isObject) : []) {
    const at = list.findIndex((known) => isObject(known) && known['name'] === provider['name']);
    if (at < 0) list.push(provider);
    else list[at] = provider;
  }
  return list;
}

/** A ProxyConfig's JSON without what every agent assumes anyway; the text of PROXY_CONFIG. */
export function trimmedProxyConfig(config: JsonObject): JsonObject {
  const type = meshType('ProxyConfig');
  const result: JsonObject = {};
  for (const { name } of type.fields.values()) {
    const value = config[name];
    if (value === undefined || (Object.hasOwn(proxyDefaults, name) && sameJson(value, proxyDefaults[name]))) continue;
    if (name === 'proxyMetadata' && isObject(value) && Object.keys(value).length === 0) continue;
    result[name] = value;
  }
  return result;
}

function readMap(yaml: string, what: string): JsonObject {
  let data: unknown;
  try {
    data = readYaml(yaml);
  } catch (error) {
    if (error instanceof YamlError) throw new InjectError(`${what} is not YAML: ${error.message}`);
    throw error;
  }
  if (data === null) return {};
  if (!isObject(data)) throw new InjectError(`${what} is not a map`);
  return data;
}

/** Sets the fields of a message that the data gives; unknown ones are left out, null ones are as if absent. */
function apply(type: Type, target: JsonObject, given: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(given)) {
    const field = type.fields.get(key) ?? type.fields.get(camel(key));
    if (field === undefined || value === null) continue;
    const formed = form(field.kind, value, field.name);
    if (isZero(field, formed)) delete target[field.name];
    else target[field.name] = formed;
  }
  return target;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

function isZero({ kind }: Field, value: JsonValue): boolean {
  if (kind.of === 'enum') return typeof value === 'string' && kind.numbers.get(value) === 0;
  if (kind.of === 'list') return Array.isArray(value) && value.length === 0;
  if (kind.of === 'struct' || kind.of === 'map') return false;
  return !kind.pointer && (value === '' || value === 0 || value === false);
}

function form(kind: Kind, value: JsonValue, path: string): JsonValue {
  switch (kind.of) {
    case 'struct':
      return formMessage(kind.type, value, path);
    case 'list':
      if (!Array.isArray(value)) throw bad(path, 'a list', value);
      return value.map((item) => form(kind.item, item, path));
    case 'map':
      return formMap(kind.item, value, path);
    case 'enum':
      return formEnum(kind.numbers, value, path);
    default:
      return formScalar(kind.of, value, path);
  }
}

function formMessage(type: Type, value: JsonValue, path: string): JsonValue {
  if (!isObject(value)) throw bad(path, 'a map', value);
  const ordered: JsonObject = {};
  const formed = apply(type, {}, value);
  for (const name of type.fields.keys()) if (formed[name] !== undefined) ordered[name] = formed[name];
  return ordered;
}

function formMap(item: Kind, value: JsonValue, path: string): JsonValue {
  if (!isObject(value)) throw bad(path, 'a map', value);
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) put(result, key, form(item, value[key] ?? null, `${path}.${key}`));
  return result;
}

function formEnum(numbers: ReadonlyMap<string, number>, value: JsonValue, path: string): JsonValue {
  if (typeof value === 'string' && numbers.has(value)) return value;
  const name = [...numbers].find(([, number]) => number === value)?.[0];
  if (name === undefined) throw bad(path, `one of ${[...numbers.keys()].join(', ')}`, value);
  return name;
}

function formScalar(scalar: string, value: JsonValue, path: string): JsonValue {
  switch (scalar) {
    case 'string':
      if (typeof value !== 'string') throw bad(path, 'a text', value);
      return value;
    case 'bool':
      if (typeof value !== 'boolean') throw bad(path, 'true or false', value);
      return value;
    case 'int':
      return formInt(value, path);
    case 'float':
      if (typeof value !== 'number') throw bad(path, 'a number', value);
      return value;
    case 'duration':
      return formDuration(value, path);
    default:
      return value;
  }
}

function formInt(value: JsonValue, path: string): JsonValue {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw bad(path, 'a whole number', value);
  return number;
}

/** A Go duration, as seconds: the form of protobuf's JSON. */
function formDuration(value: JsonValue, path: string): JsonValue {
  const ms = typeof value === 'string' ? parseDurationMs(value) : undefined;
  if (ms === undefined) throw bad(path, 'a duration such as 5s', value);
  const seconds = ms / 1000;
  return Number.isInteger(seconds) ? `${seconds}s` : `${seconds.toFixed(Number.isInteger(ms) ? 3 : 9)}s`;
}

function bad(path: string, wanted: string, value: JsonValue): InjectError {
  return new InjectError(`${path}: want ${wanted}, found ${JSON.stringify(value).slice(0, 80)}`);
}
