// The door: injection of a revision's proxy. `parseInjector` once a revision, then `injectReview` for admission, `injectWorkload` for files.

export type { JsonObject, JsonValue } from '../std/json.ts';
export { type InjectorConfig, type InjectorTexts, parseInjector } from './config.ts';
export { type Because, type Decision, decide } from './decide.ts';
export { type DefaultValues, defaultConfigText, defaultValuesText } from './default-template.ts';
export { InjectError } from './error.ts';
export { inject } from './inject.ts';
export { legalLabelValue } from './labels.ts';
export type { ProxyLifecycle } from './lifecycle-options.ts';
export { type NativeMode, type NodeVersion, nativeSidecars } from './native.ts';
export { openshiftIds } from './openshift.ts';
export { type Owner, ownerOf } from './owner.ts';
export type { Compat, Injected, InjectRequest } from './params.ts';
export { applyPatch, diff, escapeToken, type PatchOperation, unescapeToken } from './patch.ts';
export {
  indexProxyConfigs,
  type ProxyConfigResource,
  type ProxyConfigs,
  proxyConfigResource,
} from './proxy-configs.ts';
export { displayName, injectReview, type ReviewContext, type ReviewResult } from './review.ts';
export { proxyEnvOfPath } from './url.ts';
export { injectWorkload, itemsOf, type WorkloadRequest, type WorkloadResult } from './workload.ts';
