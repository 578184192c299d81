// Istio's ProxyConfig as JSON: what holds where nobody says anything, and how one layer goes on top of another.
import { isObject, type JsonObject, put, sameJson } from '../std/json.ts';
import { applyMessage, type Refuse } from './form.ts';
import { meshType } from './messages.ts';

/** What Istio's code has where nobody configures anything (pkg/config/mesh). */
export const proxyDefaults: JsonObject = {
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

/** Fields replace, proxyMetadata merges by key, and of proxyHeaders each part. */
export function mergeProxyConfig(base: JsonObject, given: JsonObject, refuse: Refuse): JsonObject {
  const merged = applyMessage(meshType('ProxyConfig'), { ...base }, given, { path: '', refuse });
  const [old, now] = [base['proxyMetadata'], merged['proxyMetadata']];
  if (isObject(old)) merged['proxyMetadata'] = sortedMap({ ...old, ...(isObject(now) ? now : {}) });
  const [oldHeaders, headers] = [base['proxyHeaders'], merged['proxyHeaders']];
  if (isObject(oldHeaders) && isObject(headers)) merged['proxyHeaders'] = { ...oldHeaders, ...headers };
  return named(merged, given);
}

/** A name or a way of naming, the last one given, even where its value is the zero of its kind. */
function named(merged: JsonObject, given: JsonObject): JsonObject {
  const way = given['tracingServiceName'] ?? given['tracing_service_name'] ?? null;
  const name = given['serviceCluster'] ?? given['service_cluster'] ?? null;
  if (way !== null) {
    const { serviceCluster: _, ...rest } = merged;
    return { ...rest, tracingServiceName: rest['tracingServiceName'] ?? 'APP_LABEL_AND_NAMESPACE' };
  }
  if (typeof name !== 'string') return merged;
  const { tracingServiceName: _, ...rest } = merged;
  return { ...rest, serviceCluster: name };
}

function sortedMap(map: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(map).sort()) put(result, key, map[key] ?? null);
  return result;
}

/** A ProxyConfig's JSON without what every agent assumes anyway; the text of PROXY_CONFIG. */
export function trimmedProxyConfig(config: JsonObject): JsonObject {
  const type = meshType('ProxyConfig');
  const result: JsonObject = {};
  for (const { name } of type.fields.values()) {
    const value = config[name];
    if (value === undefined || (Object.hasOwn(proxyDefaults, name) && sameJson(value, proxyDefaults[name]))) continue;
    result[name] = value;
  }
  return result;
}
