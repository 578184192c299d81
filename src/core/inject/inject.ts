// One injection: the pod as its owner wrote it, the templates merged onto it, the owner's own proxy on top, then metrics, probes, hooks,
// the status annotation and the order of containers (istio/istio pkg/kube/inject/webhook.go).

import { clone, goText, type JsonObject, nameIn, objectAt, objectsAt, textAt } from '../std/json.ts';
import { checkAnnotations } from './annotations.ts';
import { valueAt } from './config.ts';
import { addEnv, containersOf, findContainer, findProxy, proxyName, setContainers } from './container.ts';
import { annotationsOf, earlierOverrides, type Overrides, statusKey, strippedPod } from './earlier.ts';
import { mendLabels } from './labels.ts';
import { ownProxy, proxyConfigOfLifecycle, setDrainDeadline, setLifecycle, withoutZero } from './lifecycle.ts';
import type { ProxyLifecycle } from './lifecycle-options.ts';
import { type Mesh, proxyConfigOf, withLayers, withProxyConfig } from './mesh.ts';
import { orderContainers } from './order.ts';
import { applyOverrides, followProxyUser } from './overrides.ts';
import type { Injected, InjectRequest } from './params.ts';
import { rewriteProbes } from './probes.ts';
import { addSecurePort, mergePrometheus } from './prometheus.ts';
import { isNative, render } from './render.ts';
import { restored } from './restore.ts';
import { conform } from './schema/conform.ts';
import { podType, wholePod } from './schema/schema.ts';

/**
 * Injects a pod. The request's pod is not changed.
 * @throws InjectError with the reason why the pod cannot be injected
 */
export function inject(request: InjectRequest): Injected {
  const meshPort = Number(proxyConfigOf(request.config.mesh)['statusPort'] ?? 0);
  const before = conform(wholePod(), request.pod, '');
  before['metadata'] ??= {};
  before['spec'] ??= {};
  if (request.namespace !== '') objectAt(before, 'metadata')['namespace'] ??= request.namespace;
  const original = request.compat === 'fairway' ? inPlace(restored(before, meshPort), request) : before;
  checkAnnotations(annotationsOf(original) as Record<string, string>);
  const job = jobOf(request, original);
  const stripped = strippedPod(original, meshPort, job.remembered);
  const rendered = render({ request: job.request, mesh: job.mesh, pod: clone(original), stripped });
  const layered = applyOverrides(rendered.pod, { original, template: rendered.template, remembered: job.remembered });
  followProxyUser(layered, original, isTproxy(layered, proxyConfigOf(job.mesh)));
  const warnings = [...job.warnings, ...finish(job, { pod: layered, original, template: rendered.template })];
  settle(layered);
  return { before, pod: layered, warnings };
}

/** An owner's own proxy among the init containers, where there are no native sidecars, means the classic one. */
function inPlace(pod: JsonObject, request: InjectRequest): JsonObject {
  if (isNative(request, pod) || findContainer(pod, 'containers', proxyName) !== undefined) return pod;
  const own = findContainer(pod, 'initContainers', proxyName);
  if (own === undefined) return pod;
  const { restartPolicy: _native, ...classic } = own;
  const others = (list: 'containers' | 'initContainers') => containersOf(pod, list).filter((each) => each !== own);
  const spec = { ...objectAt(pod, 'spec'), containers: [...others('containers'), classic] };
  const rest = others('initContainers');
  return { ...pod, spec: rest.length > 0 ? { ...spec, initContainers: rest } : without(spec, 'initContainers') };
}

function without(object: JsonObject, key: string): JsonObject {
  const { [key]: _gone, ...rest } = object;
  return rest;
}

/** What was put in by hand gets the canonical form that everything else already has. */
function settle(pod: JsonObject): void {
  for (const list of ['containers', 'initContainers'] as const) {
    const containers = containersOf(pod, list);
    if (!containers.some((each) => nameIn(each) === proxyName)) continue;
    setContainers(
      pod,
      list,
      containers.map((each) => (nameIn(each) === proxyName ? conform(podType('Container'), each, proxyName) : each)),
    );
  }
  const metadata = objectAt(pod, 'metadata');
  if (Object.keys(objectAt(metadata, 'labels')).length === 0) delete metadata['labels'];
}

