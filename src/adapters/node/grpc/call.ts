// One call of a client: its stream, its deadline, and how it ended. Whatever happens to the connection, the call ends with a status: the
// server's where it told one, also when the call was cancelled before its stream was closed.
import { type ClientHttp2Session, type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import type { GrpcClientCall, GrpcOptions, GrpcStatus } from '../../../ports/grpc.ts';
import { statusIn, statusOfHttp, statusOfReset } from './status.ts';
import { directionsOf } from './stream.ts';

export interface Connection {
  readonly session: ClientHttp2Session;
  readonly authority: string;
  readonly scheme: string;
  /** Ends it, and its calls with UNAVAILABLE and this reason. */
  readonly lose: (reason: string) => void;
  /** Why it was lost. */
  readonly why: () => string;
}

export function openCall(connection: Connection, method: string, options: GrpcOptions): GrpcClientCall {
  const { timeoutMs } = options;
  const stream = requestOf(connection, method, options);
  let own: GrpcStatus | undefined;
  const end = (status: GrpcStatus): void => {
    own ??= status;
    stream.close(constants.NGHTTP2_CANCEL);
  };
  const late: GrpcStatus = { code: 'DEADLINE_EXCEEDED', message: `not done within ${timeoutMs} ms` };
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end(late), timeoutMs);
  const ended = endOf(stream, connection, () => own).finally(() => clearTimeout(timer));
  return {
    ...directionsOf(stream, end),
    ended,
    closeSend: () => stream.end(),
    cancel: () => end({ code: 'CANCELLED', message: 'cancelled here' }),
  };
}

function requestOf(
  { session, scheme, authority }: Connection,
  method: string,
  options: GrpcOptions,
): ClientHttp2Stream {
  const { metadata = {}, timeoutMs } = options;
  refuseUnsendable(metadata);
  return session.request({
    ':method': 'POST',
    ':path': method,
    ':scheme': scheme,
    ':authority': authority,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(timeoutMs === undefined ? {} : { 'grpc-timeout': `${Math.max(1, Math.floor(timeoutMs))}m` }),
    ...metadata,
  });
}

/** Half a token, or one with a line break in it. Node would throw something like this, and Bun would lose the connection. */
function refuseUnsendable(metadata: Readonly<Record<string, string>>): void {
  const name = Object.keys(metadata).find((each) => !/^[\x20-\x7e]*$/.test(metadata[each] ?? ''));
  if (name !== undefined) throw new Error(`the metadata "${name}" has characters that cannot be sent`);
}

function endOf(
  stream: ClientHttp2Stream,
  { session, why }: Connection,
  own: () => GrpcStatus | undefined,
): Promise<GrpcStatus> {
  const { promise, resolve } = Promise.withResolvers<GrpcStatus>();
  let told: GrpcStatus | undefined;
  let http = 200;
  const hear = (headers: IncomingHttpHeaders): void => {
    http = Number(headers[':status'] ?? http);
    told ??= statusIn(headers);
    if (told !== undefined) stream.end(); // the server is through; what we still wanted to say, nobody reads
  };
  stream.on('response', hear);
  stream.on('trailers', hear);
  stream.on('error', () => undefined); // `close` follows
  stream.on('end', () => stream.end());
  stream.on('close', () => {
    const lost = session.destroyed ? ({ code: 'UNAVAILABLE', message: why() } as const) : undefined;
    const server = told ?? (http === 200 ? undefined : statusOfHttp(http));
    resolve(firstOf(own(), server) ?? lost ?? statusOfReset(stream.rstCode));
  });
  return promise;
}

/** What was too long or too late here is so whatever the server says; a call that was cancelled may have been over before. */
function firstOf(own: GrpcStatus | undefined, server: GrpcStatus | undefined): GrpcStatus | undefined {
  return own?.code === 'CANCELLED' ? (server ?? own) : (own ?? server);
}
