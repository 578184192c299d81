// A user's own istio-proxy or istio-init in the pod: laid over the injected container field by field, remembered in an annotation, and
// its user id carried into the init container's arguments (istio/istio pkg/kube/inject/webhook.go).

import { encode } from '../gotypes/index.ts';
import { clone, goText, type JsonObject, type JsonValue, nameIn, objectAt, textAt } from '../std/json.ts';
import { type ContainerList, containersOf, findContainer, findProxy, initName, validationName } from './container.ts';
import { earlierStatus, type Overrides, overridesKey, statusKey } from './earlier.ts';
import { strategicMerge } from './merge.ts';
import { conform } from './schema/conform.ts';
import { podType, wholePod } from './schema/schema.ts';

export interface Layers {
  /** The pod as it came. */
  readonly original: JsonObject;
  /** What the templates alone make. */
  readonly template: JsonObject;
  /** Remembered by an earlier injection. */
  readonly remembered: Overrides;
}

/** The pod with the user's containers on top. */
export function applyOverrides(pod: JsonObject, layers: Layers): JsonObject {
  const injected = earlierStatus(layers.original);
  const own: Record<ContainerList, JsonObject[]> = { containers: [], initContainers: [] };
  let result = pod;
  for (const list of ['containers', 'initContainers'] as const) {
    for (const name of containersOf(layers.template, list).map(nameIn)) {
      if (injected?.[list].includes(name) === true) continue;
      const found = ownContainer(layers, list, name);
      if (found === undefined) continue;
      const overlay = clone(found);
      if (overlay['image'] === 'auto') delete overlay['image'];
      own[list].push(overlay);
      result = overlaid(result, list, overlay);
    }
  }
  if (!hasStatus(layers.original)) remember(result, own);
  return result;
}

function hasStatus(pod: JsonObject): boolean {
  return textAt(objectAt(objectAt(pod, 'metadata'), 'annotations'), statusKey) !== undefined;
}

/** A native sidecar's own container may stand in either list of the pod. */
function ownContainer({ remembered, original }: Layers, list: ContainerList, name: string): JsonObject | undefined {
  const known = remembered[list].find((container) => container['name'] === name);
  if (known !== undefined) return known;
  const classic = findContainer(original, 'containers', name);
  return list === 'containers' ? classic : (classic ?? findContainer(original, 'initContainers', name));
}

function overlaid(pod: JsonObject, list: ContainerList, container: JsonObject): JsonObject {
  const patch: JsonObject = { spec: { [list]: [encode(podType('Container'), clone(container))] } };
  return conform(wholePod(), strategicMerge(wholePod(), pod, withoutNulls(patch)), '');
}

/** The overlay is a typed container: what it does not say must not delete. */
function withoutNulls(value: JsonObject): JsonObject {
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null) delete value[key];
    else if (Array.isArray(inner)) for (const item of inner) if (isMap(item)) withoutNulls(item);
    if (isMap(inner)) withoutNulls(inner);
  }
  return value;
}

function isMap(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function remember(pod: JsonObject, own: Readonly<Record<ContainerList, readonly JsonObject[]>>): void {
  const written: JsonObject = {};
  for (const list of ['containers', 'initContainers'] as const) {
    if (own[list].length > 0) written[list] = own[list].map((container) => encode(podType('Container'), container));
  }
  if (Object.keys(written).length === 0) return;
  const metadata = objectAt(pod, 'metadata');
  metadata['annotations'] = { ...objectAt(metadata, 'annotations'), [overridesKey]: goText(written) };
}

/** The init container follows the user id that the user gave the proxy. @param tproxy the proxy must then stay root */
export function followProxyUser(pod: JsonObject, original: JsonObject, tproxy: boolean): void {
  const wanted = objectAt(findProxy(original) ?? {}, 'securityContext');
  const [uid, gid] = [wanted['runAsUser'], wanted['runAsGroup']];
  if (uid === undefined && gid === undefined) return;
  const init = findContainer(pod, 'initContainers', initName) ?? findContainer(pod, 'initContainers', validationName);
  if (init === undefined) return;
  const proxy = findProxy(pod);
  if (tproxy && uid !== undefined && proxy !== undefined) setIn(proxy, 'securityContext', { runAsUser: 0 });
  if (!tproxy && init['name'] === validationName) {
    setIn(init, 'securityContext', {
      ...(uid === undefined ? {} : { runAsUser: uid }),
      ...(gid === undefined ? {} : { runAsGroup: gid }),
    });
  }
  if (typeof uid === 'number' && uid !== 0) setUserArgument(init, uid);
}

function setIn(parent: JsonObject, key: string, members: JsonObject): void {
  parent[key] = { ...objectAt(parent, key), ...members };
}

/** iptables' owner match must never be 0. */
function setUserArgument(init: JsonObject, uid: number): void {
  const args = init['args'];
  const at = Array.isArray(args) ? args.indexOf('-u') : -1;
  if (!Array.isArray(args) || at < 0 || at + 1 >= args.length) return;
  init['args'] = args.map((arg, i) => (i === at + 1 ? String(uid) : arg));
}
