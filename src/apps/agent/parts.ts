// What the agent serves beside Envoy in its own process, each a module of its own with one call here: the DNS server, certificates
// over the SDS socket, the xDS proxy. Owns the order of their start (that of Istio's agent) and of their end; knows nothing of what they do.
import type { Facts } from '../../core/proxy/index.ts';
import { anchorsIn, nameTableType, proxyConfigType } from '../../core/xds-proxy/index.ts';
import type { Host } from '../../ports/host.ts';
import { startDnsPart } from './dns/part.ts';
import type { DnsServer } from './dns/server.ts';
import { type RunningIdentity, startIdentity } from './identity/identity.ts';
import type { Log } from './log.ts';
import type { Plan } from './plan.ts';
import { startXds } from './xds/part.ts';
import type { OwnTypes } from './xds/xds.ts';

export interface PartsContext {
  readonly plan: Plan;
  readonly host: Host;
  readonly log: Log;
}

export interface Parts {
  /** For readiness. */
  readonly dnsTable: () => Facts['dnsTable'];
  /** Undefined where this agent answers no names. */
  readonly dns: DnsServer | undefined;
  readonly certificates: RunningIdentity['counts'];
  /** After Envoy has ended: certificates and configuration are there until then. */
  readonly end: () => void;
}

type Started = ({ readonly kind: 'running' } & Parts) | { readonly kind: 'failed'; readonly problem: string };

/** Starts every part that the plan asks for; Envoy is started after it. */
export async function startParts(context: PartsContext): Promise<Started> {
  const ends: (() => void)[] = [];
  const end = (): void => ends.toReversed().forEach((each) => each());
  const named = await startDnsPart(context);
  if (named.kind === 'failed') return named;
  const { dns } = named;
  if (dns !== undefined) ends.push(dns.close);
  const identity = await startIdentity(context);
  if (identity.kind === 'failed') {
    end();
    return identity;
  }
  ends.push(identity.end);
  const xds = await startXds(context, ownTypes(context, dns, identity));
  if (xds.kind === 'failed') {
    end();
    return xds;
  }
  ends.push(xds.end);
  context.log('debug', 'parts started', { parts: ends.length });
  return {
    kind: 'running',
    dnsTable: () => (dns === undefined ? 'not-needed' : dns.hasTable() ? 'received' : 'missing'),
    dns,
    certificates: identity.counts,
    end,
  };
}

/** What the agent asks the control plane for itself: names for its DNS server, and the mesh's trust anchors where it is told to. */
function ownTypes({ plan }: PartsContext, dns: DnsServer | undefined, { setAnchors }: RunningIdentity): OwnTypes {
  const takeAnchors = (value: Uint8Array): string | undefined => {
    const anchors = anchorsIn(value);
    if (anchors === undefined) return 'a malformed ProxyConfig';
    setAnchors(anchors);
    return undefined;
  };
  return {
    ...(dns === undefined ? {} : { [nameTableType]: dns.onNameTable }),
    ...(plan.settings.proxyConfigXds ? { [proxyConfigType]: takeAnchors } : {}),
  };
}
