// The bootstrap of proxyless gRPC (gRPC proposals A27, A29): the application's own gRPC library speaks xDS to the agent's socket. Owns its
// form, and which files must be there before such an application may start.
import { isObject, type JsonObject, objectAt, parseObject, textAt } from '../std/json.ts';
import type { Node } from './node.ts';

export interface GrpcSources {
  readonly node: Node;
  /** The agent's socket for xDS. */
  readonly xdsSocket: string;
  /** OUTPUT_CERTS: where certificates are written; empty: nowhere, and gRPC has none. */
  readonly certificatesFolder: string;
}

const inbound = 'xds.istio.io/grpc/lds/inbound/%s';
const refreshEvery = '900s';

/** The file as JSON. */
export function grpcBootstrap({ node, xdsSocket, certificatesFolder }: GrpcSources): JsonObject {
  const providers =
    certificatesFolder === '' ? {} : { certificate_providers: { default: watcher(certificatesFolder) } };
  return {
    xds_servers: [
      {
        server_uri: `unix:///${xdsSocket.replace(/^\.\//, '')}`,
        channel_creds: [{ type: 'insecure' }],
        server_features: ['xds_v3'],
      },
    ],
    node: { id: node.id, metadata: { ...ownMetadata(node), GENERATOR: 'grpc' }, locality: { ...node.locality } },
    ...providers,
    server_listener_resource_name_template: inbound,
  };
}

/** Only the names that istiod knows: what is unknown is for Envoy's own filters. */
function ownMetadata({ metadata, known }: Node): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => known.has(name)));
}

function watcher(folder: string): JsonObject {
  return {
    plugin_name: 'file_watcher',
    config: {
      certificate_file: `${folder}/cert-chain.pem`,
      private_key_file: `${folder}/key.pem`,
      ca_certificate_file: `${folder}/root-cert.pem`,
      refresh_interval: refreshEvery,
    },
  };
}

/** Files that the bootstrap names and that must be there; undefined: it is no bootstrap. */
export function grpcFiles(text: string): readonly string[] | undefined {
  const bootstrap = parseObject(text);
  if (bootstrap === undefined) return undefined;
  const providers = Object.values(objectAt(bootstrap, 'certificate_providers')).filter(isObject);
  const watchers = providers.filter((provider) => provider['plugin_name'] === 'file_watcher');
  const config = objectAt(watchers[0] ?? {}, 'config');
  return ['certificate_file', 'private_key_file', 'ca_certificate_file'].flatMap((name) => textAt(config, name) ?? []);
}
