// The grpc probe: one call of grpc.health.v1.Health/Check over plain HTTP/2. The two messages are small enough to be written by
// hand: the request is field 1 (the service's name), the answer field 1 (an enumeration, 1 = SERVING).
import { connect, type IncomingHttpHeaders } from 'node:http2';
import type { Address, Verdict } from './verdict.ts';

const names = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const unimplemented = '12';

export async function checkGrpcHealth(address: Address, service: string, timeoutMs: number): Promise<Verdict> {
  try {
    const { grpcStatus, grpcMessage, body } = await call(address, service, timeoutMs);
    if (grpcStatus === unimplemented)
      return failure('this server does not implement the grpc health protocol (grpc.health.v1.Health)');
    if (grpcStatus !== '0')
      return failure(`error: health rpc probe failed: code = ${grpcStatus} desc = ${grpcMessage}`);
    const serving = statusOf(body);
    if (serving === 1) return { result: 'success', message: 'service healthy' };
    return failure(`service unhealthy (responded with "${names[serving] ?? serving}")`);
  } catch (error) {
    const within = `failed to connect service "${address.host}:${address.port}" within ${timeoutMs / 1000}s`;
    return failure(`timeout: ${within}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface GrpcAnswer {
  readonly grpcStatus: string;
  readonly grpcMessage: string;
  readonly body: Buffer;
}

function call(address: Address, service: string, timeoutMs: number): Promise<GrpcAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<GrpcAnswer>();
  const session = connect(`http://${address.host}:${address.port}`);
  const timer = setTimeout(() => reject(new Error('context deadline exceeded')), timeoutMs);
  session.on('error', reject);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/grpc.health.v1.Health/Check',
    'content-type': 'application/grpc',
    'user-agent': 'kube-probe/1.37',
    te: 'trailers',
  });
  const chunks: Buffer[] = [];
  let trailers: Readonly<Record<string, string | string[] | number | undefined>> = {};
  const keep = (headers: IncomingHttpHeaders) => (trailers = { ...trailers, ...headers });
  stream.on('response', keep);
  stream.on('trailers', keep);
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('error', reject);
  stream.on('end', () =>
    resolve({
      grpcStatus: String(trailers['grpc-status'] ?? ''),
      grpcMessage: String(trailers['grpc-message'] ?? ''),
      body: Buffer.concat(chunks),
    }),
  );
  stream.end(requestFrame(service));
  return promise.finally(() => {
    clearTimeout(timer);
    session.destroy();
  });
}

function requestFrame(service: string): Buffer {
  const name = Buffer.from(service);
  const field = name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a]), varint(name.length), name]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(field.length, 1);
  return Buffer.concat([frame, field]);
}

/** Field 1 of the answer; an absent field is 0, UNKNOWN. */
function statusOf(body: Buffer): number {
  const message = body.subarray(5);
  return message[0] === 0x08 ? (message[1] ?? 0) : 0;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function failure(message: string): Verdict {
  return { result: 'failure', message };
}
