// grpc.health.v1.Health/Check by hand: one field in, one out. A gRPC library for this alone would cost more memory than all
// the rest of the agent.
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import type { Dialled, DialTarget } from '../../ports/host.ts';

type Health = Dialled | { readonly kind: 'not-serving' };

/** Asks a service's health; `open` means SERVING. */
export function grpcHealth(target: DialTarget, service: string): Promise<Health> {
  const { host, port, timeoutMs, localAddress } = target;
  const { promise, resolve } = Promise.withResolvers<Health>();
  const socket = connect({ host, port, ...(localAddress === undefined ? {} : { localAddress }) });
  const failed = (error: Error): void => resolve({ kind: 'failed', problem: error.message });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => failed(new Error('time-out')), timeoutMs);
  socket.on('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ECONNREFUSED' ? resolve({ kind: 'refused' }) : failed(error),
  );
  const session = connectHttp2(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, {
    createConnection: () => socket,
  });
  session.on('error', failed);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Check',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', failed);
  stream.on('end', () => resolve(isServing(Buffer.concat(chunks)) ? { kind: 'open' } : { kind: 'not-serving' }));
  stream.end(request(service));
  return promise.finally(() => {
    clearTimeout(timer);
    session.destroy();
    socket.destroy();
  });
}

/** A gRPC frame (no compression, length) around field 1, the service's name. */
function request(service: string): Buffer {
  const name = Buffer.from(service);
  const message =
    name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** Field 1 (a varint) is 1: SERVING. An empty answer, with the error in the trailers, is not. */
function isServing(frame: Buffer): boolean {
  return frame.length >= 7 && frame[5] === 0x08 && frame[6] === 1;
}
