// A life as data: every write of the object, every Event, what the node did. Times are seconds since the pod's creation.
import type { Happening } from '../happening.ts';
import type { Simulation } from '../simulate.ts';
import { apiObject } from './api.ts';
import { columnsOf } from './kubectl.ts';

/** What `-o json` prints. */
export function lifeData(life: Simulation): Readonly<Record<string, unknown>> {
  const { namespace = 'default', name } = life.pod.metadata;
  return {
    pod: { namespace, name },
    endedAt: seconds(life.endedAtMs),
    over: life.over,
    gone: life.gone,
    statuses: life.happenings.flatMap((happening) => (happening.kind === 'pod' ? [statusData(happening)] : [])),
    events: life.happenings.flatMap(({ atMs, ...happening }) =>
      happening.kind === 'event'
        ? [
            {
              at: seconds(atMs),
              type: happening.type,
              reason: happening.reason,
              container: happening.container,
              message: happening.message,
            },
          ]
        : [],
    ),
    node: life.happenings.flatMap(({ atMs, ...happening }) =>
      happening.kind === 'pod' || happening.kind === 'event' ? [] : [{ at: seconds(atMs), ...happening }],
    ),
  };
}

/** The object as it was at a time (default: the end), as the API shows it; undefined when it was gone, or not yet there. */
export function podAt(
  life: Simulation,
  atMs: number = Number.POSITIVE_INFINITY,
): Readonly<Record<string, unknown>> | undefined {
  const write = life.happenings.findLast((happening) => happening.kind === 'pod' && happening.atMs <= atMs);
  if (write?.kind !== 'pod') return undefined;
  return write.type === 'DELETED' && atMs !== Number.POSITIVE_INFINITY ? undefined : apiObject(write.pod);
}

function statusData({ atMs, type, why, pod }: Extract<Happening, { kind: 'pod' }>): Readonly<Record<string, unknown>> {
  const { generation, deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata;
  const object = apiObject(pod);
  const metadata = object['metadata'] as Readonly<Record<string, unknown>>;
  return {
    at: seconds(atMs),
    type,
    why,
    ...columnsOf(pod),
    generation,
    ...(deletionTimestamp === undefined
      ? {}
      : { deletionTimestamp: metadata['deletionTimestamp'], deletionGracePeriodSeconds }),
    podStatus: object['status'],
  };
}

function seconds(ms: number): number {
  return Math.round(ms) / 1000;
}
