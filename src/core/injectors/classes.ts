// Pods as the selectors of a mesh can tell them apart: what is true of one of a class is true of all, so that a cluster's injectors can be judged
// without a pod.
import {
  type Injector,
  injectionLabel,
  injectLabel,
  matching,
  namedRevisions,
  revisionLabel,
} from './configuration.ts';
import type { Labels } from './selector.ts';

export const nameLabel = 'kubernetes.io/metadata.name';
export const controlPlane = 'istio-system';

export interface PodClass {
  readonly namespace: Labels;
  readonly pod: Labels;
  /** In words. */
  readonly shown: string;
}

/** One of each kind that selectors of the mesh can tell apart. */
export function* classes(injectors: readonly Injector[]): Generator<PodClass> {
  const revisions = [undefined, ...namedRevisions(injectors)];
  for (const name of ['some-namespace', controlPlane])
    for (const injection of [undefined, 'enabled', 'disabled'])
      for (const namespaceRevision of revisions)
        for (const inject of [undefined, 'true', 'false'])
          for (const podRevision of revisions) {
            const namespace = present({
              [nameLabel]: name,
              [injectionLabel]: injection,
              [revisionLabel]: namespaceRevision,
            });
            const pod = present({ [injectLabel]: inject, [revisionLabel]: podRevision });
            yield { namespace, pod, shown: `a pod with ${show(pod)} in a namespace with ${show(namespace)}` };
          }
}

/** The first class of pods, in words, that some of the one injectors take and none of the others; of ordinary namespaces. */
export function uncovered(taken: readonly Injector[], others: readonly Injector[]): string | undefined {
  for (const { namespace, pod, shown } of classes([...taken, ...others]))
    if (
      namespace[nameLabel] !== controlPlane &&
      matching(taken, namespace, pod).length > 0 &&
      matching(others, namespace, pod).length === 0
    )
      return shown;
  return undefined;
}

function present(labels: Readonly<Record<string, string | undefined>>): Labels {
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function show(labels: Labels): string {
  const shown = Object.entries(labels).filter(([key]) => key !== nameLabel);
  return shown.length === 0 ? 'no labels' : shown.map(([key, value]) => `${key}=${value}`).join(' and ');
}
