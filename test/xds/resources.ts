// The resources that make a small mesh, as bytes of Envoy's API (v3), written field by field: a few fields of six messages are less than the
// generated code of a hundred files. Numbers are those of the published protos (envoy/config/{cluster,endpoint,listener,route}/v3).
import { encode } from '../../src/core/wire/index.ts';
import type { KeyPair } from './authority.ts';

/** A resource: its name, and its Any. */
export interface Resource {
  readonly typeUrl: string;
  readonly name: string;
  readonly any: Uint8Array;
}

const type = 'type.googleapis.com/';
export const types = {
  cluster: `${type}envoy.config.cluster.v3.Cluster`,
  endpoints: `${type}envoy.config.endpoint.v3.ClusterLoadAssignment`,
  listener: `${type}envoy.config.listener.v3.Listener`,
  routes: `${type}envoy.config.route.v3.RouteConfiguration`,
  extension: `${type}envoy.config.core.v3.TypedExtensionConfig`,
} as const;

export function resource(typeUrl: string, name: string, value: Uint8Array): Resource {
  return { typeUrl, name, any: any(typeUrl, value) };
}

export function any(typeUrl: string, value: Uint8Array): Uint8Array {
  return encode([1, urlOf(typeUrl)], [2, value]);
}

function urlOf(name: string): string {
  return name.startsWith(type) ? name : `${type}${name}`;
}

/** Both directions of mTLS within a mesh: what one shows, and whom it trusts. PEM. */
export interface MeshTls {
  readonly pair: KeyPair;
  readonly root: string;
}

/** ConfigSource: this very stream. */
const overAds = encode([3, new Uint8Array(0)], [6, 2]);
const edsType = 3;
const loopback = '127.0.0.1';

/** A cluster whose endpoints come by EDS. */
export function cluster(name: string, tls?: MeshTls): Resource {
  const eds = encode([1, overAds]);
  const socket = tls && transportSocket('UpstreamTlsContext', encode([1, commonTls(tls)]));
  const connectTimeout = encode([1, 5]);
  return resource(types.cluster, name, encode([1, name], [2, edsType], [3, eds], [4, connectTimeout], [24, socket]));
}

/** A bare port is one of loopback. */
export function endpoints(clusterName: string, places: readonly (number | Place)[]): Resource {
  const all = places
    .map((place) => (typeof place === 'number' ? { host: loopback, port: place } : place))
    .map(({ host, port }) => [2, encode([1, encode([1, address(host, port)])])] as const);
  return resource(types.endpoints, clusterName, encode([1, clusterName], [2, encode(...all)]));
}

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface ListenerOptions {
  readonly port: number;
  /** Loopback unless told. */
  readonly host?: string;
  readonly routes: string;
  /** A file that gets a line a request. */
  readonly accessLog?: string;
  readonly direction: 'inbound' | 'outbound';
  readonly tls?: MeshTls;
  /** Names of HTTP filters that come by ECDS, before the router. */
  readonly extensions?: readonly { readonly name: string; readonly typeUrls: readonly string[] }[];
}

/** A listener of HTTP whose routes come by RDS. */
export function listener(
  name: string,
  { port, host = loopback, routes: routeName, direction, accessLog, tls, extensions = [] }: ListenerOptions,
): Resource {
  const router = encode(
    [1, 'envoy.filters.http.router'],
    [4, any('envoy.extensions.filters.http.router.v3.Router', new Uint8Array(0))],
  );
  const discovered = extensions.map(({ name: filter, typeUrls }) =>
    encode([1, filter], [5, encode([1, overAds], ...typeUrls.map((each) => [4, urlOf(each)] as const))]),
  );
  const filters = [...discovered, router].map((filter) => [5, filter] as const);
  const logs = accessLog === undefined ? [] : [[13, fileLog(accessLog)] as const];
  const manager = encode([2, name], [3, encode([1, overAds], [2, routeName])], ...filters, ...logs);
  const filter = encode(
    [1, 'envoy.filters.network.http_connection_manager'],
    [4, any('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', manager)],
  );
  const socket = tls && transportSocket('DownstreamTlsContext', encode([1, commonTls(tls)], [2, encode([1, true])]));
  const chain = encode([3, filter], [6, socket]);
  const bytes = encode([1, name], [2, address(host, port)], [3, chain], [16, direction === 'inbound' ? 1 : 2]);
  return resource(types.listener, name, bytes);
}

function fileLog(path: string): Uint8Array {
  const config = any('envoy.extensions.access_loggers.file.v3.FileAccessLog', encode([1, path]));
  return encode([1, 'envoy.access_loggers.file'], [4, config]);
}

/** Everything to one cluster, without a time-out. */
export function routes(name: string, clusterName: string): Resource {
  const action = encode([1, clusterName], [8, new Uint8Array(0)]);
  const host = encode([1, 'all'], [2, '*'], [3, encode([1, encode([1, '/'])], [2, action])]);
  return resource(types.routes, name, encode([1, name], [2, host]));
}

/** An HTTP filter of the name `name`, whose configuration is that. */
export function extension(name: string, typeUrl: string, config: Uint8Array): Resource {
  return resource(types.extension, name, encode([1, name], [2, any(typeUrl, config)]));
}

function address(host: string, port: number): Uint8Array {
  return encode([1, encode([2, host], [3, port])]);
}

function transportSocket(context: string, bytes: Uint8Array): Uint8Array {
  const config = any(`envoy.extensions.transport_sockets.tls.v3.${context}`, bytes);
  return encode([1, 'envoy.transport_sockets.tls'], [3, config]);
}

function commonTls({ pair, root }: MeshTls): Uint8Array {
  const inline = (text: string): Uint8Array => encode([3, text]);
  return encode([2, encode([1, inline(pair.cert)], [2, inline(pair.key)])], [3, encode([1, inline(root)])]);
}
