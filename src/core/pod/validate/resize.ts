// The subresource `resize`: cpu and memory of containers that may be resized, and nothing else.

import type { Problem } from '../../std/errors.ts';
import type { Gates } from '../policy.ts';
import { type Fields, forbidden, has, invalid, isFields, items, list, object, own, sameJson, text } from './field.ts';
import { qosOf } from './qos.ts';

const resizable: readonly string[] = ['cpu', 'memory'];
const kinds = ['requests', 'limits'] as const;
type Pair = readonly [path: string, before: Fields, after: Fields];

/** Problems of resizing the pod `before` to `after` (both whole objects: the status of `before` counts). */
export function resizeProblems(before: unknown, after: unknown, gates: Gates): readonly Problem[] {
  if (!isFields(before) || !isFields(after)) return [];
  const was = object(before, 'spec') ?? {};
  const is = object(after, 'spec') ?? {};
  const renamed = identityProblems(was, is);
  if (renamed.length > 0) return renamed;
  return [
    ...podProblems(before, was),
    ...qosProblems(was, is),
    ...pairs(was, is).flatMap((pair) => removalProblems(pair)),
    ...initProblems(was, is, gates),
    ...restProblems(was, is),
  ];
}

function podProblems(pod: Fields, spec: Fields): readonly Problem[] {
  const annotations = object(object(pod, 'metadata') ?? {}, 'annotations') ?? {};
  const status = object(pod, 'status') ?? {};
  const mirror = has(annotations, 'kubernetes.io/config.mirror') || has(annotations, 'kubernetes.io/config.source');
  return [
    ...(text(object(spec, 'os') ?? {}, 'name') === 'windows'
      ? [forbidden('spec', 'windows pods cannot be resized')]
      : []),
    ...(mirror ? [forbidden('metadata.annotations', 'static pods cannot be resized')] : []),
    ...(list(status, 'nodeAllocatableResourceClaimStatuses').length > 0
      ? [forbidden('spec', 'pods with node-allocatable resource claims cannot be resized')]
      : []),
    ...(nodeSupports(status) ? [] : [forbidden('spec', 'Pod running on node without support for resize')]),
  ];
}

/** A node that can resize reports `resources` in the status of what runs. */
function nodeSupports(status: Fields): boolean {
  const running = items(status, 'containerStatuses', '').filter(([, item]) =>
    has(object(item, 'state') ?? {}, 'running'),
  );
  return running.length === 0 || running.some(([, item]) => has(item, 'resources'));
}

function identityProblems(was: Fields, is: Fields): readonly Problem[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((name) => {
    const before = names(was, name);
    const after = names(is, name);
    if (before.length !== after.length)
      return [forbidden(`spec.${name}`, 'containers may not be added or removed on resize')];
    return before.every((value, index) => value === after[index])
      ? []
      : [forbidden(`spec.${name}`, 'containers may not be renamed or reordered on resize')];
  });
}

function names(spec: Fields, field: string): readonly (string | undefined)[] {
  return items(spec, field, '').map(([, item]) => text(item, 'name'));
}

function qosProblems(was: Fields, is: Fields): readonly Problem[] {
  return qosOf(was) === qosOf(is)
    ? []
    : [invalid('spec', qosOf(is), 'Pod QOS Class may not change as a result of resizing')];
}

/** Each place that has resources, before and after. */
function pairs(was: Fields, is: Fields): readonly Pair[] {
  const whole: readonly Pair[] = [['spec.resources', object(was, 'resources') ?? {}, object(is, 'resources') ?? {}]];
  return whole.concat(
    ['initContainers', 'containers'].flatMap((name) => {
      const after = items(is, name, 'spec');
      return items(was, name, 'spec').map(
        ([path, item], index): Pair => [
          `${path}.resources`,
          object(item, 'resources') ?? {},
          object(after[index]?.[1] ?? {}, 'resources') ?? {},
        ],
      );
    }),
  );
}

function removalProblems([path, before, after]: Pair): readonly Problem[] {
  return kinds.flatMap((kind) => {
    const was = object(before, kind) ?? {};
    const is = object(after, kind) ?? {};
    return resizable
      .filter((name) => has(was, name) && !has(is, name))
      .map((name) => forbidden(`${path}.${kind}`, `resource ${kind} cannot be removed: ${name}`));
  });
}

/** A regular init container is resized only where the gate allows it, and never by a restart. */
function initProblems(was: Fields, is: Fields, gates: Gates): readonly Problem[] {
  const after = items(is, 'initContainers', 'spec');
  return items(was, 'initContainers', 'spec').flatMap(([path, item], index) => {
    const now = after[index]?.[1] ?? {};
    if (own(item, 'restartPolicy') === 'Always' || sameJson(item['resources'], now['resources'])) return [];
    const restarts = items(item, 'resizePolicy', '').some(
      ([, entry]) => own(entry, 'restartPolicy') === 'RestartContainer',
    );
    if (!gates.InPlacePodVerticalScalingInitContainers)
      return [
        forbidden(`${path}.resources`, 'resources of init containers without restartPolicy=Always cannot be resized'),
      ];
    return restarts
      ? [forbidden(`${path}.resources`, 'init containers with resizePolicy RestartContainer cannot be resized')]
      : [];
  });
}

function restProblems(was: Fields, is: Fields): readonly Problem[] {
  return sameJson(withoutResizable(was), withoutResizable(is))
    ? []
    : [forbidden('spec', 'only cpu and memory resources are mutable')];
}

function withoutResizable(spec: Fields): Fields {
  const bare = (name: string) => list(spec, name).map((item) => (isFields(item) ? stripped(item) : item));
  return { ...stripped(spec), containers: bare('containers'), initContainers: bare('initContainers') };
}

function stripped(owner: Fields): Fields {
  const resources = object(owner, 'resources');
  if (resources === undefined) return owner;
  const kept = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Object.fromEntries(Object.entries(object(resources, kind) ?? {}).filter(([name]) => !resizable.includes(name))),
    ]),
  );
  return { ...owner, resources: { ...resources, ...kept } };
}
