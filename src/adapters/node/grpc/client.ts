// A gRPC client over TCP with TLS, in plain text, or over a unix socket. One connection a channel, made at the first call.
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { GrpcAnswer, GrpcChannel, GrpcClientCall, GrpcTarget, GrpcUnaryOptions } from '../../../ports/grpc.ts';
import { machineRoots } from '../machine-roots.ts';
import { type Connection, openCall } from './call.ts';
import { keepAlive } from './keep-alive.ts';
import { windowBytes } from './stream.ts';

export function connectGrpc(target: GrpcTarget): GrpcChannel {
  let connection: Connection | undefined;
  const open: GrpcChannel['open'] = (method, options = {}) => {
    if (connection === undefined || connection.session.destroyed || connection.session.closed)
      connection = connected(target);
    return openCall(connection, method, options);
  };
  return {
    open,
    unary: (method, message, options) => unary(open(method, options), message, options),
    close: () => connection?.lose('the channel was closed'),
  };
}

async function unary(call: GrpcClientCall, message: Uint8Array, { maxBytes }: GrpcUnaryOptions): Promise<GrpcAnswer> {
  await call.send(message);
  call.closeSend();
  let answer: Uint8Array | undefined;
  for await (const each of call.messages(maxBytes)) answer = each;
  const status = await call.ended;
  if (status.code !== 'OK') return { kind: 'failed', status };
  if (answer === undefined)
    return { kind: 'failed', status: { code: 'INTERNAL', message: 'an answer without message' } };
  return { kind: 'answer', message: answer };
}

const settings = { enablePush: false, initialWindowSize: windowBytes };

function connected(target: GrpcTarget): Connection {
  const socket = socketTo(target);
  const authority = target.authority ?? (target.at.kind === 'unix' ? 'localhost' : hostAndPort(target.at));
  const scheme = target.tls === undefined ? 'http' : 'https';
  const session = connectHttp2(`${scheme}://${authority}`, { createConnection: () => socket, settings });
  let why: string | undefined;
  const lose = (reason: string): void => {
    why ??= reason;
    session.destroy();
    socket.destroy();
  };
  for (const part of [socket, session]) part.on('error', (error: Error) => lose(error.message));
  session.on('goaway', () => session.close());
  const late = `no connection within ${target.connectTimeoutMs} ms`;
  const timer = setTimeout(() => lose(late), target.connectTimeoutMs);
  session.on('close', () => clearTimeout(timer));
  session.on('connect', () => {
    clearTimeout(timer);
    if (session.destroyed) return;
    session.setLocalWindowSize(windowBytes);
    keepAlive(session, target.keepalive, lose);
  });
  return { session, authority, scheme, lose, why: () => why ?? 'the connection was closed' };
}

function socketTo({ at, tls }: GrpcTarget): Socket | TLSSocket {
  if (at.kind === 'unix') return connectTcp({ path: at.path });
  if (tls === undefined) return connectTcp({ host: at.host, port: at.port });
  const name = tls.serverName ?? at.host;
  return connectTls({
    host: at.host,
    port: at.port,
    ALPNProtocols: ['h2'],
    ca: tls.roots ?? machineRoots(),
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(tls.client === undefined ? {} : { cert: tls.client.chain, key: tls.client.key }),
    ...(tls.limits === undefined ? {} : { minVersion: 'TLSv1.2' as const, ...tls.limits }),
  });
}

function hostAndPort({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
