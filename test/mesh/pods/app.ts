// An application as a test wants it: answers after DELAY_MS with what it was asked (probes, at /ready, at once), and ends at SIGTERM as ON_TERM says. Runs in a pod, as
// process 1, so it has to say itself what a signal does.
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';

const delayMs = Number(process.env['DELAY_MS'] ?? 0);

let running = 0;
let closing = false;

const server = createServer((request, response) => {
  running++;
  response.on('close', () => {
    running--;
    endIfIdle();
  });
  void setTimeout(request.url === '/ready' ? 0 : delayMs).then(() => {
    response.shouldKeepAlive = !closing;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ pod: hostname(), headers: request.headers }));
  });
});
server.keepAliveTimeout = 600_000;
server.listen(8080);

process.on('SIGTERM', () => {
  if (process.env['ON_TERM'] !== 'close') process.exit(0);
  closing = true;
  server.close(); // the listener and idle connections; its own end would also wait for connections that never were used
  endIfIdle();
});

function endIfIdle(): void {
  if (closing && running === 0) process.exit(0);
}
