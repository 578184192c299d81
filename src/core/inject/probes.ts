// Probe rewriting: the kubelet's probes would be captured by the proxy, so they go to the agent, which asks the application
// (istio/istio pkg/kube/inject/app_probe.go). The agent's table of them travels in the proxy's environment.

import { encode } from '../gotypes/index.ts';
import {
  clone,
  goText,
  isObject,
  type JsonObject,
  nameIn,
  objectAt,
  objectsAt,
  parseObject,
  textAt,
} from '../std/json.ts';
import { addEnv, containersOf, findProxy, proxyName } from './container.ts';
import { podType } from './schema/schema.ts';

const tableName = 'ISTIO_KUBE_APP_PROBERS';

export interface RewriteOptions {
  /** The mesh's status port: a probe on it is already rewritten. */
  readonly meshPort: number;
  /** Where this pod's agent listens. */
  readonly statusPort: number;
  /** The pod was injected before: its old table is merged over the new one. */
  readonly again: boolean;
  /** Leaves what the agent could not answer as it is; Istio rewrites it, and it then fails. */
  readonly spares: boolean;
}

/** Where a handler stands in a container and how the agent calls it. */
interface Slot {
  readonly parent: JsonObject;
  readonly key: string;
  readonly path: string;
  readonly timed: boolean;
}

/** Rewrites every probe and hook of the application's containers; gives a warning for each that it spares. */
export function rewriteProbes(pod: JsonObject, options: RewriteOptions): readonly string[] {
  const proxy = findProxy(pod);
  if (proxy === undefined) return [];
  const table: JsonObject = {};
  const warnings: string[] = [];
  const containers = [...containersOf(pod, 'initContainers'), ...containersOf(pod, 'containers')];
  for (const container of containers.filter((each) => each['name'] !== proxyName)) {
    const ports = namedPorts(container);
    for (const slot of slotsOf(container)) {
      const entry = entryOf(slot, ports, options.meshPort);
      const spared = options.spares ? reasonToSpare(entry, options) : undefined;
      if (spared !== undefined) {
        warnings.push(`container ${nameIn(container)}: ${slot.key} ${spared}; left as it is`);
        continue;
      }
      if (isObject(entry)) table[slot.path] = entry;
      rewrite(slot, options.statusPort);
    }
  }
  if (Object.keys(table).length > 0) addTable(proxy, table, options.again);
  return warnings;
}

function reasonToSpare(entry: Entry, { statusPort }: RewriteOptions): string | undefined {
  if (entry === 'unknown-port') return 'names a port that the container does not declare';
  if (entry === 'agent-port') return "asks the proxy's agent itself";
  return statusPort === 0 && isObject(entry) ? 'cannot go through the agent, which serves no port' : undefined;
}

function namedPorts(container: JsonObject): ReadonlyMap<string, number> {
  return new Map(objectsAt(container, 'ports').map((port) => [nameIn(port), Number(port['containerPort'])]));
}

function slotsOf(container: JsonObject): readonly Slot[] {
  const name = nameIn(container);
  const probes = [
    ['readinessProbe', 'readyz'],
    ['livenessProbe', 'livez'],
    ['startupProbe', 'startupz'],
  ].map(([key = '', path]) => ({ parent: container, key, path: `/app-health/${name}/${path}`, timed: true }));
  const lifecycle = objectAt(container, 'lifecycle');
  const hooks = [
    ['preStop', 'prestopz'],
    ['postStart', 'poststartz'],
  ].map(([key = '', path]) => ({ parent: lifecycle, key, path: `/app-lifecycle/${name}/${path}`, timed: false }));
  return [...probes, ...hooks].filter(({ parent, key }) => isObject(parent[key]));
}

/** The agent's entry for a handler; undefined for a handler that is no request. */
type Entry = JsonObject | 'unknown-port' | 'agent-port' | undefined;

function entryOf({ parent, key, timed }: Slot, ports: ReadonlyMap<string, number>, meshPort: number): Entry {
  const handler = objectAt(parent, key);
  const kind = kindIn(handler, timed);
  if (kind === undefined) return undefined;
  const action = clone(objectAt(handler, kind));
  if (kind !== 'grpc') {
    const port = action['port'] ?? 0;
    if (port === meshPort) return 'agent-port';
    const number = typeof port === 'string' ? ports.get(port) : port;
    if (number === undefined) return 'unknown-port';
    action['port'] = number;
  }
  const seconds = timed ? handler['timeoutSeconds'] : undefined;
  return {
    [kind]: encode(podType(actionTypes[kind]), action),
    ...(seconds === undefined ? {} : { timeoutSeconds: seconds }),
  };
}

/** Which of the handlers that the agent can do for the kubelet; hooks know no gRPC. */
function kindIn(handler: JsonObject, timed: boolean): keyof typeof actionTypes | undefined {
  if (isObject(handler['httpGet'])) return 'httpGet';
  if (isObject(handler['tcpSocket'])) return 'tcpSocket';
  return timed && isObject(handler['grpc']) ? 'grpc' : undefined;
}

const actionTypes = { httpGet: 'HTTPGetAction', tcpSocket: 'TCPSocketAction', grpc: 'GRPCAction' } as const;

function rewrite({ parent, key, path, timed }: Slot, statusPort: number): void {
  const handler = { ...objectAt(parent, key) };
  const kind = kindIn(handler, timed);
  if (kind === undefined) return;
  const http = kind === 'httpGet' ? { ...objectAt(handler, 'httpGet') } : {};
  if (http['scheme'] === 'HTTPS') http['scheme'] = 'HTTP';
  delete handler[kind];
  handler['httpGet'] = { ...http, path, port: statusPort };
  parent[key] = handler;
}

function addTable(proxy: JsonObject, table: JsonObject, again: boolean): void {
  const env = objectsAt(proxy, 'env');
  const old = again ? env.find((each) => each['name'] === tableName) : undefined;
  if (old === undefined) return addEnv(proxy, tableName, goText(sortedKeys(table)));
  const earlier = parseObject(textAt(old, 'value') ?? '');
  if (earlier !== undefined) old['value'] = goText(sortedKeys({ ...table, ...earlier }));
  return undefined;
}

/** Undoes the rewriting in one container, as far as the table knows its handlers. */
export function restoreProbes(container: JsonObject, table: JsonObject): void {
  for (const { parent, key, path, timed } of slotsOf(container)) {
    const entry = table[path];
    const handler = objectAt(parent, key);
    if (!isObject(entry) || objectAt(handler, 'httpGet')['path'] !== path) continue;
    const kind = kindIn(entry, timed);
    if (kind === undefined) continue;
    const { httpGet: _rewritten, ...rest } = handler;
    parent[key] = { ...rest, [kind]: entry[kind] ?? null };
  }
}

function sortedKeys(table: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(table)
      .sort()
      .map((key) => [key, table[key] ?? null]),
  );
}
