// Proves that traffic is led to the proxy: before there is one, this program listens in its place and sends to a port where nobody does.
import type { InterceptConfig } from '../../core/intercept/index.ts';
import type { Host, Server } from '../../ports/host.ts';
import type { Log } from './log.ts';

export interface Validation {
  readonly host: Host;
  readonly log: Log;
  readonly config: InterceptConfig;
  readonly probePort: number;
  readonly withinMs: number;
}

const sendEveryMs = 1000;
/** Where the proxy would listen, and an address of this machine that interception does not leave alone. */
const v4 = { listen: '127.0.0.1', send: '127.0.0.6', from: {} } as const;
/** Of itself a socket to ::6 is bound to ::6, which interception leaves alone. */
const v6 = { listen: '::1', send: '::6', from: { localAddress: '::1' } } as const;

/** A nonce arrives at a port of the proxy. Needs no socket option. Where the pod's first address is IPv6, that family is proved. */
export async function isRedirected(validation: Validation): Promise<boolean> {
  const { host, log, probePort, withinMs } = validation;
  const nonce = host.nonce();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<boolean>();
  const place = host.net.addresses()[0]?.includes(':') === true ? v6 : v4;
  const listeners = await listenAt(validation, place.listen, (text) => {
    if (text.includes(nonce)) arrive(true);
  });
  const send = (): void => {
    void host.net.send({ host: place.send, port: probePort, timeoutMs: sendEveryMs, ...place.from }, nonce);
    callOff = host.clock.after(sendEveryMs, send);
  };
  let callOff = (): void => undefined;
  send();
  const callOffEnd = host.clock.after(withinMs, () => arrive(false));
  const redirected = await arrived;
  callOff();
  callOffEnd();
  for (const listener of listeners) listener.end();
  if (!redirected) log('error', 'traffic is not redirected to the proxy', { withinMs });
  return redirected;
}

async function listenAt(
  { host, log, config }: Validation,
  address: string,
  heard: (text: string) => void,
): Promise<Server[]> {
  const ports = [config.outboundPort, config.inboundPort];
  const tries = await Promise.allSettled(ports.map((port) => host.net.listen({ host: address, port }, heard)));
  for (const one of tries)
    if (one.status === 'rejected') log('error', 'cannot listen in place of the proxy', { problem: String(one.reason) });
  return tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}
