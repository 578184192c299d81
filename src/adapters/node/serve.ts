// The status server's socket: IPv6's wildcard with IPv4 in it, or IPv4 alone where the machine has no IPv6.
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import type { Asked, Handler, Server } from '../../ports/host.ts';
import { processUsage } from './usage.ts';

/** A client may be slow, but not for ever: each connection costs memory that the application's pod pays for. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 120_000,
  connectionsCheckingInterval: 5000,
};
/** Each costs up to 8 KB until it is ended, and whoever holds all of them keeps others out. */
const connectionsAtMost = 4000;

/** Listens on a port of every address; port 0 takes a free one. Rejects where it is taken. */
export async function serve(port: number, answer: Handler): Promise<Server> {
  const server = createServer(limits, (request, response) => {
    reply(answer, request, response).catch(() => response.destroy());
  });
  // Half of the descriptors remain for what the answers need.
  server.maxConnections = Math.min(connectionsAtMost, Math.floor(processUsage().openFilesAtMost / 2));
  await listen(server, port, '::').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EAFNOSUPPORT' && error.code !== 'EADDRNOTAVAIL') throw error;
    return listen(server, port, '0.0.0.0');
  });
  // A connection that cannot be taken (no descriptors left) is lost; the server lives on.
  server.on('error', () => undefined);
  server.on('clientError', (_, socket) => refuse(socket));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
    end: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What is no HTTP: told so where that is still possible. */
function refuse(socket: Duplex): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  else socket.destroy();
}

function listen(server: NodeServer, port: number, host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port, host }, () => {
    server.off('error', reject);
    resolve();
  });
  return promise;
}

async function reply(answer: Handler, request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  const { status, headers = {}, body, afterwards } = await answer(askedBy(request));
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  if (isText && body.length < smallBytes) {
    // Most answers, by far: a probe a second for years. No stream is made for them.
    response.writeHead(status, headers);
    response.end(body, afterwards);
    return;
  }
  const coding = request.method === 'HEAD' ? undefined : codingOf(request.headers['accept-encoding'] ?? '');
  const coded = coding === undefined ? {} : { 'content-encoding': coding };
  response.writeHead(status, { ...headers, vary: 'accept-encoding', ...coded });
  const source = Readable.from(isText ? [Buffer.from(body)] : body, { objectMode: false });
  await (coding === undefined ? pipeline(source, response) : pipeline(source, compressor[coding](), response));
  afterwards?.();
}

/** Below this, compression costs more than it saves. */
const smallBytes = 1024;

const compressor = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: () => createGzip(),
} as const;

type Coding = keyof typeof compressor;

/** The heavier of the two that the client takes; zstd where both weigh the same. */
export function codingOf(accepted: string): Coding | undefined {
  const weights = new Map(
    accepted.split(',').map((word) => {
      const [name = '', ...parameters] = word.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((part) => part.startsWith('q='))?.slice('q='.length) ?? '1';
      return [name, Number(weight) || 0] as const;
    }),
  );
  const [zstd = 0, gzip = 0] = [weights.get('zstd'), weights.get('gzip')];
  if (zstd <= 0 && gzip <= 0) return undefined;
  return zstd >= gzip ? 'zstd' : 'gzip';
}

function askedBy(request: IncomingMessage): Asked {
  const url = request.url ?? '/';
  const at = url.indexOf('?');
  return {
    method: request.method ?? 'GET',
    path: at === -1 ? url : url.slice(0, at),
    query: at === -1 ? '' : url.slice(at + 1),
    headers: request.headers,
    remoteAddress: (request.socket.remoteAddress ?? '').replace(/^::ffff:/, ''),
  };
}
