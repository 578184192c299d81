// A bootstrap for tests in the shape of Istio's: inbound, outbound, status and metrics listeners. Listeners and clusters come
// from files, as Envoy counts only what a source of configuration delivered, and readiness wants those counters.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Ports {
  readonly admin: number;
  readonly inbound: number;
  readonly outbound: number;
  readonly envoyStatus: number;
  readonly prometheus: number;
  readonly status: number;
  readonly app: number;
  /** What the application calls through outbound. */
  readonly elsewhere: number;
}

const type = 'type.googleapis.com/envoy.';

/** Writes the bootstrap and its sources; gives back the path of the bootstrap. */
export function writeBootstrap(folder: string, ports: Ports, moreClusters: readonly object[] = []): string {
  writeListeners(folder, ports);
  writeClusters(folder, [clusterOf('app', ports.app), clusterOf('elsewhere', ports.elsewhere)]);
  const source = (name: string): object => ({
    resource_api_version: 'V3',
    path_config_source: { path: join(folder, name) },
  });
  return write(folder, 'bootstrap.json', {
    node: { id: 'sidecar~127.0.0.1~pod.ns~ns.svc.cluster.local', cluster: 'pod.ns' },
    admin: { address: address('127.0.0.1', ports.admin) },
    dynamic_resources: { lds_config: source('lds.json'), cds_config: source('cds.json') },
    static_resources: {
      clusters: [clusterOf('agent', ports.status), clusterOf('prometheus_stats', ports.admin), ...moreClusters],
      listeners: [
        listener({ name: 'status', port: ports.envoyStatus, cluster: 'agent', prefix: 'agent' }),
        listener({ name: 'prometheus', port: ports.prometheus, cluster: 'prometheus_stats', prefix: 'stats' }),
      ],
    },
  });
}

/** The source of listeners; `refused` is one that Envoy refuses, so that it has no configuration yet. */
export function writeListeners(folder: string, ports: Ports, which: 'all' | 'refused' = 'all'): void {
  const { inbound, outbound } = podListeners(folder, ports);
  putListeners(folder, which, which === 'all' ? [inbound, outbound] : [{ name: 'without an address' }]);
}

/** The two listeners of a pod, in the clear. */
export function podListeners(
  folder: string,
  ports: Ports,
): { readonly inbound: ListenerJson; readonly outbound: ListenerJson } {
  const inbound = listener({
    name: 'in',
    port: ports.inbound,
    cluster: 'app',
    prefix: `inbound_0.0.0.0_${ports.app};`,
    direction: 'INBOUND',
    log: join(folder, 'access.log'),
  });
  const outbound = listener({
    name: 'out',
    port: ports.outbound,
    cluster: 'elsewhere',
    prefix: 'outbound',
    direction: 'OUTBOUND',
  });
  return { inbound, outbound };
}

export function putListeners(folder: string, version: string, listeners: readonly object[]): void {
  write(folder, 'lds.json', {
    version_info: version,
    resources: listeners.map((each) => ({ '@type': `${type}config.listener.v3.Listener`, ...each })),
  });
}

export function writeClusters(folder: string, clusters: readonly object[]): void {
  write(folder, 'cds.json', {
    version_info: '1',
    resources: clusters.map((each) => ({ '@type': `${type}config.cluster.v3.Cluster`, ...each })),
  });
}

/** A cluster of one endpoint on loopback. */
export function clusterOf(name: string, port: number): object {
  const endpoint = { endpoint: { address: address('127.0.0.1', port) } };
  return { name, load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: [endpoint] }] } };
}

interface Listener {
  readonly name: string;
  readonly port: number;
  readonly cluster: string;
  readonly prefix: string;
  readonly direction?: 'INBOUND' | 'OUTBOUND';
  readonly log?: string;
}

interface ListenerJson {
  readonly address: object;
  readonly name: string;
  readonly filter_chains: readonly object[];
}

function listener({ name, port, cluster: to, prefix, direction, log }: Listener): ListenerJson {
  const route = { cluster: to, timeout: '0s' };
  const manager = {
    '@type': `${type}extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: prefix,
    upgrade_configs: [{ upgrade_type: 'websocket' }],
    route_config: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route }] }] },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': `${type}extensions.filters.http.router.v3.Router` },
      },
    ],
    ...(log === undefined ? {} : { access_log: [accessLog(log)] }),
  };
  return {
    name,
    address: address('0.0.0.0', port),
    ...(direction === undefined ? {} : { traffic_direction: direction }),
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  };
}

function accessLog(path: string): object {
  const format = { text_format_source: { inline_string: '%RESPONSE_CODE% %REQ(:PATH)%\n' } };
  return {
    name: 'envoy.access_loggers.file',
    typed_config: { '@type': `${type}extensions.access_loggers.file.v3.FileAccessLog`, path, log_format: format },
  };
}

function address(host: string, port: number): object {
  return { socket_address: { address: host, port_value: port } };
}

/** Moved into place: Envoy watches for moves. */
function write(folder: string, name: string, content: object): string {
  const path = join(folder, name);
  writeFileSync(`${path}.new`, JSON.stringify(content));
  renameSync(`${path}.new`, path);
  return path;
}
