// A pod as its runtime sees it: settings resolved against what is known at that moment (the spec may have changed since the last start).
import { availableParallelism, totalmem } from 'node:os';
import { containerConfig, type PodFacts, podSetup, volumePlans } from '../../core/container/index.ts';
import type { Pod } from '../../core/pod/index.ts';
import type { PodNode, PodOnNode } from '../../ports/pod-node.ts';
import type { ObjectStore } from './objects.ts';
import type { Observer } from './observer.ts';

interface Surroundings {
  readonly node: PodNode;
  readonly objects: ObjectStore;
  readonly observer: Observer;
}

export function podOnNode(current: () => Pod, { node, objects, observer }: Surroundings): PodOnNode {
  const { metadata, spec } = current();
  const setup = podSetup(spec);
  const sources = (podIP: string | undefined) => ({
    facts: factsOf(current(), node.hostIP, podIP),
    objects: objects.all(),
  });
  return {
    uid: metadata.uid ?? '',
    name: metadata.name,
    namespace: metadata.namespace ?? 'default',
    hostname: setup.hostname ?? metadata.name,
    hostNetwork: spec.hostNetwork === true,
    labels: metadata.labels ?? {},
    mains: spec.containers.map(({ name }) => name),
    fsGroup: setup.securityContext.fsGroup,
    volumes: () => volumePlans(podSetup(current().spec), sources(undefined)),
    configure: (container, podIP) => containerConfig(current().spec, container, sources(podIP)),
    onLine: (line) => observer.onLine(current(), line),
  };
}

function factsOf({ metadata, spec }: Pod, hostIP: string, podIP: string | undefined): PodFacts {
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? 'default',
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    nodeName: spec.nodeName ?? '',
    serviceAccountName: podSetup(spec).serviceAccountName ?? 'default',
    hostIP,
    podIP,
    nodeCpus: availableParallelism(),
    nodeMemoryBytes: totalmem(),
  };
}
