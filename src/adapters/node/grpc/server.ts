// A gRPC server on a unix socket. Whoever may open the socket's folder may connect: Envoy can run as another user than the agent.
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import {
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { dirname } from 'node:path';
import type { GrpcHandler, GrpcServer, GrpcStatus } from '../../../ports/grpc.ts';
import { nodeFiles } from '../files.ts';
import { statusHeaders } from './status.ts';
import { directionsOf, windowBytes } from './stream.ts';

export async function serveGrpc(path: string, answer: GrpcHandler): Promise<GrpcServer> {
  const server = createServer(serverOptions);
  const endCalls = answerCalls(server, answer);
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  await listening(server, path);
  chmodSync(path, 0o666);
  const end = (): void => {
    server.close();
    endCalls();
    nodeFiles.remove(path);
  };
  return { end };
}

export const serverOptions = { settings: { initialWindowSize: windowBytes } };

/** Answers the calls of any HTTP/2 server; gives back what ends them all. Servers of tests listen where they want, with TLS too. */
export function answerCalls(server: Http2Server | Http2SecureServer, answer: GrpcHandler): () => void {
  const sessions = new Set<ServerHttp2Session>();
  const calls = new Set<Call>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => undefined); // each call hears of it by its own stream
  });
  server.on('stream', (stream, headers) => {
    const call = callOf(stream, headers);
    calls.add(call);
    stream.on('close', () => calls.delete(call));
    void answerCall(call, answer);
  });
  return () => {
    for (const call of calls) call.finish({ code: 'UNAVAILABLE', message: 'the server ends' });
    for (const session of sessions) session.close();
  };
}

function listening(server: ReturnType<typeof createServer>, path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(path, resolve);
  return promise;
}

type Call = ReturnType<typeof callOf>;

function callOf(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
  const { promise: ended, resolve } = Promise.withResolvers<GrpcStatus>();
  let status: GrpcStatus | undefined;
  const finish = (given: GrpcStatus): void => {
    if (status !== undefined || stream.destroyed || stream.closed) return;
    status = given;
    stream.end();
  };
  stream.on('error', () => undefined);
  stream.on('wantTrailers', () => stream.sendTrailers(statusHeaders(status ?? { code: 'OK', message: '' })));
  stream.on('close', () => resolve(status ?? { code: 'CANCELLED', message: 'the client went away' }));
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  const method = String(headers[':path']);
  return { method, metadata: headers, ended, finish, ...directionsOf(stream, finish) };
}

async function answerCall(call: Call, answer: GrpcHandler): Promise<void> {
  try {
    call.finish(await answer(call));
  } catch (error) {
    call.finish({ code: 'INTERNAL', message: String(error) });
  }
}
