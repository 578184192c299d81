// Istio's resource ProxyConfig (networking.istio.io/v1beta1): concurrency, environment and image type of a mesh's, a namespace's or some
// workloads' proxies. Which of them count for a pod, and in which order: as pilot/pkg/model/proxy_config.go of istio/istio has it.
import { isObject, type JsonObject, objectAt, textAt, textsAt } from '../std/json.ts';
import { compareCodePoints } from '../std/order.ts';

export interface ProxyConfigResource {
  readonly namespace: string;
  readonly name: string;
  readonly createdMs: number;
  /** The labels that a workload has to have; undefined for a whole namespace. */
  readonly selector: Readonly<Record<string, string>> | undefined;
  /** The only revision that it is for. */
  readonly revision: string | undefined;
  /** As fields of MeshConfig's ProxyConfig. */
  readonly config: JsonObject;
}

/** By namespace, the oldest first: of those that could count the oldest does. */
export type ProxyConfigs = ReadonlyMap<string, readonly ProxyConfigResource[]>;

/** What goes below the pod's annotation `proxy.istio.io/config`, the later on top of the earlier, and what goes above it. */
export interface ProxyConfigLayers {
  readonly below: readonly JsonObject[];
  readonly above: JsonObject | undefined;
}

/** An object as a resource; undefined where it is none. What is not of its type is left out, as istiod does with what it cannot read. */
export function proxyConfigResource(object: unknown): ProxyConfigResource | undefined {
  if (!isObject(object)) return undefined;
  const [metadata, spec] = [objectAt(object, 'metadata'), objectAt(object, 'spec')];
  const selector = spec['selector'];
  return {
    namespace: textAt(metadata, 'namespace') ?? '',
    name: textAt(metadata, 'name') ?? '',
    createdMs: Date.parse(textAt(metadata, 'creationTimestamp') ?? '') || 0,
    selector: isObject(selector) ? textsAt(selector, 'matchLabels') : undefined,
    revision: textAt(objectAt(metadata, 'labels'), 'istio.io/rev'),
    config: configOf(spec),
  };
}

function configOf({ concurrency, environmentVariables, image }: JsonObject): JsonObject {
  const texts = isObject(environmentVariables) ? Object.entries(environmentVariables).filter(isText) : [];
  const imageType = isObject(image) ? textAt(image, 'imageType') : undefined;
  return {
    ...(Number.isInteger(concurrency) ? { concurrency: concurrency as number } : {}),
    ...(texts.length > 0 ? { proxyMetadata: Object.fromEntries(texts) } : {}),
    ...(imageType === undefined ? {} : { image: { imageType } }),
  };
}

function isText(entry: readonly [string, unknown]): boolean {
  return typeof entry[1] === 'string';
}

export function indexProxyConfigs(resources: Iterable<ProxyConfigResource>): ProxyConfigs {
  const index = new Map<string, ProxyConfigResource[]>();
  for (const resource of resources) {
    const list = index.get(resource.namespace) ?? [];
    list.push(resource);
    index.set(resource.namespace, list);
  }
  for (const list of index.values())
    list.sort((a, b) => a.createdMs - b.createdMs || compareCodePoints(`${a.name}.`, `${b.name}.`));
  return index;
}

interface ProxyConfigTarget {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rootNamespace: string;
  /** "" takes those of every revision. */
  readonly revision: string;
}

/** What counts for a pod. */
function proxyConfigLayers(configs: ProxyConfigs, target: ProxyConfigTarget): ProxyConfigLayers {
  const { namespace, labels, rootNamespace, revision } = target;
  const of = (name: string): readonly ProxyConfigResource[] =>
    (configs.get(name) ?? []).filter(
      (each) => each.revision === undefined || revision === '' || each.revision === revision,
    );
  const own = of(namespace);
  const whole = [
    rootNamespace === '' ? undefined : of(rootNamespace).find(isWhole),
    namespace === rootNamespace ? undefined : own.find(isWhole),
  ];
  return {
    below: whole.flatMap((each) => (each === undefined ? [] : [each.config])),
    above: own.find(({ selector }) => selects(selector, labels))?.config,
  };
}

/** What counts for a pod that names its namespace; nothing without resources. */
export function podLayers(
  configs: ProxyConfigs | undefined,
  pod: JsonObject,
  {
    config,
    revision,
  }: { readonly config: { readonly mesh: { readonly config: JsonObject } }; readonly revision: string },
): ProxyConfigLayers {
  if (configs === undefined || configs.size === 0) return { below: [], above: undefined };
  const metadata = objectAt(pod, 'metadata');
  return proxyConfigLayers(configs, {
    namespace: textAt(metadata, 'namespace') ?? '',
    labels: textsAt(metadata, 'labels'),
    rootNamespace: textAt(config.mesh.config, 'rootNamespace') ?? '',
    revision,
  });
}

function isWhole({ selector }: ProxyConfigResource): boolean {
  return selector === undefined;
}

/** A selector without labels selects nothing. */
function selects(selector: ProxyConfigResource['selector'], labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
