// Which of Envoy's counters exist, how they are tagged and how often they are flushed: ProxyConfig's wishes, and annotations of the pod,
// which replace them. Owns what readiness and drain need, and what Istio's standard metrics need.
import { parseDurationMs } from '../std/duration.ts';
import { isObject, type JsonObject, objectAt, parseObject } from '../std/json.ts';
import { compareCodePoints } from '../std/order.ts';

type Texts = Readonly<Record<string, string>>;

export interface HistogramBucket {
  readonly prefix: string;
  readonly buckets: readonly number[];
}

export interface StatsParameters {
  readonly prefixes: readonly string[];
  readonly suffixes: readonly string[];
  readonly regexps: readonly string[];
  readonly extraTags: readonly string[];
  readonly buckets: readonly HistogramBucket[];
  /** Undefined: Envoy's own 5 s. */
  readonly flushMs: number | undefined;
  /** Undefined: never. */
  readonly evictionMs: number | undefined;
}

export interface StatsSources {
  readonly annotations: Texts;
  /** ProxyConfig. */
  readonly config: JsonObject;
  readonly addresses: readonly string[];
  /** What the drain counts; without it the counters are not there, and nobody looks. */
  readonly exitOnZero: 'off' | 'connections' | 'requests';
}

const neededPrefixes = ['cluster_manager', 'listener_manager', 'server', 'cluster.xds-grpc', 'wasm'];
const neededSuffixes = ['rbac.allowed', 'rbac.denied', 'shadow_allowed', 'shadow_denied'];
/** Metrics of routes that have a stat_prefix. */
const neededRegexps = ['vhost\\..*\\.route\\..*'];
const drainSuffixes = {
  off: [],
  connections: ['downstream_cx_active'],
  requests: ['downstream_cx_active', 'downstream_rq_active'],
} as const;
const defaultFlushMs = 5000;

interface Read<T> {
  readonly value: T;
  readonly warnings: readonly string[];
}

/** Warnings name annotations that cannot be read; they are as if absent. */
export function statsParameters(sources: StatsSources): {
  readonly stats: StatsParameters;
  readonly warnings: readonly string[];
} {
  const { annotations, config, exitOnZero } = sources;
  const matcher = objectAt(config, 'proxyStatsMatcher');
  const included = (what: string, field: string, needed: readonly string[]): string[] =>
    inclusions(sources, { annotation: annotations[`sidecar.istio.io/${what}`], list: matcher[field], needed });
  const suffixes = [...neededSuffixes, ...drainSuffixes[exitOnZero]];
  const times = intervals(annotations);
  const buckets = histogramBuckets(annotations['sidecar.istio.io/statsHistogramBuckets']);
  return {
    stats: {
      prefixes: included('statsInclusionPrefixes', 'inclusionPrefixes', neededPrefixes),
      suffixes: included('statsInclusionSuffixes', 'inclusionSuffixes', suffixes),
      regexps: included('statsInclusionRegexps', 'inclusionRegexps', neededRegexps),
      extraTags: extraTags(config, annotations['sidecar.istio.io/extraStatTags'] ?? ''),
      buckets: buckets.value,
      ...times.value,
    },
    warnings: [...times.warnings, ...buckets.warnings],
  };
}

interface Wish {
  readonly annotation: string | undefined;
  readonly list: unknown;
  readonly needed: readonly string[];
}

/** `{pod_ip}` stands for each address: what a sidecar's inbound listeners count begins with it. Envoy refuses empty patterns. */
function inclusions({ addresses }: StatsSources, { annotation = '', list, needed }: Wish): string[] {
  const wished = annotation === '' ? (Array.isArray(list) ? list.map(String) : []) : annotation.split(',');
  return [...wished, ...needed]
    .filter((pattern) => pattern !== '')
    .flatMap((pattern) =>
      pattern.includes('{pod_ip}') ? addresses.map((address) => pattern.replaceAll('{pod_ip}', address)) : [pattern],
    );
}

function extraTags(config: JsonObject, annotation: string): string[] {
  const configured = Array.isArray(config['extraStatTags']) ? config['extraStatTags'].map(String) : [];
  return [...new Set([...configured, ...annotation.split(',')])].filter((tag) => tag !== '');
}

/** Evicting is done while flushing, so its interval is a multiple of that one; whole seconds. */
function intervals(annotations: Texts): Read<Pick<StatsParameters, 'flushMs' | 'evictionMs'>> {
  const warnings: string[] = [];
  const read = (name: string): number | undefined => {
    const text = annotations[`sidecar.istio.io/${name}`];
    const ms = text === undefined ? undefined : parseDurationMs(text);
    if (text !== undefined && ms === undefined) warnings.push(`sidecar.istio.io/${name}: ${text} is no duration`);
    return ms;
  };
  const flushMs = read('statsFlushInterval');
  const evictionMs = read('statsEvictionInterval');
  if (evictionMs === undefined) return { value: { flushMs, evictionMs }, warnings };
  if (evictionMs % (flushMs ?? defaultFlushMs) === 0)
    return { value: { flushMs, evictionMs: Math.trunc(evictionMs / 1000) * 1000 }, warnings };
  warnings.push('sidecar.istio.io/statsEvictionInterval is no multiple of the flush interval');
  return { value: { flushMs, evictionMs: undefined }, warnings };
}

function histogramBuckets(text: string | undefined): Read<readonly HistogramBucket[]> {
  if (text === undefined) return { value: [], warnings: [] };
  const given = parseObject(text);
  const sound =
    isObject(given) &&
    Object.values(given).every((list) => Array.isArray(list) && list.every((bound) => typeof bound === 'number'));
  if (!sound) return { value: [], warnings: ['sidecar.istio.io/statsHistogramBuckets is no map of lists of numbers'] };
  const value = Object.entries(given)
    .map(([prefix, buckets]) => ({ prefix, buckets: buckets as number[] }))
    .sort((a, b) => compareCodePoints(a.prefix, b.prefix));
  return { value, warnings: [] };
}
