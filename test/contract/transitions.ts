// What a watcher of one pod sees, as short lines without times: each changed fact of each write, and each event's reason.
import type { ContainerStatus, Effect, Pod } from '../../src/core/pod/index.ts';

export interface Recorder {
  readonly lines: readonly string[];
  record(effect: Effect): void;
}

/** `onLine` hears each line as it comes. */
export function recorder(onLine: (line: string) => void): Recorder {
  const lines: string[] = [];
  const push = (line: string) => {
    lines.push(line);
    onLine(line);
  };
  let facts: ReadonlyMap<string, string> = new Map();
  return {
    lines,
    record(effect) {
      // How often a failing probe says so depends on the machine; what follows from it is in the status.
      if (effect.kind === 'event' && effect.reason !== 'Unhealthy')
        push(`event ${effect.reason}${effect.container === undefined ? '' : ` ${effect.container}`}`);
      if (effect.kind !== 'pod') return;
      const now = factsOf(effect.pod);
      for (const [what, value] of now) if (facts.get(what) !== value) push(`${what}: ${value}`);
      facts = now;
      if (effect.type === 'DELETED') push('deleted');
    },
  };
}

function factsOf({ metadata, status }: Pod): ReadonlyMap<string, string> {
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return new Map([
    ['phase', [status.phase, status.reason].filter((part) => part !== undefined).join(' ')],
    ...(metadata.deletionTimestamp === undefined
      ? []
      : [['deleting', `with ${metadata.deletionGracePeriodSeconds} s`] as const]),
    ...status.conditions.map(
      ({ type, status: value, reason }) =>
        [type, [value, reason].filter((part) => part !== undefined).join(' ')] as const,
    ),
    ...[...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].map(
      (one) => [`container ${one.name}`, stateOf(one)] as const,
    ),
  ]);
}

function stateOf({ state, restartCount, ready, started }: ContainerStatus): string {
  const { waiting, running, terminated } = state;
  const what =
    running !== undefined
      ? 'running'
      : terminated !== undefined
        ? `${terminated.reason} ${terminated.exitCode}`
        : `waiting ${waiting?.reason ?? ''}`;
  return `${what}, restarts ${restartCount}${started ? ', started' : ''}${ready ? ', ready' : ''}`;
}
