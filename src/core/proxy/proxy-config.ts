// The effective ProxyConfig of a node: built-in defaults, then the mesh file, then PROXY_CONFIG, then the pod's annotation; a
// later layer replaces whole fields, except that proxyMetadata merges by key and proxyHeaders by field. Source: sidecar.md 2.1.
// Owns the merge and the fields that the agent itself reads; all fields stay in `raw`, since istiod and the bootstrap read more.
import { loadAll } from 'js-yaml';
import { parseDurationMs } from '../std/duration.ts';
import type { Problem } from '../std/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ProxyConfig {
  readonly configPath: string;
  readonly binaryPath: string;
  readonly serviceCluster: string;
  readonly drainMs: number;
  readonly terminationDrainMs: number;
  readonly adminPort: number;
  /** 0: no status server. */
  readonly statusPort: number;
  readonly discoveryAddress: string;
  /** Undefined: nobody said. 0: one thread for each CPU. */
  readonly concurrency: number | undefined;
  readonly customConfigFile: string;
  readonly templatePath: string;
  readonly fileFlushIntervalMs: number | undefined;
  readonly fileFlushMinSizeKb: number | undefined;
  readonly proxyMetadata: Readonly<Record<string, string>>;
  readonly raw: JsonObject;
}

export interface ProxyConfigLayers {
  /** The mesh configuration as YAML; its defaultConfig counts. */
  readonly meshYaml?: string | undefined;
  /** PROXY_CONFIG. */
  readonly environmentYaml?: string | undefined;
  /** `proxy.istio.io/config`, `sidecar.istio.io/discoveryAddress` and `status.sidecar.istio.io/port` count. */
  readonly annotations?: Readonly<Record<string, string>>;
}

const defaults: JsonObject = {
  configPath: './etc/istio/proxy',
  binaryPath: '/usr/local/bin/envoy',
  serviceCluster: 'istio-proxy',
  drainDuration: '45s',
  terminationDrainDuration: '5s',
  proxyAdminPort: 15000,
  controlPlaneAuthPolicy: 'MUTUAL_TLS',
  discoveryAddress: 'istiod.istio-system.svc:15012',
  statNameLength: 189,
  statusPort: 15020,
};

/** Merges the layers. Problems name layer and field; a field with a problem keeps its default. */
export function effectiveProxyConfig(layers: ProxyConfigLayers): {
  readonly config: ProxyConfig;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const { annotations = {} } = layers;
  const raw = [
    objectField(readYaml(layers.meshYaml, 'the mesh configuration', problems), 'defaultConfig'),
    readYaml(layers.environmentYaml, 'PROXY_CONFIG', problems),
    readYaml(annotations['proxy.istio.io/config'], 'annotation proxy.istio.io/config', problems),
    overrides(annotations),
  ].reduce(mergeLayer, defaults);
  return { config: typed(raw, problems), problems };
}

function readYaml(text: string | undefined, layer: string, problems: Problem[]): JsonObject {
  if (text === undefined || text.trim() === '') return {};
  try {
    const [value] = loadAll(text);
    if (isObject(value)) return value;
    if (value !== null && value !== undefined) problems.push(problem(layer, 'is not a map'));
  } catch (error) {
    problems.push(problem(layer, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)));
  }
  return {};
}

function overrides(annotations: Readonly<Record<string, string>>): JsonObject {
  const address = annotations['sidecar.istio.io/discoveryAddress'];
  const port = annotations['status.sidecar.istio.io/port'];
  return {
    ...(address === undefined ? {} : { discoveryAddress: address }),
    ...(port === undefined ? {} : { statusPort: Number(port) }),
  };
}

function mergeLayer(below: JsonObject, above: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...below, ...above };
  for (const name of ['proxyMetadata', 'proxyHeaders'])
    if (isObject(below[name]) && isObject(above[name])) merged[name] = { ...below[name], ...above[name] };
  return merged;
}

function typed(raw: JsonObject, problems: Problem[]): ProxyConfig {
  const read = reader(raw, problems);
  return {
    configPath: read.text('configPath'),
    binaryPath: read.text('binaryPath'),
    serviceCluster: read.text('serviceCluster'),
    drainMs: read.duration('drainDuration') ?? 45_000,
    terminationDrainMs: read.duration('terminationDrainDuration') ?? 5000,
    adminPort: read.integer('proxyAdminPort', 65_535) ?? 15_000,
    statusPort: read.integer('statusPort', 65_535) ?? 15_020,
    discoveryAddress: read.text('discoveryAddress'),
    concurrency: read.integer('concurrency', 2 ** 31),
    customConfigFile: read.text('customConfigFile'),
    templatePath: read.text('proxyBootstrapTemplatePath'),
    fileFlushIntervalMs: read.duration('fileFlushInterval'),
    fileFlushMinSizeKb: read.integer('fileFlushMinSizeKb', 2 ** 31),
    proxyMetadata: Object.fromEntries(
      Object.entries(objectField(raw, 'proxyMetadata')).map(([name, value]) => [name, String(value)]),
    ),
    raw,
  };
}

interface Reader {
  readonly text: (field: string) => string;
  readonly duration: (field: string) => number | undefined;
  readonly integer: (field: string, most: number) => number | undefined;
}

function reader(raw: JsonObject, problems: Problem[]): Reader {
  const refuse = (field: string, wanted: string): undefined => {
    problems.push({ ...problem('ProxyConfig', `${JSON.stringify(raw[field])} is no ${wanted}`), path: field });
  };
  return {
    text: (field) => {
      const value = raw[field] ?? '';
      return typeof value === 'string' ? value : (refuse(field, 'text') ?? '');
    },
    duration: (field) => {
      const value = raw[field];
      if (value === undefined || value === null) return undefined;
      const ms = typeof value === 'string' ? parseDurationMs(value) : undefined;
      return ms !== undefined && ms >= 0 ? ms : refuse(field, 'duration');
    },
    integer: (field, most) => {
      const value = raw[field];
      if (value === undefined || value === null) return undefined;
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
        ? value
        : refuse(field, `integer from 0 to ${most}`);
    },
  };
}

function objectField(of: JsonObject, name: string): JsonObject {
  const value = of[name];
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problem(layer: string, what: string): Problem {
  return { code: 'proxy-config-invalid', severity: 'error', message: `${layer}: ${what}` };
}
