// How a client asks, a way for each kind of traffic. A call is lost when it has no complete answer 200, or when its stream or its WebSocket ended before the application or
// the client itself ended it. Nothing is tried again here, but an HTTP/2 stream that was refused (RFC 9113, 8.7: it was never begun).
import { Agent, get } from 'node:http';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: object;
  readonly body: string;
}

export interface Caller {
  /** The answer, when the call has ended whole; rejects with the reason why it is lost. */
  readonly call: () => Promise<string>;
  readonly close: () => void;
}

export type Kind = 'http1' | 'http2' | 'websocket';

const patienceMs = 120_000;

export function callerOf(kind: Kind, url: string): Caller {
  switch (kind) {
    case 'http1':
      return http1(url);
    case 'http2':
      return http2(url);
    case 'websocket':
      return { call: () => conversation(url), close: () => undefined };
  }
}

/** One request over HTTP/1.1. */
export function ask(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: patienceMs }, (response) => {
      const { statusCode = 0, headers } = response;
      text(response).then((body) => resolve({ status: statusCode, headers, body }), reject);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${patienceMs} ms`)));
    request.on('error', reject);
  });
}

/** The application's answers, streams too, end with its JSON. */
function whole({ status, body }: Pick<Answer, 'status' | 'body'>): string {
  if (status !== 200) throw new Error(`status ${status} ${body}`);
  if (!body.endsWith('}')) throw new Error(`no end: ${body.length} bytes`);
  return body;
}

function http1(url: string): Caller {
  const agent = new Agent({ keepAlive: true });
  return { call: async () => whole(await ask(url, agent)), close: () => agent.destroy() };
}

/** Four sessions in turn; one that was told to go away is replaced, and finishes what it has. */
function http2(url: string): Caller {
  const { origin, pathname } = new URL(url);
  const open = (): ClientHttp2Session => connect(origin).on('error', () => undefined);
  const sessions = Array.from({ length: 4 }, open);
  let turn = 0;
  const next = (): ClientHttp2Session => {
    turn = (turn + 1) % sessions.length;
    const session = sessions[turn];
    if (session !== undefined && !session.closed && !session.destroyed) return session;
    const replaced = open();
    sessions[turn] = replaced;
    return replaced;
  };
  const call = async (): Promise<string> => {
    for (let tries = 0; tries <= sessions.length; tries++) {
      const answer = await askStream(next(), pathname);
      if (answer !== 'refused') return whole(answer);
    }
    throw new Error('every session refuses');
  };
  return { call, close: () => sessions.forEach((session) => session.destroy()) };
}

function askStream(session: ClientHttp2Session, path: string): Promise<Pick<Answer, 'status' | 'body'> | 'refused'> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path });
    let [status, body, ended] = [0, '', false];
    stream.setTimeout(patienceMs, () => stream.close(constants.NGHTTP2_CANCEL));
    stream.setEncoding('utf8');
    stream.on('response', (headers) => (status = headers[':status'] ?? 0));
    stream.on('data', (chunk: string) => (body += chunk));
    stream.on('end', () => (ended = true));
    stream.on('error', reject).on('close', () => {
      if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) resolve('refused');
      else if (ended && stream.rstCode === constants.NGHTTP2_NO_ERROR) resolve({ status, body });
      else reject(new Error(`reset with ${stream.rstCode} after ${body.length} bytes`));
    });
  });
}

/** How long the client wants to talk; the application may go away before. */
const talkMs = 15_000;
const everyMs = 500;
const [normal, goingAway] = [1000, 1001] as const;

function conversation(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    let [heard, enough] = [0, false];
    const talk = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send('are you there?');
    }, everyMs);
    let hangUp = setTimeout(() => socket.close(), patienceMs);
    socket.addEventListener('open', () => {
      clearTimeout(hangUp);
      hangUp = setTimeout(() => {
        enough = true;
        socket.close(normal);
      }, talkMs);
    });
    socket.addEventListener('message', () => heard++);
    socket.addEventListener('close', ({ code }) => {
      clearInterval(talk);
      clearTimeout(hangUp);
      const isWhole = code === goingAway || (enough && code === normal && heard > 0);
      if (isWhole) resolve('');
      else reject(new Error(`closed with ${code} after ${heard} echoes`));
    });
  });
}
