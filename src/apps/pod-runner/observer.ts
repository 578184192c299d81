// Who is told what happens: the command that shows it, and tests.
import type { Effect, Pod } from '../../core/pod/index.ts';
import type { LogLine } from '../../ports/pod-node.ts';

/** A write of the API object, or an Event about it. */
export type Statement = Extract<Effect, { kind: 'pod' | 'event' }>;

export interface Observer {
  onEffect(pod: Pod, effect: Statement): void;
  onLine(pod: Pod, line: LogLine): void;
}
