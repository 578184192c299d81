// The xDS proxy as a part of the agent: what of the plan it needs.
import { textAt } from '../../../core/std/json.ts';
import { type Health, healthPolicyOf } from '../../../core/xds-proxy/index.ts';
import type { Host } from '../../../ports/host.ts';
import { adminOf } from '../envoy-program.ts';
import type { Log } from '../log.ts';
import { loopbackOf, type Plan } from '../plan.ts';
import { readinessOf } from '../status/readiness.ts';
import { startWasm } from '../wasm/part.ts';
import { watchHealth } from './health.ts';
import { type OwnTypes, serveXdsProxy, type XdsProxy } from './xds.ts';

interface XdsContext {
  readonly plan: Plan;
  readonly host: Host;
  readonly log: Log;
}

export type StartedXds =
  | { readonly kind: 'running'; readonly end: () => void }
  | { readonly kind: 'failed'; readonly problem: string };

/** `own`: the types of resources that parts of the agent want, and who takes them. */
export async function startXds(context: XdsContext, own: OwnTypes): Promise<StartedXds> {
  const { plan, host, log } = context;
  const { settings, config, env } = plan;
  const socketPath = `${config.configPath}/XDS`;
  const upstream = {
    ...settings,
    discoveryAddress: config.discoveryAddress,
    controlPlaneAuthPolicy: textAt(config.raw, 'controlPlaneAuthPolicy'),
    proxyMetadata: config.proxyMetadata,
  };
  const wasm = startWasm(context);
  try {
    const proxy = await serveXdsProxy({ host, log, socketPath, upstream, env, own, convert: wasm?.convert });
    const endHealth = startHealth(context, proxy);
    const end = (): void => {
      endHealth();
      proxy.end();
      wasm?.end();
    };
    return { kind: 'running', end };
  } catch (error) {
    wasm?.end();
    return { kind: 'failed', problem: `the socket ${socketPath}: ${String(error)}` };
  }
}

/** Where ProxyConfig has a readiness probe: outside Kubernetes, where no kubelet probes. */
function startHealth({ plan, host, log }: XdsContext, { health }: XdsProxy): () => void {
  const policy = healthPolicyOf(plan.config.raw);
  if (policy === undefined) return () => undefined;
  const others = { grpcBootstrap: undefined, dnsTable: 'not-needed' } as const;
  const ready = readinessOf({ host, admin: adminOf(plan), isTerminating: () => false, others: () => others });
  const address = plan.settings.probeLocalhost ? undefined : plan.addresses[0];
  const tell = (news: Health): void => {
    log('info', 'health of the application', { ...news });
    health(news);
  };
  return watchHealth({ host, policy, ready, tell, address: address ?? loopbackOf(plan) });
}
