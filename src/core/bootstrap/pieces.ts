// Small pieces of Envoy's configuration that several parts of a bootstrap are made of.
import type { JsonObject, JsonValue } from '../std/json.ts';
import type { HostPort } from './addresses.ts';

/** A named extension with its typed configuration. */
export function extension(name: string, type: string, fields: JsonObject = {}): JsonObject {
  return { name, typed_config: { '@type': `type.googleapis.com/${type}`, ...fields } };
}

export function socketAddress(address: string, port: number): JsonObject {
  return { socket_address: { protocol: 'TCP', address, port_value: port } };
}

/** An address that ProxyConfig gives. */
export function givenAddress({ address, port }: HostPort): JsonObject {
  return { socket_address: { address, port_value: port } };
}

export const pipe = (path: string): JsonObject => ({ pipe: { path } });

export const http2Only: JsonObject = {
  'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
    '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
    explicit_http_config: { http2_protocol_options: {} },
  },
};

/** One cluster's name and its only endpoint. */
export function assignment(name: string, address: JsonValue): JsonObject {
  return { cluster_name: name, endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] };
}
