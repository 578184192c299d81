// Load on loopback, bounded in count and time: so many requests a second over kept connections (HTTP/1.1) or sessions (HTTP/2).
// A request is lost when no complete response came, whatever the reason. Nothing is retried, except an HTTP/2 stream that was refused.
import { Agent, get, type RequestOptions } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';

const loopback = '127.0.0.1';

export interface Load {
  /** Requests so far. */
  readonly sent: () => number;
  /** Ends the stream of new requests; resolves when the last one is answered or lost. */
  readonly stop: () => Promise<LoadResult>;
}

interface LoadResult {
  readonly sent: number;
  readonly lost: readonly string[];
  /** When the last answer came. */
  readonly lastMs: number;
}

interface Pace {
  /** Loopback unless told. */
  readonly host?: string;
  readonly port: number;
  readonly perSecond: number;
  readonly path: string;
  readonly protocol: 'http1' | 'http2';
  /** No load sends more, whatever the test forgets. */
  readonly requestsAtMost?: number;
}

export function startLoad(pace: Pace): Load {
  const { perSecond, path, requestsAtMost = 6000 } = pace;
  const client = pace.protocol === 'http1' ? http1(pace) : http2(pace);
  const lost: string[] = [];
  const running = new Set<Promise<void>>();
  const beganMs = performance.now();
  let sent = 0;
  let lastMs = 0;
  const send = (): void => {
    sent++;
    const done: Promise<void> = client
      .request(path)
      .catch((error: unknown) => void lost.push(`${Math.round(performance.now() - beganMs)} ms: ${String(error)}`))
      .then(() => {
        lastMs = performance.now();
        running.delete(done);
      });
    running.add(done);
  };
  const timer = setInterval(() => {
    const due = Math.min(requestsAtMost, ((performance.now() - beganMs) / 1000) * perSecond);
    for (let missing = Math.floor(due) - sent; missing > 0; missing--) send();
  }, 5);
  const stop = async (): Promise<LoadResult> => {
    clearInterval(timer);
    await Promise.all(running);
    client.close();
    return { sent, lost, lastMs };
  };
  return { sent: () => sent, stop };
}

interface Client {
  readonly request: (path: string) => Promise<void>;
  readonly close: () => void;
}

function http1({ host = loopback, port }: Pace): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  return { request: (path) => answered({ host, port, path, agent }), close: () => agent.destroy() };
}

/** One request; resolves with its complete answer 200. */
export function getOnce(port: number, path: string): Promise<void> {
  return answered({ host: loopback, port, path, agent: false });
}

function answered(request: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    get(request, (response) => {
      response.on('error', reject);
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
      );
    }).on('error', reject);
  });
}

/** Four sessions in turn; one that was told to go away is replaced, and finishes what it has. */
function http2({ host = loopback, port }: Pace): Client {
  const open = (): ClientHttp2Session => connect(`http://${host}:${port}`).on('error', () => undefined);
  const sessions = Array.from({ length: 4 }, open);
  let turn = 0;
  const pick = (): ClientHttp2Session => {
    turn = (turn + 1) % sessions.length;
    const session = sessions[turn];
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const next = open();
    sessions[turn] = next;
    return next;
  };
  const once = (path: string): Promise<'answered' | 'refused'> =>
    new Promise((resolve, reject) => {
      const stream = pick().request({ ':path': path });
      let status = 0;
      stream.on('response', (headers) => {
        status = headers[':status'] ?? 0;
      });
      stream.on('error', (error) =>
        stream.rstCode === constants.NGHTTP2_REFUSED_STREAM ? resolve('refused') : reject(error),
      );
      stream.resume();
      stream.on('end', () => (status === 200 ? resolve('answered') : reject(new Error(`status ${status}`))));
      stream.on('close', () => reject(new Error('closed before its end')));
    });
  // A refused stream was never begun (RFC 9113, 8.7): it crossed a GOAWAY, and belongs on another session.
  const request = async (path: string): Promise<void> => {
    for (let tries = 0; tries <= sessions.length; tries++) if ((await once(path)) === 'answered') return;
    throw new Error('every session refuses');
  };
  return { request, close: () => sessions.forEach((session) => session.destroy()) };
}
