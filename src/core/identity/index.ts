// The door of the workload's identity: where it comes from, when it is renewed, how it is handed to Envoy.

export { certificateRequest, type Identity, type KeyKind, type Signer, spiffeId } from './csr.ts';
export { type KeyProvider, keyProviderOf } from './key-provider.ts';
export {
  beginIdentity,
  type IdentityEffect,
  type IdentityInput,
  type IdentityNote,
  type IdentityPolicy,
  type IdentityState,
  type Issued,
  identityDueMs,
  identityStep,
  trustedRoots,
} from './machine.ts';
export {
  certificateChain,
  certificateOrder,
  certificateService,
  type NamedSecret,
  readSecretRequest,
  type Secret,
  secretResponse,
  secretService,
} from './messages.ts';
export { identityLine } from './notes.ts';
export { pemCertificates, pemFile } from './pem.ts';
export { type Resource, resourceOf, rootsName, workloadName } from './resource.ts';
export type { Failure } from './rotation.ts';
export {
  type CaTarget,
  crlFile,
  filesSocket,
  type IdentitySource,
  identitySource,
  type OwnSource,
  ownSocket,
  type PairFiles,
  type SourceSettings,
  socketFolder,
  tokenFile,
} from './source.ts';
export { dueNames, newStream, onRequest, onSent, type SecretStream, type StreamForm } from './stream.ts';
