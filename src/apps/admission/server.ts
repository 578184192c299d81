// The HTTPS listener: HTTP/2 and HTTP/1.1 on one port, certificates that change while it serves, and a drain that loses no request.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { UsageError } from '../../core/std/errors.ts';
import type { Request } from './body.ts';
import type { Response } from './routes.ts';

export interface Certificate {
  /** PEM, the leaf first. */
  readonly cert: string;
  readonly key: string;
}

export interface Listener {
  readonly port: number;
  /** New connections get the new certificate; those that are open keep theirs. Throws where the pair does not fit. */
  readonly useCertificate: (certificate: Certificate) => void;
  /** Stops listening, lets what runs finish until the deadline, then cuts. */
  readonly close: (deadlineMs: number) => Promise<void>;
}

export interface ListenOptions {
  readonly host: string | undefined;
  readonly port: number;
  readonly certificate: Certificate;
  readonly onRequest: (request: Request, response: Response) => Promise<void>;
}

/** API servers drop an idle connection after 90 s; whoever closes second never cuts a request that is under way. */
const idleMs = 120_000;
const headersMs = 10_000;
/** A whole review, at the slowest that is not an attack. */
const requestMs = 30_000;
/** At once in one session; Go's servers say the same. */
const mostStreams = 250;

export async function listen({ host, port, certificate, onRequest }: ListenOptions): Promise<Listener> {
  requireFit(certificate);
  const server = createSecureServer({ ...certificate, allowHTTP1: true, minVersion: 'TLSv1.2', ...limits });
  const open = trackConnections(server, onRequest);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  await promise;
  // A client that ends in the middle of a handshake is no reason to end.
  server.on('error', () => {});
  return {
    port: (server.address() as AddressInfo).port,
    useCertificate: (next) => {
      requireFit(next);
      server.setSecureContext({ ...next, minVersion: 'TLSv1.2' });
    },
    close: (deadlineMs) => closeGently(server, open, deadlineMs),
  };
}

/** An empty half is no error to Node: it would serve, and fail every handshake. So a file would look while somebody writes it. */
function requireFit({ cert, key }: Certificate): void {
  if (fits(cert, key)) return;
  throw new UsageError('the certificate and its key do not fit', {
    hint: 'both are PEM, the leaf first, its key not encrypted',
  });
}

function fits(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** Node reads them for HTTP/1.1 connections of this server too, but its types know them for plain servers only. */
const limits = {
  keepAliveTimeout: idleMs,
  headersTimeout: headersMs,
  requestTimeout: requestMs,
  settings: { maxConcurrentStreams: mostStreams },
};

interface Connections {
  /** Requests that each HTTP/1.1 connection has under way. */
  readonly sockets: Map<Socket, number>;
  readonly sessions: Set<ServerHttp2Session>;
  closing: boolean;
}

function trackConnections(server: Http2SecureServer, onRequest: ListenOptions['onRequest']): Connections {
  const open: Connections = { sockets: new Map(), sessions: new Set(), closing: false };
  // Node's HTTP servers do it, this one does not: an answer would wait, up to 40 ms, until the client has acknowledged the handshake's last packets.
  server.on('connection', (socket: Socket) => void socket.setNoDelay());
  server.on('secureConnection', (socket: Socket) => {
    open.sockets.set(socket, 0);
    socket.on('close', () => open.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  server.on('session', (session) => trackSession(open, session));
  server.on('request', (request: Request, response: Response) => {
    const socket = request.httpVersionMajor === 1 ? request.socket : undefined;
    if (socket !== undefined) open.sockets.set(socket, (open.sockets.get(socket) ?? 0) + 1);
    response.on('close', () => finish(open, socket));
    if ('stream' in request) limitStream(request.stream);
    void onRequest(request, response);
  });
  return open;
}

function trackSession({ sessions }: Connections, session: ServerHttp2Session): void {
  sessions.add(session);
  session.setTimeout(idleMs, () => session.close());
  session.on('close', () => sessions.delete(session));
  session.on('error', () => session.destroy());
}

/** What Node does for HTTP/1.1 itself. */
function limitStream(stream: ServerHttp2Stream): void {
  const cut = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), requestMs);
  stream.on('close', () => clearTimeout(cut));
}

function finish(open: Connections, socket: Socket | undefined): void {
  if (socket === undefined || !open.sockets.has(socket)) return;
  const busy = (open.sockets.get(socket) ?? 1) - 1;
  open.sockets.set(socket, busy);
  if (open.closing && busy === 0) socket.end();
}

async function closeGently(server: Http2SecureServer, open: Connections, deadlineMs: number): Promise<void> {
  open.closing = true;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  for (const session of open.sessions) session.close();
  for (const [socket, busy] of open.sockets) if (busy === 0 && !isOfSession(socket, open)) socket.end();
  const cut = setTimeout(() => {
    for (const session of open.sessions) session.destroy();
    for (const socket of open.sockets.keys()) socket.destroy();
  }, deadlineMs);
  await promise;
  clearTimeout(cut);
}

/** The socket of an HTTP/2 session is a proxy there; addresses tell. */
function isOfSession(socket: Socket, { sessions }: Connections): boolean {
  return [...sessions].some((session) => session.socket.remotePort === socket.remotePort);
}
