// The other half of `server.ts`: what `fairway pod apply|get|delete|logs|exec` ask a running `fairway pod run`.
import { type IncomingMessage, request as send } from 'node:http';
import type { Readable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import type { Pod } from '../../core/pod/index.ts';
import { type Problem, SpecError, UsageError } from '../../core/std/errors.ts';
import { readFrames } from './frames.ts';
import type { Applied, DeploymentView } from './host.ts';
import type { Manifests } from './manifests.ts';
import type { DeleteRequest } from './server.ts';
import { encodeManifests } from './wire.ts';

export interface RunClient {
  list(): Promise<{ readonly pods: readonly Pod[]; readonly deployments: readonly DeploymentView[] }>;
  apply(manifests: Manifests): Promise<readonly (readonly [key: string, what: Applied])[]>;
  delete(request: DeleteRequest): Promise<void>;
  logs(query: Readonly<Record<string, string>>): Promise<string>;
  exec(request: ExecOverSocket): Promise<number>;
}

export interface ExecOverSocket {
  readonly pod: string;
  readonly container: string | undefined;
  readonly command: readonly string[];
  readonly stdin: Readable | undefined;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

interface Sink {
  readonly write: (bytes: Uint8Array) => unknown;
}

/** A client of the run that serves at `socketPath`; each call rejects with a UsageError where nobody does. */
export function runClient(socketPath: string): RunClient {
  const ask = async (method: string, path: string, body?: unknown) =>
    await accepted(
      await call({ socketPath, method, path, body: body === undefined ? undefined : JSON.stringify(body) }),
    );
  return {
    list: async () => (await json(await ask('GET', '/pods'))) as Awaited<ReturnType<RunClient['list']>>,
    apply: async (manifests) =>
      (await json(await ask('POST', '/apply', encodeManifests(manifests)))) as Awaited<ReturnType<RunClient['apply']>>,
    async delete(request) {
      (await ask('POST', '/delete', request)).resume();
    },
    logs: async (query) => await text(await ask('GET', `/logs?${new URLSearchParams(query)}`)),
    exec: (request) => exec(socketPath, request),
  };
}

async function exec(
  socketPath: string,
  { pod, container, command, stdin, stdout, stderr }: ExecOverSocket,
): Promise<number> {
  const query = new URLSearchParams({ pod, ...(container === undefined ? {} : { container }) });
  for (const word of command) query.append('command', word);
  const response = await accepted(await call({ socketPath, method: 'POST', path: `/exec?${query}`, body: stdin }));
  for await (const [kind, body] of readFrames(response)) {
    if (kind === 'stdout') stdout.write(body);
    else if (kind === 'stderr') stderr.write(body);
    else if (kind === 'exit') return Number(body.toString());
    else throw new UsageError(body.toString());
  }
  throw new UsageError('the run ended before the command did');
}

interface Call {
  readonly socketPath: string;
  readonly method: string;
  readonly path: string;
  readonly body: string | Readable | undefined;
}

function call({ socketPath, method, path, body }: Call): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = send({ socketPath, method, path, agent: false }, resolve);
  request.on('error', () =>
    reject(new UsageError(`no fairway pod run serves at ${socketPath}`, { hint: 'start one: fairway pod run FILE' })),
  );
  if (body === undefined || typeof body === 'string') request.end(body);
  else body.pipe(request);
  return promise;
}

interface Refusal {
  readonly message: string;
  readonly hint?: string;
  readonly problems?: readonly Problem[];
}

async function accepted(response: IncomingMessage): Promise<IncomingMessage> {
  if (response.statusCode === 200) return response;
  const { message, hint, problems } = (await json(response)) as Refusal;
  if (problems !== undefined) throw new SpecError(problems);
  throw new UsageError(message, hint === undefined ? {} : { hint });
}