/** One injection's settled facts. */
interface Job {
  readonly request: InjectRequest;
  readonly mesh: Mesh;
  readonly remembered: Overrides;
  readonly mends: boolean;
  readonly native: boolean;
  readonly holds: boolean;
  readonly warnings: readonly string[];
}

function jobOf(given: InjectRequest, pod: JsonObject): Job {
  const mends = given.compat === 'fairway';
  const annotations = annotationsOf(pod);
  const request = withProxyEnv(mends ? namedByGenerateName(given, pod) : given, pod);
  const own = textAt(annotations, 'proxy.istio.io/config');
  const mesh = mends ? meshOf(request, own) : withLayers(request.config.mesh, own, request.layers);
  const native = isNative(request, pod);
  return {
    request: mends ? { ...request, nativeSidecars: native } : request,
    mesh,
    remembered: earlierOverrides(pod),
    mends,
    native,
    holds: mends ? holdsFairway(request, mesh, own) : holdsIstio(request, mesh),
    warnings: dnsWarning(pod),
  };
}

/** With fairway.yml's drain settings beneath all that is said of this pod. */
function meshOf({ config, lifecycle = {}, layers }: InjectRequest, own: string | undefined): Mesh {
  const over = (options: ProxyLifecycle): Mesh =>
    withLayers(withProxyConfig(config.mesh, proxyConfigOfLifecycle(options)), own, layers);
  const mesh = over(lifecycle);
  const heeded = withoutZero(lifecycle, proxyConfigOf(mesh));
  return heeded === lifecycle ? mesh : over(heeded);
}

/** A pod whose name is yet to be made has the name that it will begin with. */
function namedByGenerateName(request: InjectRequest, pod: JsonObject): InjectRequest {
  const prefix = textAt(objectAt(pod, 'metadata'), 'generateName')?.replace(/-$/, '') ?? '';
  return request.owner.name === '' ? { ...request, owner: { ...request.owner, name: prefix } } : request;
}

/** Cluster and network: values, then the webhook's URL, then the pod's label. */
function withProxyEnv(request: InjectRequest, pod: JsonObject): InjectRequest {
  const { values } = request.config;
  const cluster = request.proxyEnv['ISTIO_META_CLUSTER_ID'] || valueAt(values, 'global', 'multiCluster', 'clusterName');
  const label = textAt(objectAt(objectAt(pod, 'metadata'), 'labels'), 'topology.istio.io/network');
  const network = label ?? (request.proxyEnv['ISTIO_META_NETWORK'] || valueAt(values, 'global', 'network'));
  return {
    ...request,
    proxyEnv: {
      ...request.proxyEnv,
      ...(typeof cluster === 'string' && cluster !== '' ? { ISTIO_META_CLUSTER_ID: cluster } : {}),
      ...(typeof network === 'string' && network !== '' ? { ISTIO_META_NETWORK: network } : {}),
    },
  };
}

function holdsIstio({ config }: InjectRequest, mesh: Mesh): boolean {
  const values = valueAt(config.values, 'global', 'proxy', 'holdApplicationUntilProxyStarts');
  return proxyConfigOf(mesh)['holdApplicationUntilProxyStarts'] === true || values === true;
}

/** The pod's annotation, else fairway.yml, else what Istio's configuration says. */
function holdsFairway(request: InjectRequest, mesh: Mesh, own: string | undefined): boolean {
  if (own !== undefined && /holdApplicationUntilProxyStarts|hold_application_until_proxy_starts/.test(own)) {
    return proxyConfigOf(mesh)['holdApplicationUntilProxyStarts'] === true;
  }
  return request.lifecycle?.hold ?? holdsIstio(request, mesh);
}

function dnsWarning(pod: JsonObject): readonly string[] {
  const policy = textAt(objectAt(pod, 'spec'), 'dnsPolicy') ?? '';
  if (policy === '' || policy === 'ClusterFirst') return [];
  return [`dnsPolicy is ${policy}, not ClusterFirst: the proxy may not find its control plane`];
}

