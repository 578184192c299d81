// Asks Envoy what readiness needs, once what is latched is not asked again, and keeps the latches.
import {
  configQuery,
  configTimeoutMs,
  type Facts,
  judgeReadiness,
  liveQuery,
  liveTimeoutMs,
  noLatches,
  type StatsAnswer,
  type Verdict,
} from '../../../core/proxy/index.ts';
import type { Host } from '../../../ports/host.ts';
import { type Admin, askEnvoy } from '../admin.ts';

interface Asking {
  readonly host: Host;
  readonly admin: Admin;
  readonly isTerminating: () => boolean;
  readonly others: () => Pick<Facts, 'grpcBootstrap' | 'dnsTable'>;
}

/** A function that says whether the proxy is ready now. Whoever asks while somebody does hears the same: a crowd costs Envoy one look. */
export function readinessOf(asking: Asking): () => Promise<Verdict> {
  const look = looking(asking);
  let current: Promise<Verdict> | undefined;
  return () => {
    current ??= look().finally(() => {
      current = undefined;
    });
    return current;
  };
}

function looking({ host, admin, isTerminating, others }: Asking): () => Promise<Verdict> {
  let latches = noLatches;
  const ask = (path: string, timeoutMs: number): Promise<StatsAnswer> =>
    askEnvoy(host, { method: 'GET', admin, path, timeoutMs });
  return async () => {
    const facts = { terminating: isTerminating(), config: undefined, live: undefined, ...others() };
    if (!latches.configured) {
      const config = await ask(configQuery, configTimeoutMs);
      const [verdict, next] = judgeReadiness(latches, { ...facts, config });
      latches = next;
      if (!latches.configured) return verdict;
    }
    const live = latches.live || isTerminating() ? undefined : await ask(liveQuery, liveTimeoutMs);
    const [verdict, next] = judgeReadiness(latches, { ...facts, terminating: isTerminating(), live });
    latches = next;
    return verdict;
  };
}
