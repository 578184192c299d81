// A pod as its owner wrote it, from one that was injected before: our containers and volumes are gone, the owner's own are back, probes and
// metrics go where they went. So that injecting again, with whatever revision, is injecting once.

import { clone, type JsonObject, nameIn, objectAt, objectsAt, parseObject, textAt } from '../std/json.ts';
import { type ContainerList, containersOf, findProxy, proxyName, setContainers } from './container.ts';
import { annotationsOf, earlierOverrides, earlierStatus, overridesKey, statusKey } from './earlier.ts';
import { restoreProbes } from './probes.ts';
import { restorePrometheus } from './prometheus.ts';
import { conform } from './schema/conform.ts';
import { wholePod } from './schema/schema.ts';

const lists: readonly ContainerList[] = ['containers', 'initContainers'];

/** The restored pod; the pod itself where nothing was injected. */
export function restored(pod: JsonObject, statusPort: number): JsonObject {
  const status = earlierStatus(pod);
  if (status === undefined) return pod;
  const proxy = findProxy(pod) ?? {};
  const result = clone(pod);
  const annotations = annotationsOf(result);
  restorePrometheus(annotations, variableOf(proxy, 'ISTIO_PROMETHEUS_ANNOTATIONS'), statusPort);
  const injected = new Set([...status.containers, ...status.initContainers, proxyName]);
  for (const list of lists)
    setContainers(
      result,
      list,
      containersOf(result, list).filter((each) => !injected.has(nameIn(each))),
    );
  const table = parseObject(variableOf(proxy, 'ISTIO_KUBE_APP_PROBERS')) ?? {};
  for (const list of lists) for (const container of containersOf(result, list)) restoreProbes(container, table);
  putBackOwn(pod, result);
  dropVolumes(result, status.volumes);
  delete annotations[statusKey];
  delete annotations[overridesKey];
  return conform(wholePod(), result, '');
}

function variableOf(container: JsonObject, name: string): string {
  const variable = objectsAt(container, 'env').find((each) => nameIn(each) === name);
  return textAt(variable ?? {}, 'value') ?? '';
}

/** An own proxy goes back to where owners write it, whichever way it ran. */
function putBackOwn(pod: JsonObject, result: JsonObject): void {
  const remembered = earlierOverrides(pod);
  for (const list of lists) {
    for (const own of remembered[list]) {
      const home = nameIn(own) === proxyName ? 'containers' : list;
      const present = containersOf(result, home).filter((each) => nameIn(each) !== nameIn(own));
      setContainers(result, home, [...present, clone(own)]);
    }
  }
}

/** Volumes of ours that no container of the owner's mounts. */
function dropVolumes(pod: JsonObject, names: readonly string[]): void {
  const spec = objectAt(pod, 'spec');
  const mounts = lists
    .flatMap((list) => containersOf(pod, list))
    .flatMap((container) => objectsAt(container, 'volumeMounts'));
  const used = new Set(mounts.map(nameIn));
  const kept = objectsAt(spec, 'volumes').filter(
    (volume) => used.has(nameIn(volume)) || !names.includes(nameIn(volume)),
  );
  if (kept.length > 0) spec['volumes'] = kept;
  else delete spec['volumes'];
}
