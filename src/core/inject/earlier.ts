// What an earlier injection left in a pod: the status annotation that names it, the user's own containers that it remembered, and how
// to see the pod without it, so that injecting twice, or again with another revision, gives the same as once.

import { clone, type JsonObject, nameIn, objectAt, objectsAt, parseObject, textAt } from '../std/json.ts';
import { type ContainerList, containersOf, setContainers } from './container.ts';
import { InjectError } from './error.ts';
import { clearPrometheus, prometheusPort } from './prometheus.ts';
import { conform } from './schema/conform.ts';
import { podType } from './schema/schema.ts';

export const statusKey = 'sidecar.istio.io/status';
export const overridesKey = 'proxy.istio.io/overrides';

export interface Status {
  readonly containers: readonly string[];
  readonly initContainers: readonly string[];
  readonly volumes: readonly string[];
  readonly imagePullSecrets: readonly string[];
  readonly revision: string;
}

/** What the status annotation says; undefined where there is none that can be read. */
export function earlierStatus(pod: JsonObject): Status | undefined {
  const text = textAt(annotationsOf(pod), statusKey);
  const data = text === undefined ? undefined : parseObject(text);
  if (data === undefined) return undefined;
  return {
    containers: textsIn(data, 'containers'),
    initContainers: textsIn(data, 'initContainers'),
    volumes: textsIn(data, 'volumes'),
    imagePullSecrets: textsIn(data, 'imagePullSecrets'),
    revision: textAt(data, 'revision') ?? '',
  };
}

export function annotationsOf(pod: JsonObject): JsonObject {
  return objectAt(objectAt(pod, 'metadata'), 'annotations');
}

function textsIn(data: JsonObject, key: string): readonly string[] {
  const value = data[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export type Overrides = Readonly<Record<ContainerList, readonly JsonObject[]>>;

/** The user's own containers that an earlier injection remembered. @throws InjectError */
export function earlierOverrides(pod: JsonObject): Overrides {
  const text = textAt(annotationsOf(pod), overridesKey);
  const data = text === undefined ? {} : parseObject(text);
  if (data === undefined) throw new InjectError(`the annotation ${overridesKey} is not JSON`);
  const read = (list: ContainerList) =>
    objectsAt(data, list).map((container) => conform(podType('Container'), container, `${overridesKey} ${list}`));
  return { containers: read('containers'), initContainers: read('initContainers') };
}

/** The pod as its owner wrote it, as far as templates need to know; not to be changed. */
export function strippedPod(pod: JsonObject, statusPort: number, overrides: Overrides): JsonObject {
  const status = earlierStatus(pod);
  if (status === undefined && overrides.containers.length + overrides.initContainers.length === 0) return pod;
  const stripped = clone(pod);
  if (status !== undefined) {
    for (const list of ['containers', 'initContainers'] as const) removeNamed(stripped, list, status[list]);
    if (prometheusPort(annotationsOf(stripped)) === String(statusPort)) clearPrometheus(annotationsOf(stripped));
    delete annotationsOf(stripped)[statusKey];
  }
  for (const list of ['containers', 'initContainers'] as const) {
    const present = containersOf(stripped, list);
    const missing = overrides[list].filter((own) => present.every((container) => container['name'] !== own['name']));
    if (missing.length > 0) setContainers(stripped, list, [...present, ...missing.map(clone)]);
  }
  return stripped;
}

function removeNamed(pod: JsonObject, list: ContainerList, names: readonly string[]): void {
  if (names.length === 0) return;
  setContainers(
    pod,
    list,
    containersOf(pod, list).filter((container) => !names.includes(nameIn(container))),
  );
}
