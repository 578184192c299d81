// The door: the node that an agent introduces, and the bootstrap that its Envoy (or gRPC) starts with.
export { hostPort } from './addresses.ts';
export { defaultBootstrap } from './default-bootstrap.ts';
export { grpcBootstrap, grpcFiles } from './grpc.ts';
export { domainOf, type Node, type NodeSources, nodeId, nodeOf, noPlatform, type Platform } from './node.ts';
export { type BootstrapParameters, type BootstrapSources, bootstrapParameters } from './parameters.ts';
export {
  awsPlatform,
  azurePlatform,
  azureVersion,
  cloudOf,
  gcpFromSettings,
  gcpPaths,
  gcpPlatform,
  gcpZoneIn,
} from './platform.ts';
export { renderBootstrap } from './template.ts';
