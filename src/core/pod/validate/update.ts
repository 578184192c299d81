// What an update of a pod may change: images, the deadline (shorter), tolerations (more), a negative grace period (to 1), gates
// (fewer). Everything else of the spec is as it was created.
import type { Problem } from '../../std/errors.ts';
import { type Fields, forbidden, int, invalid, isFields, items, list, sameJson, text } from './field.ts';

const containerLists = ['containers', 'initContainers', 'ephemeralContainers'] as const;
const mutable =
  'spec.containers[*].image, spec.initContainers[*].image, spec.activeDeadlineSeconds, spec.tolerations (only additions) and spec.terminationGracePeriodSeconds (to 1 from a negative value)';

/** Problems of replacing the spec `before` by `after`, both at `path` and both valid by themselves. */
export function updateProblems(path: string, before: unknown, after: unknown): readonly Problem[] {
  if (!isFields(before) || !isFields(after)) return [];
  return [
    ...sameContainers(path, before, after),
    ...imageProblems(path, after),
    ...deadlineProblems(`${path}.activeDeadlineSeconds`, before, after),
    ...tolerationProblems(`${path}.tolerations`, before, after),
    ...gateProblems(`${path}.schedulingGates`, before, after),
    ...restProblems(path, before, after),
  ];
}

/** Problems of an update through the subresource ephemeralcontainers: containers are added, never changed or removed. */
export function ephemeralUpdateProblems(path: string, before: Fields, after: Fields): readonly Problem[] {
  const now = new Map(items(after, 'ephemeralContainers', path).map(([, item]) => [text(item, 'name'), item]));
  return items(before, 'ephemeralContainers', path).flatMap(([, item]) => {
    const kept = now.get(text(item, 'name'));
    const at = `${path}.ephemeralContainers`;
    if (kept === undefined)
      return [forbidden(at, `existing ephemeral containers ${JSON.stringify(text(item, 'name'))} may not be removed`)];
    return sameJson(item, kept)
      ? []
      : [forbidden(at, `existing ephemeral containers ${JSON.stringify(text(item, 'name'))} may not be changed`)];
  });
}

function sameContainers(path: string, before: Fields, after: Fields): readonly Problem[] {
  return containerLists
    .filter((name) => list(before, name).length !== list(after, name).length)
    .map((name) => forbidden(`${path}.${name}`, 'pod updates may not add or remove containers'));
}

function imageProblems(path: string, after: Fields): readonly Problem[] {
  return ['containers', 'initContainers'].flatMap((name) =>
    items(after, name, path).flatMap(([at, container]) => {
      const image = text(container, 'image') ?? '';
      return image !== '' && image.trim() !== image
        ? [invalid(`${at}.image`, image, 'must not have leading or trailing whitespace')]
        : [];
    }),
  );
}

function deadlineProblems(path: string, before: Fields, after: Fields): readonly Problem[] {
  const was = int(before, 'activeDeadlineSeconds');
  const is = int(after, 'activeDeadlineSeconds');
  if (was === undefined || is === was) return [];
  if (is === undefined) return [invalid(path, null, 'must not update from a positive integer to nil value')];
  return is > was ? [invalid(path, is, 'must be less than or equal to previous value')] : [];
}

function tolerationProblems(path: string, before: Fields, after: Fields): readonly Problem[] {
  const now = list(after, 'tolerations').map(withoutSeconds);
  return list(before, 'tolerations').every((toleration) =>
    now.some((other) => sameJson(withoutSeconds(toleration), other)),
  )
    ? []
    : [forbidden(path, 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds(toleration: unknown): unknown {
  return isFields(toleration) ? { ...toleration, tolerationSeconds: undefined } : toleration;
}

function gateProblems(path: string, before: Fields, after: Fields): readonly Problem[] {
  const known = list(before, 'schedulingGates').map((gate) => (gate as Fields | null)?.['name']);
  return list(after, 'schedulingGates').flatMap((gate) => {
    const name = (gate as Fields | null)?.['name'];
    return known.includes(name)
      ? []
      : [forbidden(path, `only deletion is allowed, but found new scheduling gate '${String(name)}'`)];
  });
}

/** Everything but the mutable fields must be the same; a gated pod may also be told where it may run. */
function restProblems(path: string, before: Fields, after: Fields): readonly Problem[] {
  const gated = list(before, 'schedulingGates').length > 0;
  const was = frozenPart(before, gated);
  const is = frozenPart(after, gated);
  const grace = int(before, 'terminationGracePeriodSeconds') ?? 30;
  const repaired = grace < 0 && int(after, 'terminationGracePeriodSeconds') === 1;
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => !sameJson(was[name], is[name]))
    .filter((name) => name !== 'terminationGracePeriodSeconds' || !repaired)
    .sort();
  if (changed.length === 0) return [];
  return [forbidden(path, `pod updates may not change fields other than ${mutable}; changed: ${changed.join(', ')}`)];
}

function frozenPart(spec: Fields, gated: boolean): Fields {
  const {
    activeDeadlineSeconds: _deadline,
    tolerations: _tolerations,
    schedulingGates: _gates,
    ephemeralContainers: _ephemeral,
    ...rest
  } = spec;
  return {
    ...rest,
    ...(gated ? { nodeSelector: undefined, affinity: undefined } : {}),
    containers: list(spec, 'containers').map(withoutImage),
    initContainers: list(spec, 'initContainers').map(withoutImage),
  };
}

function withoutImage(container: unknown): unknown {
  return isFields(container) ? { ...container, image: undefined } : container;
}
