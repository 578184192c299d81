// The DNS proxy as a part of `proxy`: whether a plan wants one, and with which settings.
import type { Host } from '../../../ports/host.ts';
import type { Log } from '../log.ts';
import type { Plan } from '../plan.ts';
import { type DnsServer, startDns } from './server.ts';

interface Context {
  readonly plan: Pick<Plan, 'role' | 'settings'>;
  readonly host: Host;
  readonly log: Log;
}

type Started =
  | { readonly kind: 'running'; readonly dns: DnsServer }
  | { readonly kind: 'unwanted'; readonly dns: undefined }
  | { readonly kind: 'failed'; readonly problem: string };

/** Nothing is led to a gateway; it may resolve names too, for services of other clusters, where it is told to. */
export async function startDnsPart({ plan: { role, settings }, host, log }: Context): Promise<Started> {
  if (!settings.dnsServer && !(settings.dnsCapture && role === 'sidecar')) return { kind: 'unwanted', dns: undefined };
  try {
    const dns = await startDns({
      host,
      log,
      address: settings.dnsProxyAddress,
      namespace: settings.podNamespace,
      domain: settings.domain === '' ? `${settings.podNamespace}.svc.cluster.local` : settings.domain,
      forwardParallel: settings.dnsForwardParallel,
      forwardTimeoutMs: settings.dnsForwardTimeoutMs,
    });
    return { kind: 'running', dns };
  } catch (error) {
    return { kind: 'failed', problem: `DNS proxy: ${String(error)}` };
  }
}
