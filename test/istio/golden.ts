// Comparing with files that Go wrote: what a typed encoder adds to every object is taken from both sides, and texts that are JSON are
// compared as data.

import type { JsonObject, JsonValue } from '../../src/core/inject/index.ts';
import { canonicalQuantity } from '../../src/core/inject/schema/quantity.ts';

const emptyByType: ReadonlySet<string> = new Set(['metadata', 'strategy', 'updateStrategy', 'resources']);
/** Fields of OpenShift's and Kubernetes' workloads that Go writes even when they are 0 or false. */
const zeros: ReadonlySet<string> = new Set(['minReadySeconds', 'paused', 'test']);
const ignored: ReadonlySet<string> = new Set(['creationTimestamp', 'status']);
const quantities: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'divisor', 'storage']);

/** The value without nulls and without what only Go's encoder writes. */
export function likeGo(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(likeGo);
  if (typeof value !== 'object' || value === null) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value).sort()) {
    const inner = value[key] ?? null;
    if (inner === null || ignored.has(key)) continue;
    if (zeros.has(key) && (inner === 0 || inner === false)) continue;
    if (emptyByType.has(key) && typeof inner === 'object' && Object.keys(inner).length === 0) continue;
    result[key] = quantities.has(key) ? canonical(inner) : likeGo(inner);
  }
  return result;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function canonical(value: JsonValue): JsonValue {
  return typeof value === 'string' || typeof value === 'number'
    ? (canonicalQuantity(String(value)) ?? value)
    : likeGo(value);
}

/** The pod that the controllers of a workload would create, as Istio's test imagines it; undefined for other objects. */
export function podOf(object: JsonObject): JsonObject | undefined {
  const metadata = (object['metadata'] ?? {}) as JsonObject;
  const spec = (object['spec'] ?? {}) as JsonObject;
  const kind = text(object['kind']);
  const name = text(metadata['name']);
  if (kind === 'Pod') return structuredClone(object);
  const template = structuredClone(spec['template']) as JsonObject | undefined;
  if (template === undefined) return undefined;
  const deployment = kind === 'Deployment';
  const own = (template['metadata'] ?? {}) as JsonObject;
  const owner = deployment
    ? { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-fake`, controller: true }
    : { apiVersion: text(object['apiVersion']), kind, name, controller: true };
  const labels = (own['labels'] ?? {}) as JsonObject;
  return {
    metadata: {
      ...own,
      generateName: `${owner.name}${deployment ? '-' : ''}`,
      labels: deployment ? { ...labels, 'pod-template-hash': 'fake' } : labels,
      ownerReferences: [owner],
    },
    spec: template['spec'] ?? {},
  };
}
