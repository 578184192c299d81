// Requests, dials and the status server over plain sockets. Every request has its own connection: the agent asks seldom, and a
// kept connection to Envoy or to the application would count as work in progress.
import { lookup as lookupAll } from 'node:dns/promises';
import * as http from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Dialled, DialTarget, Fetched, HostNet, HttpRequest, Opened, Server } from '../../ports/host.ts';
import { grpcHealth } from './grpc-health.ts';
import { serve } from './serve.ts';
import { openTls } from './tls-request.ts';

export const nodeNet: HostNet = { fetch: fetchWhole, open, dial, grpcHealth, serve, listen, send, addresses, lookup };

const defaultMaxBytes = 2 ** 24;

async function fetchWhole(request: HttpRequest): Promise<Fetched> {
  const opened = await open(request);
  if (opened.kind === 'failed') return opened;
  const { maxBytes = defaultMaxBytes } = request;
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of opened.body) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    return { kind: 'failed', problem: messageOf(error) };
  }
  return { ...opened, body: Buffer.concat(chunks), cut: size > maxBytes };
}

function open(request: HttpRequest): Promise<Opened> {
  if (request.tls === true) return openTls(request);
  const { promise, resolve } = Promise.withResolvers<Opened>();
  const { timeoutMs } = request;
  const asked = http.request(optionsOf(request), (response) => {
    resolve({ kind: 'answer', status: response.statusCode ?? 0, headers: response.headers, body: response });
    response.on('close', () => clearTimeout(timer));
    response.on('end', () => clearTimeout(timer));
  });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => asked.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  asked.on('error', (error) => {
    clearTimeout(timer);
    resolve({ kind: 'failed', problem: messageOf(error) });
  });
  asked.end(request.body);
  return promise;
}

function optionsOf(request: HttpRequest): http.RequestOptions {
  const { method, host, port, path, headers = {}, localAddress } = request;
  return {
    method,
    host,
    port,
    path,
    headers: headers as http.OutgoingHttpHeaders,
    agent: false,
    setHost: !('host' in headers),
    ...(localAddress === undefined ? {} : { localAddress }),
  };
}

function dial(target: DialTarget): Promise<Dialled> {
  return send(target, '');
}

function listen(at: { readonly host: string; readonly port: number }, heard: (text: string) => void): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const server = createServer((socket) => {
    socket.on('data', (chunk) => heard(String(chunk)));
    socket.on('error', () => undefined);
  });
  const close = (): void => void server.close();
  server.once('error', reject);
  server.listen(at, () => resolve({ port: (server.address() as AddressInfo).port, close, end: close }));
  return promise;
}

function send({ host, port, timeoutMs, localAddress }: DialTarget, text: string): Promise<Dialled> {
  const { promise, resolve } = Promise.withResolvers<Dialled>();
  const socket = connect({ host, port, ...(localAddress === undefined ? {} : { localAddress }) });
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => resolve({ kind: 'failed', problem: `no connection within ${timeoutMs} ms` }), timeoutMs);
  socket.on('connect', () =>
    text === '' ? resolve({ kind: 'open' }) : socket.end(text, () => resolve({ kind: 'open' })),
  );
  socket.on('error', (error: NodeJS.ErrnoException) =>
    resolve(error.code === 'ECONNREFUSED' ? { kind: 'refused' } : { kind: 'failed', problem: messageOf(error) }),
  );
  return promise.finally(() => {
    clearTimeout(timer);
    socket.destroy();
  });
}

function addresses(except: readonly string[] = []): readonly string[] {
  return Object.entries(networkInterfaces())
    .filter(([name]) => !except.includes(name))
    .flatMap(([, interfaces = []]) => interfaces.filter(({ internal }) => !internal).map(({ address }) => address))
    .filter((address) => !/^(?:fe[89ab][0-9a-f]:|169\.254\.|127\.|::1$|::$|0\.0\.0\.0$)/i.test(address))
    .map((address) => address.replace(/^::ffff:(?=\d+\.)/i, ''));
}

async function lookup(name: string): Promise<readonly string[]> {
  try {
    return (await lookupAll(name, { all: true, order: 'ipv4first' })).map(({ address }) => address);
  } catch {
    return [];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
