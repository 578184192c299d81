// Renders the chosen templates and merges each onto the pod (istio/istio pkg/kube/inject/inject.go): the data that templates see, in Go's shape.
import {
  GoStruct,
  GoTemplateError,
  itemMemory,
  readYaml,
  type StructType,
  type Template,
  type Value,
  YamlError,
} from '../gotemplate/index.ts';
import { messageStruct, podStruct } from '../gotypes/index.ts';
import { meshType } from '../mesh/index.ts';
import { clone, isObject, type JsonObject, type JsonValue, nameIn, objectAt, objectsAt, textAt } from '../std/json.ts';
import { textMemory } from '../std/text-memory.ts';
import { findContainer, proxyName, transfer } from './container.ts';
import { InjectError } from './error.ts';
import { proxyImage, proxyInitImage } from './image.ts';
import { strategicMerge } from './merge.ts';
import { type Mesh, proxyConfigOf } from './mesh.ts';
import type { InjectRequest } from './params.ts';
import { conform } from './schema/conform.ts';
import { podType, wholePod } from './schema/schema.ts';

export interface Rendered {
  /** The pod with everything merged. */
  readonly pod: JsonObject;
  /** What the templates alone make. */
  readonly template: JsonObject;
}

/** The mesh whose ProxyConfig is this pod's. */
export interface RenderInput {
  readonly request: InjectRequest;
  readonly mesh: Mesh;
  /** The pod to merge onto, in canonical form; it is taken over. */
  readonly pod: JsonObject;
  /** The pod as templates see it: without what an earlier injection put in. */
  readonly stripped: JsonObject;
}

/** @throws InjectError for an unknown template and for one that fails or does not give a pod */
export function render(input: RenderInput): Rendered {
  const { request } = input;
  const data = templateData(input);
  let { pod } = input;
  let template: JsonObject = conform(wholePod(), {}, '');
  let first = true;
  for (const name of chosenTemplates(request, input.pod)) {
    const patch = renderOne(request, name, data);
    if (request.compat === 'fairway') joinProxies(template, patch);
    template = first && !hasDirectives(patch) ? conform(wholePod(), patch, '') : merge(template, clone(patch));
    first = false;
    moveOwnProxy(input, template, pod);
    pod = merge(pod, patch);
  }
  return { pod, template };
}

/** A later template that names the proxy under `containers` means the proxy that is there already, wherever it is. */
function joinProxies(template: JsonObject, patch: JsonObject): void {
  if (findContainer(template, 'initContainers', proxyName) === undefined) return;
  if (findContainer(patch, 'initContainers', proxyName) === undefined)
    transfer(patch, proxyName, 'containers', 'initContainers');
}

function chosenTemplates({ config, defaultTemplates }: InjectRequest, pod: JsonObject): readonly string[] {
  const wish = textAt(objectAt(objectAt(pod, 'metadata'), 'annotations'), 'inject.istio.io/templates');
  const names = wish?.split(',').map((name) => name.trim()) ?? defaultTemplates ?? config.defaultTemplates;
  return names.flatMap((name) => config.aliases.get(name) ?? [name]);
}

function renderOne({ config }: InjectRequest, name: string, data: Value): JsonObject {
  const template = config.templates.get(name);
  if (template === undefined) {
    throw new InjectError(
      `requested template "${name}" not found; have ${[...config.templates.keys()].sort().join(', ')}`,
    );
  }
  return readRendered(name, run(name, template, data));
}

/** Pods of one workload render to the same text: what it says is remembered, and copied, since merging takes it over. */
const readTexts = textMemory<JsonObject>(128);
const longestText = 40_000;
const items = itemMemory();

function readRendered(name: string, text: string): JsonObject {
  const known = text.length > longestText ? undefined : readTexts.recall(text);
  if (known !== undefined) return clone(known);
  const rendered = parseRendered(name, text);
  if (text.length <= longestText) readTexts.remember(text, rendered);
  return clone(rendered);
}

function run(name: string, template: Template, data: Value): string {
  try {
    return template.render(data);
  } catch (error) {
    if (error instanceof GoTemplateError)
      throw new InjectError(`failed to run injection template ${name}: ${error.message}`);
    throw error;
  }
}

