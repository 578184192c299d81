// An application as a test wants it: answers after DELAY_MS with what it was asked (probes, at /ready, at once), streams for as long at /stream, echoes over a WebSocket,
// and ends at SIGTERM as ON_TERM says: `exit` at once; `close` its listener and finish what runs; or `call-out` first. Runs in a pod, as process 1, so it has to say itself
// what a signal does.
import { createServer as createHttp1, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Server } from 'node:net';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { accept, type Peer } from './websocket.ts';

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const {
  DELAY_MS = '0',
  /** Not empty: what runs is answered when the application is closing. */
  LONG_POLL = '',
  PROTOCOL = 'http1',
  ON_TERM = 'exit',
  PORT = '8080',
  /** After SIGTERM, WebSockets are closed with 1001. */
  GOODBYE_MS = '0',
  /** Whom `call-out` calls, and who is told how that went, without the proxy. */
  CALLS = '100',
  CALL_URL = '',
  REPORT_URL = '',
} = process.env;
const chunkMs = 250;
const calls = { count: Number(CALLS), everyMs: 100, patienceMs: 20_000 } as const;
const goingAway = 1001;

/** Answers, WebSockets and HTTP/2 sessions that have not ended. */
let running = 0;
let closing = false;
const beginsToClose = Promise.withResolvers<void>();
const peers = new Set<Peer>();
const sessions = new Set<{ close: () => void }>();

const server = PROTOCOL === 'http2' ? http2() : http1();
server.listen(Number(PORT));

process.on('SIGTERM', () => {
  if (ON_TERM === 'exit') process.exit(0);
  void (ON_TERM === 'call-out' ? callOut() : Promise.resolve()).then(finish);
});

function http1(): Server {
  const made = createHttp1(answer);
  made.keepAliveTimeout = 600_000;
  made.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const peer = accept(request, socket);
    peers.add(peer);
    runs(socket);
    socket.on('close', () => peers.delete(peer));
  });
  return made;
}

function http2(): Server {
  const made = createHttp2(answer);
  made.on('session', (session) => {
    sessions.add(session);
    runs(session);
    session.on('error', () => undefined).on('close', () => sessions.delete(session));
  });
  return made;
}

function runs(what: { on(event: 'close', then: () => void): unknown }): void {
  running++;
  what.on('close', () => {
    running--;
    endIfIdle();
  });
}

function answer(request: Request, response: Response): void {
  runs(response);
  const ms = request.url === '/ready' ? 0 : Number(DELAY_MS);
  void (request.url === '/stream' ? stream(response, ms) : waited(ms)).then(() => {
    if ('shouldKeepAlive' in response) response.shouldKeepAlive = !closing;
    if (!response.headersSent) response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ pod: hostname(), running, headers: request.headers }));
  });
}

async function waited(ms: number): Promise<void> {
  await Promise.race([setTimeout(ms), ...(LONG_POLL === '' ? [] : [beginsToClose.promise])]);
}

/** Blanks; the last chunk is the answer. */
async function stream(response: Response, ms: number): Promise<void> {
  if ('shouldKeepAlive' in response) response.shouldKeepAlive = false; // when it ends, the application may be closing
  const blanks = setInterval(() => (response as ServerResponse).write(' '), chunkMs);
  await waited(ms);
  clearInterval(blanks);
}

async function finish(): Promise<void> {
  closing = true;
  beginsToClose.resolve();
  server.close(); // the listener and idle connections; its own end would also wait for connections that never were used
  for (const session of sessions) session.close();
  if (peers.size > 0) await setTimeout(Number(GOODBYE_MS));
  for (const peer of peers) peer.close(goingAway);
  endIfIdle();
}

function endIfIdle(): void {
  if (closing && running === 0) process.exit(0);
}

/** What an application may have to say to others before it goes: each call over a connection of its own, none is tried again. */
async function callOut(): Promise<void> {
  const failed: string[] = [];
  const made: Promise<void>[] = [];
  for (let call = 0; call < calls.count; call++) {
    made.push(
      ask(CALL_URL).then(
        () => undefined,
        (error: unknown) => void failed.push(`call ${call}: ${String(error)}`),
      ),
    );
    await setTimeout(calls.everyMs);
  }
  await Promise.all(made);
  const report = { pod: hostname(), calls: calls.count, failed };
  await ask(`${REPORT_URL}?of=${encodeURIComponent(JSON.stringify(report))}`).catch(() => undefined);
}

function ask(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: calls.patienceMs }, (response) => {
      text(response).then(
        (body) => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode} ${body}`))),
        reject,
      );
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${calls.patienceMs} ms`)));
    request.on('error', reject);
  });
}
