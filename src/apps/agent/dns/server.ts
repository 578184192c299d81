// The DNS proxy's sockets: where it listens and which servers it asks, told by DNS_PROXY_ADDR and resolv.conf. The door of this folder.
// Source: Istio's pkg/dns/client.
import { parseResolvConf, placeOf } from '../../../core/dns/index.ts';
import { prng } from '../../../core/std/prng.ts';
import type { Host } from '../../../ports/host.ts';
import type { Listener, Place, Transport } from '../../../ports/messages.ts';
import type { Log } from '../log.ts';
import type { Forwarding } from './forward.ts';
import { type Responder, responder } from './responder.ts';

export interface DnsOptions {
  readonly host: Host;
  readonly log: Log;
  /** HOST:PORT; `localhost` is loopback in each family that resolv.conf's servers have. */
  readonly address: string;
  readonly namespace: string;
  /** The proxy's, of the form `NAMESPACE.svc.cluster.local`. */
  readonly domain: string;
  readonly forwardParallel: boolean;
  readonly forwardTimeoutMs: number;
}

export interface DnsServer extends Omit<Responder, 'respond'> {
  readonly close: () => void;
}

const usualAddress = 'localhost:15053';
const resolvConf = '/etc/resolv.conf';
/** On a machine whose resolver this is, resolv.conf names this server itself; the file of before is kept here. */
const resolvConfBefore = '/var/lib/istio/resolv.conf';
const dnsPort = 53;

/** Listens by UDP and TCP. Rejects where resolv.conf is missing or a port is taken. */
export async function startDns(options: DnsOptions): Promise<DnsServer> {
  const { host, log } = options;
  const isOnlyResolver = options.address.endsWith(':53') && host.processes.isRoot;
  const path = isOnlyResolver && host.files.exists(resolvConfBefore) ? resolvConfBefore : resolvConf;
  const text = host.files.read(path);
  if (text === undefined) throw new Error(`cannot read ${path}`);
  const { servers, search } = parseResolvConf(text);
  const { respond, ...door } = responder({
    place: placeOf(options.namespace, options.domain, search),
    beforeTable: isOnlyResolver ? 'forward' : 'refuse',
    forwarding: forwardingOf(options, servers),
    nowMs: host.clock.nowMs,
  });
  const places = placesOf(listenAddress(options), servers);
  const listening = await listenAll(host, places, respond);
  log('info', 'DNS proxy started', { addresses: places.map((place) => `${place.host} ${place.port}`), servers });
  return { ...door, close: () => listening.forEach((server) => server.end()) };
}

function forwardingOf(options: DnsOptions, servers: readonly string[]): Forwarding {
  const { host, log, forwardParallel: parallel, forwardTimeoutMs: timeoutMs } = options;
  const places = servers.map((server) => ({ host: server, port: dnsPort }));
  return { messages: host.messages, log, servers: places, parallel, timeoutMs, prng: prng(host.nonce()) };
}

function listenAddress({ host, log, address }: DnsOptions): string {
  if (address === '') return usualAddress;
  if (!address.endsWith(':53') || host.processes.isRoot) return address;
  log('error', 'DNS on port 53 needs root', { instead: usualAddress });
  return usualAddress;
}

/** Where to listen for HOST:PORT. */
export function placesOf(address: string, servers: readonly string[]): readonly Place[] {
  const [, name = '', digits = ''] = /^(.*):(\d+)$/.exec(address) ?? [];
  const port = Number(digits);
  if (digits === '' || port > 65_535) throw new Error(`${address} is not HOST:PORT`);
  if (name !== 'localhost') return [{ host: name.replace(/^\[(.*)\]$/, '$1') || '0.0.0.0', port }];
  const v6 = servers.some((server) => server.includes(':'));
  const v4 = servers.some((server) => !server.includes(':')) || !v6;
  return [...(v4 ? [{ host: '127.0.0.1', port }] : []), ...(v6 ? [{ host: '::1', port }] : [])];
}

/** All of them or none. */
async function listenAll(
  host: Host,
  places: readonly Place[],
  respond: Responder['respond'],
): Promise<readonly Listener[]> {
  const listening: Listener[] = [];
  try {
    for (const place of places)
      for (const transport of ['udp', 'tcp'] as const satisfies readonly Transport[])
        listening.push(await host.messages.serve(transport, place, (bytes) => respond(transport, bytes)));
    return listening;
  } catch (error) {
    for (const server of listening) server.end();
    throw error;
  }
}
