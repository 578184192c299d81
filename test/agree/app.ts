// An application of every kind that a probe can ask: HTTP that tells what it was asked, HTTPS of both versions, TCP, gRPC's health, metrics.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as http2 from 'node:http2';
import { createServer as createTls } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import type { TestContext } from 'node:test';
import { newAuthority } from '../xds/authority.ts';

export interface App {
  readonly http: number;
  readonly https: number;
  readonly h2: number;
  readonly tcp: number;
  readonly grpc: number;
  /** Nobody listens there. */
  readonly closed: number;
}

const metrics = '# TYPE app counter\napp_total 1\n';
const formats: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/text': ['text/plain; version=0.0.4', metrics],
  '/open': ['application/openmetrics-text; version=1.0.0; charset=utf-8', `${metrics}# EOF\n`],
  '/open1': ['application/openmetrics-text; version=0.0.1', `${metrics}# EOF\n`],
  '/html': ['text/html', metrics],
  '/unended': ['text/plain', 'app_total 1'],
};

/** Starts all of it; ends with the test. */
export async function startApp(t: TestContext): Promise<App> {
  const pair = await (await newAuthority()).issue({ type: 'dns', value: 'app' });
  const closed = await listening(t, createTcp());
  const app = {
    http: await listening(t, createServer(answer)),
    https: await listening(t, createTls(pair, answer)),
    h2: await listening(t, http2.createSecureServer({ ...pair, allowHTTP1: true }, answer)),
    tcp: await listening(
      t,
      createTcp((socket) => socket.destroy()),
    ),
    grpc: await listening(t, healthServer()),
    closed: closed.port,
  };
  closed.server.close();
  return Object.fromEntries(
    Object.entries(app).map(([name, value]) => [name, typeof value === 'number' ? value : value.port]),
  ) as unknown as App;
}

async function listening(
  t: TestContext,
  server: Pick<Server, 'listen' | 'address' | 'close'>,
): Promise<{ port: number; server: typeof server }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, server };
}

function answer(
  request: IncomingMessage | http2.Http2ServerRequest,
  response: ServerResponse | http2.Http2ServerResponse,
): void {
  const { url = '', method, httpVersion } = request;
  const path = url.split('?')[0] ?? '';
  const format = formats[path];
  const {
    ':path': _p,
    ':method': _m,
    ':scheme': _s,
    ':authority': authority,
    host = authority,
    ...headers
  } = request.headers;
  const peer = (request.socket.remoteAddress ?? '').replace('::ffff:', '');
  if (path === '/late') return;
  if (path === '/large') return void response.end('x'.repeat(20_000));
  if (path === '/same') return end(response, 302, '', { location: '/ok' });
  if (path === '/loop') return end(response, 301, '', { location: '/loop' });
  if (path === '/other') return end(response, 307, '', { location: 'http://example.test/' });
  if (format !== undefined)
    return end(response, 200, format[1], { 'content-type': format[0], 'x-accept': headers.accept ?? '' });
  const told = { url, method, httpVersion, host, peer, headers };
  end(response, path === '/missing' ? 404 : path === '/broken' ? 503 : 200, JSON.stringify(told));
}

function end(
  response: ServerResponse | http2.Http2ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.statusCode = status;
  response.end(body);
}

/** Serving, but for the service `sick`; it knows no `unknown`. */
function healthServer(): http2.Http2Server {
  return http2.createServer().on('stream', (stream) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const service = Buffer.concat(chunks).subarray(7).toString('utf8');
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': service === 'unknown' ? '5' : '0' }));
      stream.end(service === 'unknown' ? undefined : Buffer.from([0, 0, 0, 0, 2, 8, service === 'sick' ? 2 : 1]));
    });
  });
}
