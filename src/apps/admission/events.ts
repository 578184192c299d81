// Kubernetes Events about warnings: after the answer, one at a time, the same one at most every ten minutes, and never so many that
// they would be a load. An Event that cannot be written is dropped: the log has it.
import type { Cluster } from '../../ports/cluster.ts';
import type { WorkloadWarning } from './krispr-route.ts';
import type { Log } from './log.ts';

export interface Events {
  readonly warn: (warning: WorkloadWarning) => void;
  /** Resolves when nothing waits. */
  readonly idle: () => Promise<void>;
}

interface Surroundings {
  readonly cluster: Cluster;
  readonly nowMs: () => number;
  /** This replica. */
  readonly instance: string;
  readonly log: Log;
}

const againAfterMs = 600_000;
const mostWaiting = 100;
const mostRemembered = 10_000;

export function startEvents(world: Surroundings): Events {
  const told = new Map<string, number>();
  const waiting: WorkloadWarning[] = [];
  let sending: Promise<void> | undefined;
  const drain = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(next, world);
    sending = undefined;
  };
  return {
    warn: (warning) => {
      const key = [warning.namespace, warning.kind, warning.name, warning.reason].join('/');
      const nowMs = world.nowMs();
      if (nowMs - (told.get(key) ?? Number.NEGATIVE_INFINITY) < againAfterMs || waiting.length >= mostWaiting) return;
      if (told.size >= mostRemembered) told.clear();
      told.set(key, nowMs);
      waiting.push(warning);
      sending ??= drain();
    },
    idle: async () => sending,
  };
}

async function send(warning: WorkloadWarning, { cluster, nowMs, instance, log }: Surroundings): Promise<void> {
  const { namespace, kind, name, reason, message } = warning;
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { generateName: 'fairway-krispr-', namespace },
    eventTime: new Date(nowMs()).toISOString().replace('Z', '000Z'),
    reportingController: 'fairway.dev/krispr',
    reportingInstance: instance,
    action: 'Admit',
    type: 'Warning',
    reason,
    note: message,
    regarding: { kind, namespace, name },
  };
  try {
    const { status } = await cluster.send({
      method: 'POST',
      path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
      body: event,
    });
    if (status >= 300) log.debug({ status, namespace, reason }, 'Event refused');
  } catch (error) {
    log.debug({ error: String(error), namespace, reason }, 'Event lost');
  }
}
