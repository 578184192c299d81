// The cluster name that Envoy reports for its node, which traces call the service.
import { type JsonObject, textAt } from '../std/json.ts';

type Labels = Readonly<Record<string, string>>;

const oldOrder = ['app', 'app.kubernetes.io/name', 'service.istio.io/canonical-name'];
const canonicalOrder = oldOrder.toReversed();
const unnamed = 'istio-proxy';

/** A name that ProxyConfig gives, or the way of naming that it asks for. */
export function serviceCluster(metadata: JsonObject, labels: Labels): string {
  const config = (metadata['PROXY_CONFIG'] ?? {}) as JsonObject;
  const workload = textAt(metadata, 'WORKLOAD_NAME') ?? unnamed;
  const canonical = first(labels, canonicalOrder) ?? workload;
  const namespace = textAt(metadata, 'NAMESPACE');
  switch (config['tracingServiceName']) {
    case 'CANONICAL_NAME_ONLY':
      return orDefault(canonical, metadata, labels);
    case 'CANONICAL_NAME_AND_NAMESPACE':
      return namespace === undefined ? orDefault(canonical, metadata, labels) : `${canonical}.${namespace}`;
    default:
      return orDefault(textAt(config, 'serviceCluster') ?? unnamed, metadata, labels);
  }
}

function orDefault(name: string, metadata: JsonObject, labels: Labels): string {
  if (name !== '' && name !== unnamed) return name;
  const namespace = textAt(metadata, 'NAMESPACE') ?? '';
  const app = first(labels, oldOrder) ?? textAt(metadata, 'WORKLOAD_NAME');
  if (app !== undefined) return `${app}.${namespace}`;
  return namespace === '' ? unnamed : `${unnamed}.${namespace}`;
}

function first(labels: Labels, names: readonly string[]): string | undefined {
  const name = names.find((wanted) => Object.hasOwn(labels, wanted));
  return name === undefined ? undefined : labels[name];
}
