// The door of xds-proxy: what the agent between Envoy and the control plane reads, adds and answers.
export { type HealthCheck, type HealthPolicy, healthPolicyOf, healthStep, unknownHealth } from './health.ts';
export {
  anchorsIn,
  extensionConfigType,
  nameTableType,
  proxyConfigType,
  type Response,
  readRequest,
  readResponse,
  typeOfResponse,
  type Variant,
  valueOf,
  variantOf,
  withResources,
  writeRequest,
} from './messages.ts';
export { type Health, openingStream, routeOf, type StreamInput, type StreamPolicy, transition } from './stream.ts';
export { metadataOf, type Upstream, type UpstreamSettings, type UpstreamTls, upstreamOf } from './upstream.ts';
