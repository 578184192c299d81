// The socket of a run: HTTP on a Unix socket that only its user may open. Requests and answers are JSON; logs and the output of commands are
// streams. The client in `client.ts` is its other half; the protocol between them is nobody else's.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { json } from 'node:stream/consumers';
import { SpecError, UsageError } from '../../core/std/errors.ts';
import { frame, frameWriter } from './frames.ts';
import type { PodHost } from './host.ts';
import { decodeManifests, type WireManifests } from './wire.ts';

export interface SocketServer {
  close(): Promise<void>;
}

/** Listens at `path`; a socket that nobody answers at is replaced, a living one is a UsageError. */
export async function serve(host: PodHost, path: string): Promise<SocketServer> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (await answers(path)) {
    throw new UsageError(`another fairway pod run serves at ${path}`, { hint: 'give this one --socket FILE' });
  }
  rmSync(path, { force: true });
  const server = createServer((request, response) => void handle(host, request, response));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  const mask = process.umask(0o077);
  server.listen(path, resolve);
  process.umask(mask);
  await promise;
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      rmSync(path, { force: true });
    },
  };
}

function answers(path: string): Promise<boolean> {
  if (!existsSync(path)) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path);
  socket.once('connect', () => {
    socket.destroy();
    resolve(true);
  });
  socket.once('error', () => resolve(false));
  return promise;
}

async function handle(host: PodHost, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await route(host, request, response);
  } catch (error) {
    const known = error instanceof UsageError || error instanceof SpecError;
    const message = error instanceof Error ? error.message : String(error);
    const problems = error instanceof SpecError ? error.problems : undefined;
    const hint = error instanceof UsageError ? error.hint : undefined;
    if (response.headersSent) response.end(frame('error', message));
    else answer(response, known ? 400 : 500, { message, hint, problems });
  }
}

async function route(host: PodHost, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://socket');
  const query = url.searchParams;
  switch (`${request.method} ${url.pathname}`) {
    case 'GET /pods':
      return answer(response, 200, { pods: host.pods(), deployments: host.deployments() });
    case 'POST /apply':
      return answer(response, 200, host.apply(decodeManifests((await json(request)) as WireManifests)));
    case 'POST /delete': {
      const { reference, gracePeriodSeconds } = (await json(request)) as DeleteRequest;
      host.delete(reference, gracePeriodSeconds);
      return answer(response, 200, {});
    }
    case 'GET /logs':
      return sendLog(
        host,
        { pod: query.get('pod') ?? '', container: query.get('container') ?? '', previous: query.has('previous') },
        response,
      );
    case 'POST /exec':
      return await runExec(host, query, { request, response });
    default:
      return answer(response, 404, { message: `no such request: ${request.method} ${url.pathname}` });
  }
}

export interface DeleteRequest {
  readonly reference: string;
  readonly gracePeriodSeconds?: number | undefined;
}

interface LogRequest {
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
}

function sendLog(host: PodHost, { pod, container, previous }: LogRequest, response: ServerResponse): void {
  const { pod: object, runtime } = host.pod(pod);
  const name =
    container === ''
      ? onlyContainer(
          object.spec.containers.map((one) => one.name),
          pod,
        )
      : container;
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = object.status;
  const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  const status = statuses.find((one) => one.name === name);
  if (status === undefined) throw new UsageError(`pod ${pod} has no container ${name}`);
  const file = runtime.logFile(name, status.restartCount - (previous ? 1 : 0));
  if (!existsSync(file))
    throw new UsageError(`container ${name} of pod ${pod} has no ${previous ? 'previous ' : ''}log`);
  const lines = readFileSync(file, 'utf8').split('\n');
  response.end(lines.map((line) => line.replace(/^\S+ \S+ \S+ /, '')).join('\n'));
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function runExec(host: PodHost, query: URLSearchParams, { request, response }: Exchange): Promise<void> {
  const pod = query.get('pod') ?? '';
  const { pod: object, runtime } = host.pod(pod);
  const container =
    query.get('container') ??
    onlyContainer(
      object.spec.containers.map((one) => one.name),
      pod,
    );
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  response.flushHeaders();
  const code = await runtime.exec(container, {
    command: query.getAll('command'),
    stdin: request,
    stdout: frameWriter(response, 'stdout'),
    stderr: frameWriter(response, 'stderr'),
  });
  response.end(frame('exit', String(code)));
}

function onlyContainer(names: readonly string[], pod: string): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  throw new UsageError(`pod ${pod} has several containers: ${names.join(', ')}`, { hint: 'choose one with -c' });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
