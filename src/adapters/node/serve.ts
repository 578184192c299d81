// The status server's socket: IPv6's wildcard with IPv4 in it, or IPv4 alone where the machine has no IPv6.
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Asked, Handler, Server } from '../../ports/host.ts';

/** Listens on a port of every address; port 0 takes a free one. Rejects where it is taken. */
export async function serve(port: number, answer: Handler): Promise<Server> {
  const server = createServer((request, response) => {
    reply(answer, request, response).catch(() => response.destroy());
  });
  await listen(server, port, '::').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EAFNOSUPPORT' && error.code !== 'EADDRNOTAVAIL') throw error;
    return listen(server, port, '0.0.0.0');
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
    end: () => {
      server.close();
      server.closeAllConnections();
    },
  };
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
  const source = typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
  if (
    /\bgzip\b/.test(String(request.headers['accept-encoding'])) &&
    typeof body === 'object' &&
    !(body instanceof Uint8Array)
  ) {
    response.writeHead(status, { ...headers, 'content-encoding': 'gzip' });
    await pipeline(Readable.from(source, { objectMode: false }), createGzip(), response);
  } else {
    response.writeHead(status, { ...headers });
    await pipeline(Readable.from(source), response);
  }
  afterwards?.();
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
