// The port for who watches the server: metrics, whether it lives, whether it is ready.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

export interface Health {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Serves /metrics, /healthz and /readyz. */
export async function serveHealth(
  at: { readonly host?: string; readonly port: number },
  metrics: Metrics,
  isReady: () => boolean,
): Promise<Health> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0];
    if (path === '/healthz') return void response.end('ok\n');
    if (path === '/readyz')
      return void response.writeHead(isReady() ? 200 : 503).end(isReady() ? 'ok\n' : 'not ready\n');
    if (path !== '/metrics') return void response.writeHead(404).end();
    return void metrics.scrape().then(({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text));
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen({ port: at.port, ...(at.host === undefined ? {} : { host: at.host }) }, resolve);
  await promise;
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
