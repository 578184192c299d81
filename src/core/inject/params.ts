// What one injection is given, and what it gives.

import type { JsonObject } from '../std/json.ts';
import type { InjectorConfig } from './config.ts';
import type { ProxyLifecycle } from './lifecycle-options.ts';
import type { Owner } from './owner.ts';
import type { ProxyConfigLayers } from './proxy-configs.ts';

/** `istio` reproduces Istio to the letter; `fairway` mends what docs/reference/istio-differences.md lists. */
export type Compat = 'fairway' | 'istio';

export interface InjectRequest {
  readonly config: InjectorConfig;
  /** As PROXY_CONFIG's owner calls it; "" is Istio's default revision. */
  readonly revision: string;
  readonly pod: JsonObject;
  /** The request's namespace: a pod in admission may not name it. */
  readonly namespace: string;
  readonly owner: Owner;
  /** The cluster's verdict on native sidecars; the pod's annotation overrides it. */
  readonly nativeSidecars: boolean;
  /** From the webhook's URL: environment of the proxy. */
  readonly proxyEnv: Readonly<Record<string, string>>;
  readonly compat: Compat;
  /** OpenShift: the ids that the namespace's annotations give its pods. */
  readonly ids?: { readonly uid: number; readonly gid: number };
  readonly compliancePolicy?: string;
  /** Names of templates where the pod names none; without it, the configuration's. */
  readonly defaultTemplates?: readonly string[];
  readonly injectedAnnotations?: Readonly<Record<string, string>>;
  /** What ProxyConfig resources say for this pod. */
  readonly layers?: ProxyConfigLayers;
  /** Ignored in `istio`. */
  readonly lifecycle?: ProxyLifecycle;
}

export interface Injected {
  /** The pod as it came, in canonical form. */
  readonly before: JsonObject;
  /** The pod as it becomes, in canonical form. */
  readonly pod: JsonObject;
  readonly warnings: readonly string[];
}
