// Names of the injected containers, and finding and moving containers in a pod.
import { type JsonObject, type JsonValue, objectAt, objectsAt } from '../std/json.ts';

export const proxyName = 'istio-proxy';
export const initName = 'istio-init';
export const validationName = 'istio-validation';
export const coreDumpName = 'enable-core-dump';

export type ContainerList = 'containers' | 'initContainers';

export function containersOf(pod: JsonObject, list: ContainerList): JsonObject[] {
  return objectsAt(objectAt(pod, 'spec'), list);
}

export function findContainer(pod: JsonObject, list: ContainerList, name: string): JsonObject | undefined {
  return containersOf(pod, list).find((container) => container['name'] === name);
}

/** The proxy's container, classic first. */
export function findProxy(pod: JsonObject): JsonObject | undefined {
  return findContainer(pod, 'containers', proxyName) ?? findContainer(pod, 'initContainers', proxyName);
}

/** Replaces a list of containers; an empty one goes away, save the one that every pod must have. */
export function setContainers(pod: JsonObject, list: ContainerList, containers: readonly JsonObject[]): void {
  const spec = objectAt(pod, 'spec');
  if (containers.length > 0 || list === 'containers') spec[list] = [...containers];
  else delete spec[list];
}

/** Moves the containers of a name to one end of their list. */
export function moveTo(pod: JsonObject, list: ContainerList, name: string, end: 'first' | 'last'): void {
  const all = containersOf(pod, list);
  const match = all.findLast((container) => container['name'] === name);
  if (match === undefined) return;
  const others = all.filter((container) => container['name'] !== name);
  setContainers(pod, list, end === 'first' ? [match, ...others] : [...others, match]);
}

/** The first container of a name leaves one list for the end of the other. */
export function transfer(pod: JsonObject, name: string, from: ContainerList, to: ContainerList): void {
  const source = containersOf(pod, from);
  const match = source.find((container) => container['name'] === name);
  if (match === undefined) return;
  setContainers(
    pod,
    from,
    source.filter((container) => container !== match),
  );
  setContainers(pod, to, [...containersOf(pod, to), match]);
}

/** Appends to a container's environment. */
export function addEnv(container: JsonObject, name: string, value: JsonValue): void {
  container['env'] = [...objectsAt(container, 'env'), { name, value }];
}
