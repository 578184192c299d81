// Injection of files: where a workload keeps its pod template, and the workload with the injected one. Lists are gone through item by
// item; what has no pod template stays as it is.

import { clone, isObject, type JsonObject, objectAt, textAt } from '../std/json.ts';
import type { InjectorConfig } from './config.ts';
import { type Because, decide, decideFor } from './decide.ts';
import { inject } from './inject.ts';
import { withProxyConfig } from './mesh.ts';
import { type Owner, ownerOf } from './owner.ts';
import type { Injected, InjectRequest } from './params.ts';
import { applyPatch, diff } from './patch.ts';
import { type ProxyConfigs, podLayers } from './proxy-configs.ts';

export interface WorkloadRequest extends Omit<InjectRequest, 'pod' | 'owner' | 'namespace' | 'proxyEnv' | 'layers'> {
  /** ProxyConfig resources; in `istio` none count, as `istioctl kube-inject` has it. */
  readonly proxyConfigs?: ProxyConfigs;
  readonly object: JsonObject;
  /** For objects that name no namespace. */
  readonly namespace: string;
}

export type WorkloadResult =
  | { readonly kind: 'injected'; readonly object: JsonObject; readonly warnings: readonly string[] }
  | { readonly kind: 'skipped'; readonly because: Because; readonly warnings: readonly string[] }
  /** Nothing with a pod template. */
  | { readonly kind: 'other' };

/** Where the pod's spec and metadata are; a CronJob's metadata are two levels up in Istio. */
interface Place {
  readonly spec: readonly string[];
  readonly metadata: readonly string[];
}

const templateKinds: ReadonlySet<string> = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'ReplicationController',
  'Job',
  'DeploymentConfig',
  'Rollout',
]);

function placeOf(object: JsonObject, compat: InjectRequest['compat']): Place | undefined {
  const kind = textAt(object, 'kind') ?? '';
  if (kind === 'Pod') return { spec: [], metadata: [] };
  if (kind === 'CronJob') {
    const template = ['spec', 'jobTemplate', 'spec', 'template'];
    return { spec: template, metadata: compat === 'istio' ? ['spec', 'jobTemplate'] : template };
  }
  return templateKinds.has(kind) ? { spec: ['spec', 'template'], metadata: ['spec', 'template'] } : undefined;
}

function at(object: JsonObject, path: readonly string[]): JsonObject | undefined {
  let value: JsonObject | undefined = object;
  for (const key of path) {
    const inner: unknown = value?.[key];
    value = isObject(inner) ? inner : undefined;
  }
  return value;
}

/** Injects one object of a file. @throws InjectError */
export function injectWorkload(request: WorkloadRequest): WorkloadResult {
  const { object, compat } = request;
  const place = placeOf(object, compat);
  if (place === undefined || at(object, [...place.spec, 'spec']) === undefined) return { kind: 'other' };
  const pod: JsonObject = {
    metadata: clone(objectAt(at(object, place.metadata) ?? {}, 'metadata')),
    spec: clone(objectAt(at(object, place.spec) ?? {}, 'spec')),
  };
  const own = textAt(objectAt(pod, 'metadata'), 'namespace') ?? textAt(objectAt(object, 'metadata'), 'namespace');
  const namespace = own ?? request.namespace;
  // Istio reads the annotation before it asks whether to inject.
  if (compat === 'istio' && objectAt(pod, 'spec')['hostNetwork'] !== true) withOwnProxyConfig(request.config, pod);
  const where = compat === 'istio' ? (textAt(objectAt(pod, 'metadata'), 'namespace') ?? '') : namespace;
  const decision = decideFor(compat, pod, decide(fileRules, pod, where));
  if (!decision.inject) return { kind: 'skipped', because: decision.because, warnings: decision.warnings };
  const config = withOwnProxyConfig(request.config, pod);
  const target = { metadata: { ...objectAt(pod, 'metadata'), namespace } };
  const layers = podLayers(compat === 'istio' ? undefined : request.proxyConfigs, target, request);
  const result = inject({
    ...request,
    config,
    pod,
    namespace: '',
    owner: ownerInFile(object, namespace, compat),
    proxyEnv: {},
    layers,
  });
  return {
    kind: 'injected',
    object: merged(object, place, pod, result),
    warnings: [...decision.warnings, ...result.warnings],
  };
}

/** A file that is given is meant to be injected; the configuration's selectors are for admission. */
const fileRules: Pick<InjectorConfig, 'policy' | 'neverInject' | 'alwaysInject'> = {
  policy: 'enabled',
  neverInject: [],
  alwaysInject: [],
};

/** In a file the annotation counts for the mesh as a whole. */
function withOwnProxyConfig(config: InjectorConfig, pod: JsonObject): InjectorConfig {
  const own = textAt(objectAt(objectAt(pod, 'metadata'), 'annotations'), 'proxy.istio.io/config');
  return own === undefined ? config : { ...config, mesh: withProxyConfig(config.mesh, own) };
}

function ownerInFile(object: JsonObject, namespace: string, compat: InjectRequest['compat']): Owner {
  if (object['kind'] === 'Pod') return ownerOf(object);
  const metadata = objectAt(object, 'metadata');
  return {
    name: textAt(metadata, 'name') ?? '',
    namespace: compat === 'istio' ? (textAt(metadata, 'namespace') ?? '') : namespace,
    kind: textAt(object, 'kind') ?? '',
    apiVersion: textAt(object, 'apiVersion') ?? '',
  };
}

/** The object with what changed between the pods; everything else in it stays as it was written. */
function merged(object: JsonObject, place: Place, given: JsonObject, { before, pod: after }: Injected): JsonObject {
  const pod = applyPatch(given, diff(before, after)) as JsonObject;
  const result = clone(object);
  setAt(result, place.metadata, 'metadata', objectAt(pod, 'metadata'));
  setAt(result, place.spec, 'spec', objectAt(pod, 'spec'));
  return result;
}

function setAt(object: JsonObject, path: readonly string[], key: string, value: JsonObject): void {
  const parent = at(object, path);
  if (parent !== undefined) parent[key] = value;
}

/** The objects of a `kind: List`, or the object alone. */
export function itemsOf(object: JsonObject): readonly JsonObject[] {
  const items = object['items'];
  return object['kind'] === 'List' && Array.isArray(items) ? items.filter(isObject) : [object];
}
