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
  if (typeof body === 'string' || body instanceof Uint8Array) {
    // Most answers, by far: a probe a second for years. No stream is made for them.
    response.writeHead(status, headers);
    response.end(body, afterwards);
    return;
  }
  const zip = /\bgzip\b/.test(String(request.headers['accept-encoding']));
  response.writeHead(status, { ...headers, ...(zip ? { 'content-encoding': 'gzip' } : {}) });
  const source = Readable.from(body, { objectMode: false });
  await (zip ? pipeline(source, createGzip(), response) : pipeline(source, response));
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
