// What differs between two writes of a pod, in the words of the API: phase, conditions, states of containers.
import type { ContainerState, ContainerStatus, Pod } from '../../../core/pod/index.ts';
import { columnsOf } from './kubectl.ts';

/** One change; `container` is undefined for the pod's own. */
export interface Change {
  readonly container: string | undefined;
  readonly what: string;
  readonly why: string;
}

/** Changes from `before` (undefined: the pod is new) to `after`, the containers' first. */
export function changesBetween(before: Pod | undefined, after: Pod): readonly Change[] {
  return [...containerChanges(before, after), ...conditionChanges(before, after), ...podChanges(before, after)];
}

function podChanges(before: Pod | undefined, after: Pod): readonly Change[] {
  const columns = (pod: Pod | undefined) =>
    pod === undefined ? '' : [columnsOf(pod).ready, columnsOf(pod).status, pod.status.phase].join(' ');
  const deleting = before?.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined;
  const grace = deleting
    ? [
        {
          container: undefined,
          what: 'deletion',
          why: `grace period ${after.metadata.deletionGracePeriodSeconds ?? 0} s`,
        },
      ]
    : [];
  if (columns(before) === columns(after)) return grace;
  const { ready, status } = columnsOf(after);
  const { phase, reason, message } = after.status;
  const shown = status === phase ? phase : `${phase} (${status})`;
  return [
    ...grace,
    {
      container: undefined,
      what: `${shown}, READY ${ready}`,
      why: [reason, message].filter((text) => text !== undefined).join(': '),
    },
  ];
}

function conditionChanges(before: Pod | undefined, after: Pod): readonly Change[] {
  const old = new Map((before?.status.conditions ?? []).map((condition) => [condition.type, condition]));
  const changed = after.status.conditions.flatMap((condition): readonly Change[] => {
    const was = old.get(condition.type);
    if (was?.status === condition.status && was.reason === condition.reason) return [];
    const why = [condition.reason, condition.message].filter((text) => text !== undefined && text !== '').join(': ');
    return [{ container: undefined, what: `${condition.type}=${condition.status}`, why }];
  });
  const kept = new Set(after.status.conditions.map(({ type }) => type));
  const removed = [...old.keys()]
    .filter((type) => !kept.has(type))
    .map((type) => ({ container: undefined, what: `${type} removed`, why: '' }));
  return [...changed, ...removed];
}

function containerChanges(before: Pod | undefined, after: Pod): readonly Change[] {
  const old = new Map(allStatuses(before).map((status) => [status.name, status]));
  return allStatuses(after).flatMap((status) => statusChanges(old.get(status.name), status));
}

/** Every container status of a pod, in the order of init, main, ephemeral. */
export function allStatuses(pod: Pod | undefined): readonly ContainerStatus[] {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod?.status ?? {};
  return [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
}

function statusChanges(was: ContainerStatus | undefined, is: ContainerStatus): readonly Change[] {
  const container = is.name;
  const state = stateText(is.state);
  const changed = was === undefined || stateText(was.state) !== state || was.restartCount !== is.restartCount;
  const restarts = is.restartCount === (was?.restartCount ?? 0) ? '' : `restart ${is.restartCount}`;
  const why = [restarts, is.state.waiting?.message ?? is.state.terminated?.message ?? '']
    .filter((text) => text !== '')
    .join(', ');
  return [
    ...(changed ? [{ container, what: state, why }] : []),
    ...(is.started !== (was?.started ?? false) && is.state.running !== undefined
      ? [{ container, what: is.started ? 'started' : 'not started', why: '' }]
      : []),
    ...(is.ready === (was?.ready ?? false) ? [] : [{ container, what: is.ready ? 'ready' : 'not ready', why: '' }]),
  ];
}

/** `running`, `waiting CrashLoopBackOff`, `terminated Error 137`. */
export function stateText(state: ContainerState): string {
  if (state.running !== undefined) return 'running';
  if (state.terminated !== undefined)
    return `terminated ${state.terminated.reason ?? ''} ${state.terminated.exitCode}`.replace('  ', ' ');
  return `waiting ${state.waiting?.reason ?? ''}`.trimEnd();
}
