// Starts the status server of a plan: which host the application's probes go to, whose metrics are merged, what readiness asks.
import { type Facts, isTerminating, type ProxyInput, type Verdict } from '../../../core/proxy/index.ts';
import type { Handler, Host, Server } from '../../../ports/host.ts';
import type { DnsServer } from '../dns/server.ts';
import { adminOf } from '../envoy-program.ts';
import type { OrderCounts } from '../identity/workload.ts';
import type { Log } from '../log.ts';
import { loopbackOf, type Plan } from '../plan.ts';
import type { Supervision } from '../supervise.ts';
import { appProbeHandler } from './app-probe.ts';
import { metricsHandler } from './metrics.ts';
import { ownMetrics } from './own-metrics.ts';
import { readinessOf } from './readiness.ts';
import { statusHandler } from './server.ts';

export interface Serving {
  readonly host: Host;
  readonly log: Log;
  readonly readiness: () => Promise<Verdict>;
  /** What is asked of the machine. */
  readonly feed: (input: ProxyInput) => void;
  readonly readyAfterMs: () => number | undefined;
  /** Undefined where this agent answers no names, or not yet. */
  readonly names: () => Pick<DnsServer, 'counts' | 'tableJson'> | undefined;
  /** Undefined where no CA is asked, or not yet. */
  readonly certificates: () => OrderCounts | undefined;
}

/** Undefined where the status port is turned off; rejects where it is taken. */
export async function serveStatus(plan: Plan, serving: Serving): Promise<Server | undefined> {
  const { host, readiness, feed, names } = serving;
  const { settings, config, probes, addresses } = plan;
  if (config.statusPort === 0) return undefined;
  const appHost = settings.probeLocalhost ? loopbackOf(plan) : (addresses[0] ?? loopbackOf(plan));
  return host.net.serve(
    config.statusPort,
    statusHandler({
      readiness,
      feed,
      appProbe: appProbeHandler({ host, probes, appHost, statusPort: config.statusPort, http2: settings.http2Probes }),
      metrics: mergedMetrics(plan, serving),
      metricsLocalhostOnly: settings.metricsLocalhostOnly,
      names: () => names()?.tableJson(),
    }),
  );
}

function mergedMetrics(plan: Plan, { host, log, readyAfterMs, names, certificates }: Serving): Handler {
  const { settings, targets } = plan;
  return metricsHandler({
    host,
    log,
    loopback: loopbackOf(plan),
    targets: plan.role === 'sidecar' ? targets : [],
    envoyPort: settings.mergeEnvoyStats && !settings.disableEnvoy ? settings.envoyPrometheusPort : 0,
    own: (scrapes) =>
      ownMetrics({
        scrapes,
        usage: host.processes.usage(),
        readyAfterMs: readyAfterMs(),
        dns: names()?.counts(),
        certificates: certificates(),
      }),
  });
}

interface Asking {
  readonly host: Host;
  readonly supervision: Supervision;
  /** What is asked of the agent itself, not of Envoy. */
  readonly others: () => Pick<Facts, 'grpcBootstrap' | 'dnsTable'>;
}

export function readinessFor(plan: Plan, { host, supervision, others }: Asking): ReturnType<typeof readinessOf> {
  return readinessOf({
    host,
    admin: adminOf(plan),
    isTerminating: () => isTerminating(supervision.state()),
    others,
  });
}
