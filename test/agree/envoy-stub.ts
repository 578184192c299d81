// In the place of Envoy, in the folder of a scene: answers its administration's and its metrics' port as stub.json says, and writes down what it
// was started with, what it was asked and which signals came, a line each, into stub.log.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface Stub {
  readonly admin: number;
  readonly prometheus: number;
  /** Answers to one question after the other about active connections; the last one stays. `error` is a status 500. */
  readonly counts: readonly (number | 'error' | 'none')[];
  /** Present from the start, or once the file `ready` is there. */
  readonly ready: 'at-once' | 'by-file';
  /** Ends by itself with this status, once the file `end` is there. */
  readonly endsWith: number;
}

const stub = JSON.parse(readFileSync('stub.json', 'utf8')) as Stub;
const write = (line: string): void => appendFileSync('stub.log', `${line}\n`);
let counted = 0;

function stats(url: string): string | undefined {
  const isReady = stub.ready === 'at-once' || existsSync('ready');
  if (url.includes('cluster_manager'))
    return isReady ? 'cluster_manager.cds.update_success: 1\nlistener_manager.lds.update_success: 1\n' : '';
  if (url.includes('server')) return 'server.state: 0\nlistener_manager.workers_started: 1\n';
  const count = stub.counts[Math.min(counted++, stub.counts.length - 1)];
  write(`count ${decodeURIComponent(url)}`);
  if (count === 'error') return undefined;
  return count === 'none' ? '' : `listener.0.0.0.0_15006.downstream_cx_active: ${count}\n`;
}

function administer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  if (method === 'GET' && url.startsWith('/stats')) {
    const body = stats(url);
    response.writeHead(body === undefined ? 500 : 200).end(body);
    return;
  }
  write(`${method} ${url}`);
  response.end('OK\n');
}

function tellMetrics({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  write(`metrics ${url} ${headers.accept} ${headers['user-agent']} ${headers['x-prometheus-scrape-timeout-seconds']}`);
  response.setHeader('content-type', 'text/plain; version=0.0.4');
  response.end('# TYPE envoy_stub counter\nenvoy_stub 1\n');
}

write(`args ${JSON.stringify(process.argv.slice(2))}`);
createServer(administer).listen(stub.admin, '127.0.0.1');
createServer(tellMetrics).listen(stub.prometheus, '127.0.0.1');
process.on('SIGTERM', () => {
  write('SIGTERM');
  process.exit(0);
});
setInterval(() => {
  if (existsSync('end')) process.exit(stub.endsWith);
}, 20);
