// Istio's mesh and proxy configuration: its defaults, how YAML is applied on top (whole fields, metadata key by key), and the JSON
// that PROXY_CONFIG carries. Data is kept as JSON with only what differs from a field's zero value.
import { readYaml, YamlError } from '../gotemplate/index.ts';
import { applyMessage, mergeProxyConfig, meshType, proxyDefaults, type Refuse } from '../mesh/index.ts';
import { clone, isObject, type JsonObject, type JsonValue, objectAt } from '../std/json.ts';
import { InjectError } from './error.ts';
import type { ProxyConfigLayers } from './proxy-configs.ts';

/** What Istio's code has where nobody configures anything (pkg/config/mesh). */
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
  const config = applyMessage(meshType('MeshConfig'), clone(meshDefaults), rest, { path: '', refuse });
  config['extensionProviders'] = mergeProviders(meshDefaults['extensionProviders'] ?? [], extensionProviders ?? null);
  const proxy = isObject(defaultConfig) ? mergeProxyConfig(proxyDefaults, defaultConfig, refuse) : proxyDefaults;
  return { config: { ...config, defaultConfig: proxy } };
}

/** The effective ProxyConfig of a mesh. */
export function proxyConfigOf({ config }: Mesh): JsonObject {
  return objectAt(config, 'defaultConfig');
}

/** A mesh whose ProxyConfig has the annotation `proxy.istio.io/config` on top. @throws InjectError */
export function withProxyConfig(mesh: Mesh, yaml: string): Mesh {
  const given = readMap(yaml, 'the annotation proxy.istio.io/config');
  return { config: { ...mesh.config, defaultConfig: mergeProxyConfig(proxyConfigOf(mesh), given, refuse) } };
}

/** A mesh with what resources say above and below the annotation. @throws InjectError */
export function withLayers(mesh: Mesh, annotation: string | undefined, layers: ProxyConfigLayers | undefined): Mesh {
  const put = (under: Mesh, config: JsonObject): Mesh => ({
    config: { ...under.config, defaultConfig: mergeProxyConfig(proxyConfigOf(under), config, refuse) },
  });
  const below = (layers?.below ?? []).reduce(put, mesh);
  const annotated = annotation === undefined ? below : withProxyConfig(below, annotation);
  return layers?.above === undefined ? annotated : put(annotated, layers.above);
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

const refuse: Refuse = (path, wanted, value) => {
  throw new InjectError(`${path}: want ${wanted}, found ${JSON.stringify(value).slice(0, 80)}`);
};
