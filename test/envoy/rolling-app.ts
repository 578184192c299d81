// The application of the rolling restart, a program of its own: answers on PORT; on SIGTERM it stops to listen, finishes what runs, and a
// while later still calls out through its proxy, as one that hands over its work does. Leaves with 1 where nobody took that call.
import { createServer, get } from 'node:http';

const { PORT = '8080', CALL = '' } = process.env;
/** Longer than two dials, a second apart, take to find the port closed. */
const farewellAfterMs = 2500;

const server = createServer((request, response) => {
  const ms = Number(/^\/ms\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
  setTimeout(() => response.end('done'), ms);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(PORT), '0.0.0.0');

process.once('SIGTERM', () => {
  server.close();
  setTimeout(sayFarewell, farewellAfterMs);
});

function sayFarewell(): void {
  get(CALL, { agent: false }, (response) => {
    response.resume();
    process.exit(response.statusCode === 200 ? 0 : 1);
  }).on('error', () => process.exit(1));
}
