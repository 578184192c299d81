// The application and the service elsewhere: HTTP servers of the test's own process, whose requests last as long as their path
// says (`/ms/50`), and which close as applications do on SIGTERM: no new connection, what runs is finished.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';

export interface AppServer {
  /** Stops to listen and finishes what runs; resolves when the last connection has closed. */
  readonly close: () => Promise<void>;
  readonly upgraded: readonly Duplex[];
}

/** An application on a port of loopback. `/stream` sends a byte each 50 ms for ever; an upgrade is accepted and echoed. */
export async function startApp(t: Pick<TestContext, 'after'>, port: number): Promise<AppServer> {
  const upgraded: Duplex[] = [];
  const server = createServer(answer);
  server.keepAliveTimeout = 60_000;
  server.on('upgrade', (_request, socket: Duplex) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.on('data', (chunk: Buffer) => socket.write(chunk));
    socket.on('error', () => undefined);
    upgraded.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of upgraded) socket.destroy();
  });
  return { upgraded, close: () => closed(server) };
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const ms = Number(/^\/ms\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
  if (request.url !== '/stream') return void setTimeout(() => response.end('done'), ms);
  const timer = setInterval(() => response.write('.'), 50);
  response.on('close', () => clearInterval(timer));
}

/** As a well-behaved application: idle connections go at once, busy ones when their response is out. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
