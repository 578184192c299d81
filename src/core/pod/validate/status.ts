// A write of a pod's status as the API server checks it: a terminated container stays terminated unless it may restart, a
// finished pod stays finished, and its start is told once.
import type { Problem } from '../../std/errors.ts';
import { type Fields, forbidden, has, int, invalid, isFields, items, list, object, own, text } from './field.ts';

/** Problems of replacing the status `before` by `after` on a pod of this spec. */
export function statusProblems(spec: Fields, before: unknown, after: unknown): readonly Problem[] {
  if (!isFields(before) || !isFields(after)) return [];
  return [
    ...(['containerStatuses', 'initContainerStatuses'] as const).flatMap((name) =>
      items(after, name, 'status').flatMap(([path, status]) =>
        regresses(items(before, name, 'status'), status) && !mayRestart(spec, name, before, text(status, 'name'))
          ? [forbidden(`${path}.state`, 'may not be transitioned to non-terminated state')]
          : [],
      ),
    ),
    ...generationProblems(after),
  ];
}

function generationProblems(after: Fields): readonly Problem[] {
  const conditions = items(after, 'conditions', 'status').map(
    ([path, condition]) => [`${path}.observedGeneration`, int(condition, 'observedGeneration')] as const,
  );
  return [['status.observedGeneration', int(after, 'observedGeneration')] as const, ...conditions].flatMap(
    ([path, value]) =>
      value !== undefined && value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [],
  );
}

type Statuses = ReturnType<typeof items>;

function regresses(before: Statuses, status: Fields): boolean {
  const old = before.find(([, item]) => text(item, 'name') === text(status, 'name'))?.[1];
  return old !== undefined && isTerminated(old) && !isTerminated(status);
}

function isTerminated(status: Fields): boolean {
  return has(object(status, 'state') ?? {}, 'terminated');
}

/** Whether a container that ended may run again: by the pod's policy, by its own, or by a rule of any container that restarts all. */
function mayRestart(
  spec: Fields,
  statuses: 'containerStatuses' | 'initContainerStatuses',
  before: Fields,
  name: string | undefined,
): boolean {
  const init = statuses === 'initContainerStatuses';
  const container =
    items(spec, init ? 'initContainers' : 'containers', '').find(([, item]) => text(item, 'name') === name)?.[1] ?? {};
  if (text(spec, 'restartPolicy') === undefined || text(spec, 'restartPolicy') === 'Always') return true;
  if (init && own(container, 'restartPolicy') === 'Always') return true;
  if (restartsAll(spec)) return true;
  const old = items(before, statuses, '').find(([, item]) => text(item, 'name') === name)?.[1] ?? {};
  return restartsAfter(spec, container, int(object(object(old, 'state') ?? {}, 'terminated') ?? {}, 'exitCode') ?? 0);
}

function restartsAll(spec: Fields): boolean {
  return ['containers', 'initContainers'].some((name) =>
    items(spec, name, '').some(([, container]) =>
      items(container, 'restartPolicyRules', '').some(([, rule]) => own(rule, 'action') === 'RestartAllContainers'),
    ),
  );
}

function restartsAfter(spec: Fields, container: Fields, exitCode: number): boolean {
  const rule = items(container, 'restartPolicyRules', '').find(([, item]) => {
    const codes = object(item, 'exitCodes') ?? {};
    return list(codes, 'values').includes(exitCode) === (own(codes, 'operator') === 'In');
  });
  if (rule !== undefined) return true;
  const policy = text(container, 'restartPolicy') ?? text(spec, 'restartPolicy');
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
