// A request over TLS, by HTTP/2 where the server chooses it: one connection, whose handshake decides. Certificates are verified where the
// request says so; probes of an application take any, as the kubelet does.
import { type OutgoingHttpHeaders, request as request1 } from 'node:http';
import {
  type ClientHttp2Stream,
  connect as connect2,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import { isIP, type TcpNetConnectOpts } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { HttpRequest, Opened } from '../../ports/host.ts';
import { machineRoots } from './machine-roots.ts';

interface Wait {
  readonly resolve: (opened: Opened) => void;
  readonly failed: (error: Error) => void;
  /** The connection is for one request. */
  readonly over: () => void;
}

/** The answer as it comes. */
export function openTls(request: HttpRequest): Promise<Opened> {
  const { timeoutMs } = request;
  const { promise, resolve } = Promise.withResolvers<Opened>();
  const socket = connect(optionsOf(request));
  const late = (): void => void socket.destroy(new Error(`no answer within ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  const over = (): void => {
    clearTimeout(timer);
    socket.destroy();
  };
  const failed = (error: Error): void => {
    resolve({ kind: 'failed', problem: error.message });
    over();
  };
  socket.on('error', failed);
  socket.once('close', () => failed(new Error('the connection ended')));
  socket.once('secureConnect', () => {
    const ask = socket.alpnProtocol === 'h2' ? askHttp2 : askHttp1;
    ask(request, socket, { resolve, failed, over });
  });
  return promise;
}

function optionsOf({
  host,
  port,
  localAddress,
  http2,
  verify = false,
}: HttpRequest): ConnectionOptions & TcpNetConnectOpts {
  const versions = http2 === true ? ['h2', 'http/1.1'] : ['http/1.1'];
  const trust = verify ? { ca: machineRoots(), ...(isIP(host) === 0 ? { servername: host } : {}) } : {};
  const options = { host, port, rejectUnauthorized: verify, ...trust, ALPNProtocols: versions };
  return localAddress === undefined ? options : { ...options, localAddress };
}

function askHttp1({ method, path, headers = {}, host, port, body }: HttpRequest, socket: TLSSocket, wait: Wait): void {
  const options = { method, path, host, port, headers: headers as OutgoingHttpHeaders, setHost: !('host' in headers) };
  const asked = request1({ ...options, createConnection: () => socket }, (response) => {
    wait.resolve({ kind: 'answer', status: response.statusCode ?? 0, headers: response.headers, body: response });
    response.once('close', wait.over);
  });
  asked.on('error', wait.failed);
  asked.end(body);
}

function askHttp2({ method, path, headers = {}, host, port, body }: HttpRequest, socket: TLSSocket, wait: Wait): void {
  const { host: named, ...others } = headers;
  const origin = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const session = connect2(`https://${origin}`, { createConnection: () => socket });
  session.on('error', wait.failed);
  const authority = typeof named === 'string' ? named : origin;
  const stream: ClientHttp2Stream = session.request({
    ':method': method,
    ':path': path,
    ':authority': authority,
    ...(others as OutgoingHttpHeaders),
  });
  stream.on('error', wait.failed);
  stream.once('response', (answered: IncomingHttpHeaders & IncomingHttpStatusHeader) => {
    wait.resolve({ kind: 'answer', status: answered[':status'] ?? 0, headers: plain(answered), body: stream });
  });
  stream.once('close', () => {
    session.destroy();
    wait.over();
  });
  stream.end(body);
}

function plain(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
}
