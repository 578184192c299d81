// Asks a connection now and then whether somebody is still there.
import type { ClientHttp2Session } from 'node:http2';
import type { GrpcTarget } from '../../../ports/grpc.ts';

/** What it needs of a session of HTTP/2. */
export interface Pinged extends Pick<ClientHttp2Session, 'destroyed'> {
  readonly ping: (answered: () => void) => boolean;
  readonly on: (event: 'close', heard: () => void) => unknown;
}

/** Pings until the session closes; the first ping that nobody answers in time loses it. */
export function keepAlive(session: Pinged, keepalive: GrpcTarget['keepalive'], lose: (reason: string) => void): void {
  if (keepalive === undefined) return;
  const { everyMs, timeoutMs } = keepalive;
  const timer = setInterval(() => {
    if (session.destroyed) return; // `close` comes in a later turn of the loop, and a ping would throw
    const late = setTimeout(() => lose(`no answer to a ping within ${timeoutMs} ms`), timeoutMs);
    if (!session.ping(() => clearTimeout(late))) clearTimeout(late);
  }, everyMs);
  timer.unref();
  session.on('close', () => clearInterval(timer));
}