function isTproxy(pod: JsonObject, proxyConfig: JsonObject): boolean {
  return (
    proxyConfig['interceptionMode'] === 'TPROXY' || annotationsOf(pod)['sidecar.istio.io/interceptionMode'] === 'TPROXY'
  );
}

interface Stage {
  readonly pod: JsonObject;
  readonly original: JsonObject;
  readonly template: JsonObject;
}

function finish(job: Job, stage: Stage): readonly string[] {
  const { pod, original, template } = stage;
  const { request } = job;
  const meshPort = Number(proxyConfigOf(request.config.mesh)['statusPort'] ?? 0);
  const metadata = objectAt(pod, 'metadata');
  metadata['annotations'] ??= {};
  metadata['labels'] ??= {};
  overwriteEnv(pod, request.proxyEnv);
  mergePrometheus(pod, request.config.mesh.config, meshPort);
  addSecurePort(pod);
  const warnings = [...rewrite(job, pod, original)];
  if (job.mends) warnings.push(...mend(job, stage));
  setMetadata(request, pod, template);
  orderContainers(pod, job.holds);
  return warnings;
}

function rewrite({ request, mends }: Job, pod: JsonObject, original: JsonObject): readonly string[] {
  const annotations = annotationsOf(pod);
  const wish = goBool(textAt(annotations, 'sidecar.istio.io/rewriteAppHTTPProbers'));
  if (!(wish ?? valueAt(request.config.values, 'sidecarInjectorWebhook', 'rewriteAppHTTPProbe') === true)) return [];
  const meshPort = Number(proxyConfigOf(request.config.mesh)['statusPort'] ?? 0);
  const annotated = textAt(annotations, 'status.sidecar.istio.io/port');
  return rewriteProbes(pod, {
    meshPort,
    statusPort: annotated === undefined ? meshPort : Number(annotated),
    again: annotationsOf(original)[statusKey] !== undefined,
    spares: mends,
  });
}

function goBool(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : undefined;
}

/** What Fairway does better or beside Istio. */
function mend({ request, mesh, native, holds }: Job, { pod, original, template }: Stage): readonly string[] {
  mendLabels(pod, template);
  const annotations = annotationsOf(pod);
  const annotated = textAt(annotations, 'status.sidecar.istio.io/port');
  const statusPort = Number(annotated ?? proxyConfigOf(mesh)['statusPort'] ?? 0);
  const isSidecar = findContainer(template, 'initContainers', proxyName) !== undefined;
  const warnings = setLifecycle(pod, {
    options: request.lifecycle ?? {},
    native: native && isSidecar,
    holds,
    statusPort,
    annotations,
    template,
    own: ownProxy(original),
  });
  setDrainDeadline(pod);
  return warnings;
}

/** Cluster and network are sure: they replace whatever the template wrote, at the end, in order. */
function overwriteEnv(pod: JsonObject, env: Readonly<Record<string, string>>): void {
  const proxy = findProxy(pod);
  const names = Object.keys(env).sort();
  if (proxy === undefined || names.length === 0) return;
  proxy['env'] = objectsAt(proxy, 'env').filter((each) => !names.includes(nameIn(each)));
  for (const name of names) addEnv(proxy, name, env[name] ?? '');
}

function setMetadata(request: InjectRequest, pod: JsonObject, template: JsonObject): void {
  const network = request.proxyEnv['ISTIO_META_NETWORK'];
  if (network !== undefined) objectAt(objectAt(pod, 'metadata'), 'labels')['topology.istio.io/network'] = network;
  const annotations = annotationsOf(pod);
  annotations[statusKey] = statusText(template, request.revision);
  Object.assign(annotations, request.injectedAnnotations ?? request.config.injectedAnnotations);
}

/** Names of what the templates made, for the next injection. */
function statusText(template: JsonObject, revision: string): string {
  const spec = objectAt(template, 'spec');
  const names = (key: string) => {
    const list = objectsAt(spec, key).map((item) => nameIn(item));
    return list.length === 0 ? null : list;
  };
  return goText({
    initContainers: names('initContainers'),
    containers: names('containers'),
    volumes: names('volumes'),
    imagePullSecrets: names('imagePullSecrets'),
    revision: revision === '' ? 'default' : revision,
  });
}
