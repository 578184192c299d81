// The door of wasm: extensions of Envoy whose module is elsewhere, and what images, archives and registries say of it.
export { type Extension, isRefreshed, moduleName, readExtension, type WantedModule } from './extension.ts';
export {
  type Challenge,
  type Credential,
  credentialIn,
  type ImageReference,
  isSafeRealm,
  layerOf,
  manifestTypes,
  parseChallenge,
  parseImage,
} from './image.ts';
export { fileInTar, wrappingOf } from './unbox.ts';
