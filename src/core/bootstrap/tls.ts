// The transport socket of a cluster whose certificates come from the agent: names of secrets on the SDS socket, never files that Envoy
// reads itself, so that a renewed certificate arrives without a restart.
import { isObject, type JsonObject, textAt } from '../std/json.ts';

export interface UpstreamTls {
  /** ClientTLSSettings of ProxyConfig. */
  readonly settings: unknown;
  /** The name asked for with Istio's own certificates where the settings give none. */
  readonly sni: string;
  readonly metadata: JsonObject;
  readonly http2: boolean;
}

/** Undefined where no TLS is asked for. */
export function upstreamTls({ settings, sni, metadata, http2 }: UpstreamTls): JsonObject | undefined {
  if (!isObject(settings)) return undefined;
  const mode = textAt(settings, 'mode');
  if (mode !== 'SIMPLE' && mode !== 'MUTUAL' && mode !== 'ISTIO_MUTUAL') return undefined;
  const { certificate, root } = secretNames(mode, settings, metadata);
  const names = Array.isArray(settings['subjectAltNames']) ? settings['subjectAltNames'].map(String) : [];
  const server = textAt(settings, 'sni') ?? (mode === 'ISTIO_MUTUAL' ? sni : undefined);
  return {
    name: 'envoy.transport_sockets.tls',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      common_tls_context: {
        ...(certificate === undefined ? {} : { tls_certificate_sds_secret_configs: [sdsSecret(certificate)] }),
        ...validation(names, root),
        ...(http2 ? { alpn_protocols: mode === 'ISTIO_MUTUAL' ? ['istio', 'h2'] : ['h2'] } : {}),
      },
      ...(server === undefined ? {} : { sni: server }),
    },
  };
}

/** Without a root the server is not verified, as ClientTLSSettings says; Envoy refuses names then. */
function validation(names: readonly string[], root: string | undefined): JsonObject {
  if (names.length === 0 && root === undefined) return {};
  const matchers = names.map((exact) => ({ exact }));
  return {
    combined_validation_context: {
      default_validation_context: names.length === 0 ? {} : { match_subject_alt_names: matchers },
      ...(root === undefined ? {} : { validation_context_sds_secret_config: sdsSecret(root) }),
    },
  };
}

interface Secrets {
  readonly certificate: string | undefined;
  readonly root: string | undefined;
}

function secretNames(mode: string, settings: JsonObject, metadata: JsonObject): Secrets {
  if (mode === 'ISTIO_MUTUAL') return { certificate: 'default', root: 'ROOTCA' };
  const path = (name: string, field: string): string | undefined => textAt(metadata, name) ?? textAt(settings, field);
  const [chain, key] = [path('TLS_CLIENT_CERT_CHAIN', 'clientCertificate'), path('TLS_CLIENT_KEY', 'privateKey')];
  const root = path('TLS_CLIENT_ROOT_CERT', 'caCertificates');
  return {
    certificate:
      mode === 'MUTUAL' && chain !== undefined && key !== undefined ? `file-cert:${chain}~${key}` : undefined,
    root: root === undefined ? undefined : `file-root:${root}`,
  };
}

/** A secret on the agent's socket. The workload's own may take as long as istiod does. */
export function sdsSecret(name: string): JsonObject {
  const isOwn = name === 'default' || name === 'ROOTCA';
  return {
    name,
    sds_config: {
      api_config_source: {
        api_type: 'GRPC',
        grpc_services: [{ envoy_grpc: { cluster_name: 'sds-grpc' } }],
        set_node_on_first_message_only: true,
        transport_api_version: 'V3',
      },
      ...(isOwn ? { initial_fetch_timeout: '0s' } : {}),
      resource_api_version: 'V3',
    },
  };
}
