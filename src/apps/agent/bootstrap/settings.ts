// Settings of the bootstrap and of what the node tells istiod about itself.
import { choice, text, truth } from '../kinds.ts';

export const bootstrapRows = {
  podName: text('', { env: 'POD_NAME', doc: "the pod's name; with its namespace the node's name" }),
  serviceClusterFlag: text('istio-proxy', {
    flag: 'serviceCluster',
    doc: "Envoy's cluster name where ProxyConfig gives an empty one (legacy)",
  }),
  templateFile: text('', {
    flag: 'templateFile',
    doc: 'Go template of the bootstrap; `proxyBootstrapTemplatePath` of ProxyConfig by another way',
  }),
  bootstrapTemplate: text('', {
    env: 'ISTIO_BOOTSTRAP',
    doc: 'Go template of the bootstrap; wins over the flag and ProxyConfig, not over `customConfigFile`',
  }),
  cloudPlatform: text('', {
    env: 'CLOUD_PLATFORM',
    doc: "whose metadata server tells of the machine: `aws`, `azure`, `gcp`, or `none`; empty: the firmware's maker decides. Google's also reads `GCP_METADATA`, `GCP_ZONE`, `GCP_QUOTA_PROJECT`, `GCE_METADATA_HOST`",
  }),
  outlierLogPath: text('', { flag: 'outlierLogPath', doc: 'file that Envoy writes ejected endpoints to' }),
  dualStack: truth('false', { env: 'ISTIO_DUAL_STACK', doc: 'listeners of the bootstrap on both families' }),
  metadataDiscovery: choice(
    '',
    { env: 'PEER_METADATA_DISCOVERY', doc: 'Envoy asks istiod who its peers are; empty: as `ISTIO_META_ENABLE_HBONE`' },
    ['', 'true', 'false'],
  ),
  stripFragment: truth('true', {
    env: 'HTTP_STRIP_FRAGMENT_FROM_PATH_UNSAFE_IF_DISABLED',
    doc: 'Envoy takes fragments off paths',
  }),
  statusProxyProtocol: truth('false', {
    env: 'ENVOY_STATUS_PORT_ENABLE_PROXY_PROTOCOL',
    doc: 'the status listener understands the PROXY protocol',
  }),
  disableEnvoy: truth('false', { env: 'DISABLE_ENVOY', doc: 'no Envoy: certificates and xDS for proxyless gRPC only' }),
  grpcBootstrapPath: text('./etc/istio/proxy/grpc-bootstrap.json', {
    env: 'GRPC_XDS_BOOTSTRAP',
    doc: 'file that the bootstrap of proxyless gRPC is written to',
  }),
  deltaXds: truth('true', { env: 'ISTIO_DELTA_XDS', doc: 'delta xDS; else state of the world' }),
};