function parseRendered(name: string, text: string): JsonObject {
  try {
    const data: unknown = readYaml(text, items) ?? {};
    if (isObject(data)) return data;
  } catch (error) {
    if (error instanceof YamlError) throw new InjectError(`template ${name} does not give YAML: ${error.message}`);
    throw error;
  }
  throw new InjectError(`template ${name} does not give a map`);
}

/** `$patch` and its kin, anywhere. */
function hasDirectives(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasDirectives);
  return isObject(value) && Object.keys(value).some((key) => key.startsWith('$') || hasDirectives(value[key] ?? null));
}

function merge(pod: JsonObject, patch: JsonObject): JsonObject {
  return conform(wholePod(), strategicMerge(wholePod(), pod, patch), '');
}

/** A user's own istio-proxy stands in `containers`; where the template makes it an init container, it goes there first. */
function moveOwnProxy({ request, pod: original }: RenderInput, template: JsonObject, pod: JsonObject): void {
  const native = isNative(request, original);
  if (!native || findContainer(template, 'initContainers', proxyName) === undefined) return;
  transfer(pod, proxyName, 'containers', 'initContainers');
}

/** The pod's annotation, else the cluster's verdict. */
export function isNative({ nativeSidecars, compat }: InjectRequest, pod: JsonObject): boolean {
  const wish = textAt(objectAt(objectAt(pod, 'metadata'), 'annotations'), 'sidecar.istio.io/nativeSidecar');
  if (wish === 'true' || wish === 'false') return wish === 'true';
  if (compat === 'istio') return nativeSidecars;
  // Templates take any other text for native; Istio's merging does not.
  if (wish !== undefined && wish !== '') return true;
  // A pod needs a container: a proxy that is all of it cannot be an init container.
  const names = objectsAt(objectAt(pod, 'spec'), 'containers').map((each) => nameIn(each));
  return nativeSidecars && (names.length === 0 || names.some((name) => name !== proxyName));
}

function templateData({ request, mesh, stripped }: RenderInput): Value {
  const { config, owner, revision, nativeSidecars, ids, compliancePolicy } = request;
  const proxyConfig = proxyConfigOf(mesh);
  const annotations = objectAt(objectAt(stripped, 'metadata'), 'annotations');
  const fields: Record<string, Value> = {
    TypeMeta: new GoStruct(plainType('v1.TypeMeta'), { Kind: owner.kind, APIVersion: owner.apiVersion }),
    DeploymentMeta: new GoStruct(plainType('types.NamespacedName'), { Namespace: owner.namespace, Name: owner.name }),
    ObjectMeta: podStruct(podType('ObjectMeta'), objectAt(stripped, 'metadata')),
    Spec: podStruct(podType('PodSpec'), objectAt(stripped, 'spec')),
    ProxyConfig: messageStruct(meshType('ProxyConfig'), proxyConfig),
    MeshConfig: messageStruct(meshType('MeshConfig'), config.mesh.config),
    Values: config.values,
    Revision: revision,
    NativeSidecars: nativeSidecars,
    ProxyImage: proxyImage(config.values, proxyConfig, annotations),
    ProxyInitImage: proxyInitImage(config.values, annotations),
    ProxyUID: BigInt(ids?.uid ?? 1337),
    ProxyGID: BigInt(ids?.gid ?? 1337),
    InboundTrafficPolicyMode:
      objectAt(mesh.config, 'inboundTrafficPolicy')['mode'] === 'LOCALHOST' ? 'localhost' : 'passthrough',
    CompliancePolicy: compliancePolicy ?? '',
  };
  return new GoStruct(plainType('inject.SidecarTemplateData'), fields);
}

const plainTypes = new Map<string, StructType>();

/** A struct whose data already are its fields. */
function plainType(name: string): StructType {
  const known = plainTypes.get(name);
  if (known !== undefined) return known;
  const type: StructType = {
    name,
    field: (data, field) => (Object.hasOwn(data, field) ? { value: data[field] as Value } : undefined),
  };
  plainTypes.set(name, type);
  return type;
}
