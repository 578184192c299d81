// HTTP/1.1 to one API server: single requests and streams of JSON lines. Keeps connections, applies fresh credentials to each
// request, bounds what it reads, and turns whatever breaks into one kind of error.
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest, type RequestOptions } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { TransientError } from '../../core/std/errors.ts';
import type { ClusterAnswer, ClusterRequest } from '../../ports/cluster.ts';

/** Where the server is and how to log in; asked again for each request, since tokens expire. */
export interface Server {
  readonly url: URL;
  readonly options: () => Promise<RequestOptions>;
}

export interface Transport {
  readonly send: (request: Wanted) => Promise<ClusterAnswer & { readonly retryAfterMs?: number }>;
  readonly stream: (request: Wanted, listener: StreamListener) => { readonly abort: () => void };
  readonly close: () => void;
}

export interface Wanted extends ClusterRequest {
  readonly timeoutMs?: number;
}

export interface StreamListener {
  /** One value a line. */
  readonly value: (value: unknown) => void;
  /** Once, at the end; never after an abort. */
  readonly end: (ended: StreamEnd) => void;
}

export type StreamEnd =
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly status?: number; readonly retryAfterMs?: number; readonly message: string };

/** An object is at most 1.5 MB in the store; escapes may double it. */
const longestLine = 8 * 2 ** 20;
const longestBody = 256 * 2 ** 20;
const usualTimeoutMs = 30_000;
/** TCP's own keep-alive finds a dead peer where no data has to be sent. */
const keepAliveMs = 15_000;

export function transport(server: Server): Transport {
  const plain = server.url.protocol === 'http:';
  const agentOptions = { keepAlive: true, keepAliveMsecs: keepAliveMs };
  const agent = plain ? new PlainAgent(agentOptions) : new Agent(agentOptions);
  const open = async (wanted: Wanted, signal: AbortSignal): Promise<IncomingMessage> => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const body = wanted.body === undefined ? undefined : JSON.stringify(wanted.body);
    const options = await server.options();
    const send = plain ? plainRequest : secureRequest;
    const sent = send(new URL(join(server.url, wanted.path)), {
      agent,
      ...options,
      method: wanted.method,
      headers: headersOf(wanted, options, body),
    });
    sent.on('response', (response) => {
      // An abort while a line is being handled finds no reader: the reader sees it with the next read.
      response.on('error', () => {});
      resolve(response);
    });
    // Without an error: one would come out of a socket that nobody listens to any more.
    const stop = (): void => void sent.destroy();
    signal.addEventListener('abort', stop, { once: true });
    sent.on('close', () => signal.removeEventListener('abort', stop));
    sent.on('error', reject).end(body);
    if (signal.aborted) stop();
    return promise;
  };
  return {
    send: (wanted) => sendOnce(open, wanted),
    stream: (wanted, listener) => {
      const abort = new AbortController();
      void readStream(() => open(wanted, abort.signal), listener, abort.signal);
      return { abort: () => abort.abort() };
    },
    close: () => agent.destroy(),
  };
}

type Open = (wanted: Wanted, signal: AbortSignal) => Promise<IncomingMessage>;

async function sendOnce(open: Open, wanted: Wanted): ReturnType<Transport['send']> {
  const signal = AbortSignal.timeout(wanted.timeoutMs ?? usualTimeoutMs);
  try {
    const response = await open(wanted, signal);
    const text = await readAll(response);
    const after = retryAfter(response);
    return {
      status: response.statusCode ?? 0,
      body: parse(text),
      ...(after === undefined ? {} : { retryAfterMs: after }),
    };
  } catch (cause) {
    throw new TransientError(`${wanted.method} ${wanted.path}: ${messageOf(cause)}`, { cause });
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestBody) throw new Error(`an answer of more than ${longestBody} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readStream(
  open: () => Promise<IncomingMessage>,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  const end = (ended: StreamEnd): void => {
    if (!signal.aborted) listener.end(ended);
  };
  try {
    const response = await open();
    if (response.statusCode !== 200) {
      const message = (await readAll(response)).slice(0, 200);
      const after = retryAfter(response);
      end({
        kind: 'failed',
        status: response.statusCode ?? 0,
        message,
        ...(after === undefined ? {} : { retryAfterMs: after }),
      });
      return;
    }
    await readLines(response, (line) => {
      if (!signal.aborted) listener.value(JSON.parse(line));
    });
    end({ kind: 'closed' });
  } catch (cause) {
    end({ kind: 'failed', message: messageOf(cause) });
  }
}

async function readLines(response: IncomingMessage, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of response as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > longestLine) throw new Error(`a line of more than ${longestLine} characters`);
    for (const line of lines) if (line !== '') take(line);
  }
}

function headersOf(
  { accept, contentType }: Wanted,
  options: RequestOptions,
  body: string | undefined,
): Record<string, string> {
  const length =
    body === undefined
      ? {}
      : { 'content-type': contentType ?? 'application/json', 'content-length': String(Buffer.byteLength(body)) };
  return {
    ...(options.headers as Record<string, string> | undefined),
    accept: accept ?? 'application/json',
    'user-agent': 'fairway',
    ...length,
  };
}

/** A server may live below a path of a proxy. */
function join({ origin, pathname }: URL, path: string): string {
  return origin + (pathname === '/' ? '' : pathname.replace(/\/$/, '')) + path;
}

function retryAfter({ headers }: IncomingMessage): number | undefined {
  const seconds = Number(headers['retry-after']);
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 120) * 1000 : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
