// The effective ProxyConfig of a node: built-in defaults, then the mesh file, then PROXY_CONFIG, then the pod's annotation; a
// later layer replaces whole fields, except that proxyMetadata merges by key and proxyHeaders by field. Source: istio/istio pilot/cmd/pilot-agent/config.
// Owns the merge and the fields that the agent itself reads; all fields stay in `raw`, since istiod and the bootstrap read more.
import { readYaml, YamlError } from '../gotemplate/index.ts';
import { mergeProxyConfig, proxyDefaults, type Refuse } from '../mesh/index.ts';
import { parseDurationMs } from '../std/duration.ts';
import type { Problem } from '../std/errors.ts';
import { isObject, type JsonObject, objectAt, textAt, textsAt } from '../std/json.ts';

export interface ProxyConfig {
  readonly configPath: string;
  readonly binaryPath: string;
  readonly serviceCluster: string;
  readonly drainMs: number;
  readonly terminationDrainMs: number;
  readonly adminPort: number;
  /** 0: no status server; what is zero is absent from `raw`. */
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

/** Merges the layers. Problems name layer and field; a field with a problem keeps its default. */
export function effectiveProxyConfig(layers: ProxyConfigLayers): {
  readonly config: ProxyConfig;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const { annotations = {} } = layers;
  const given = [
    ['the mesh configuration', objectAt(readMap(layers.meshYaml, 'the mesh configuration', problems), 'defaultConfig')],
    ['PROXY_CONFIG', readMap(layers.environmentYaml, 'PROXY_CONFIG', problems)],
    [annotation, readMap(annotations['proxy.istio.io/config'], annotation, problems)],
    ['single annotations', overrides(annotations)],
  ] as const;
  const raw = given.reduce<JsonObject>(
    (below, [layer, above]) => mergeProxyConfig(below, above, refuseIn(layer, problems)),
    proxyDefaults,
  );
  return { config: proxyConfigOf(raw, problems), problems };
}

const annotation = 'annotation proxy.istio.io/config';

function refuseIn(layer: string, problems: Problem[]): Refuse {
  return (path, wanted, value) => {
    problems.push({ ...problem(layer, `${JSON.stringify(value).slice(0, 80)} is not ${wanted}`), path });
  };
}

function readMap(text: string | undefined, layer: string, problems: Problem[]): JsonObject {
  if (text === undefined || text.trim() === '') return {};
  try {
    const value = readYaml(text);
    if (isObject(value)) return value;
    if (value !== null) problems.push(problem(layer, 'is not a map'));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    problems.push(problem(layer, `is not YAML: ${error.message}`));
  }
  return {};
}

function overrides(annotations: Readonly<Record<string, string>>): JsonObject {
  const address = annotations['sidecar.istio.io/discoveryAddress'];
  const port = annotations['status.sidecar.istio.io/port'];
  return {
    ...(address === undefined ? {} : { discoveryAddress: address }),
    ...(port === undefined ? {} : { statusPort: port }),
  };
}

function proxyConfigOf(raw: JsonObject, problems: Problem[]): ProxyConfig {
  const read = reader(raw, problems);
  return {
    configPath: read.text('configPath'),
    binaryPath: read.text('binaryPath'),
    serviceCluster: read.text('serviceCluster'),
    drainMs: read.duration('drainDuration') ?? 45_000,
    terminationDrainMs: read.duration('terminationDrainDuration') ?? 5000,
    adminPort: read.integer('proxyAdminPort', 65_535) ?? 0,
    statusPort: read.integer('statusPort', 65_535) ?? 0,
    discoveryAddress: read.text('discoveryAddress'),
    concurrency: read.integer('concurrency', 2 ** 31),
    customConfigFile: read.text('customConfigFile'),
    templatePath: read.text('proxyBootstrapTemplatePath'),
    fileFlushIntervalMs: read.duration('fileFlushInterval'),
    fileFlushMinSizeKb: read.integer('fileFlushMinSizeKb', 2 ** 31),
    proxyMetadata: textsAt(raw, 'proxyMetadata'),
    raw,
  };
}

interface Reader {
  readonly text: (field: string) => string;
  readonly duration: (field: string) => number | undefined;
  readonly integer: (field: string, most: number) => number | undefined;
}

/** The kinds are right already; what is left are bounds. */
function reader(raw: JsonObject, problems: Problem[]): Reader {
  const refuse = (field: string, wanted: string): undefined => {
    problems.push({ ...problem('ProxyConfig', `${JSON.stringify(raw[field])} is no ${wanted}`), path: field });
  };
  return {
    text: (field) => textAt(raw, field) ?? '',
    duration: (field) => {
      const text = textAt(raw, field);
      const ms = text === undefined ? undefined : parseDurationMs(text);
      return ms === undefined || ms >= 0 ? ms : refuse(field, 'duration');
    },
    integer: (field, most) => {
      const value = raw[field];
      if (typeof value !== 'number') return undefined;
      return value >= 0 && value <= most ? value : refuse(field, `integer from 0 to ${most}`);
    },
  };
}

function problem(layer: string, what: string): Problem {
  return { code: 'proxy-config-invalid', severity: 'error', message: `${layer}: ${what}` };
}
