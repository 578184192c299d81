// How a call's end is written in HTTP/2: `grpc-status` and `grpc-message` in the trailers, or, where nobody wrote one, what the stream's
// own end means (grpc's doc/http-grpc-status-mapping.md and PROTOCOL-HTTP2.md).
import { constants, type IncomingHttpHeaders } from 'node:http2';
import type { GrpcCode, GrpcStatus } from '../../../ports/grpc.ts';

/** By number. */
const codes: readonly GrpcCode[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

export function statusHeaders({ code, message }: GrpcStatus): Readonly<Record<string, string>> {
  const encoded = message.toWellFormed().replaceAll(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent);
  return { 'grpc-status': String(codes.indexOf(code)), ...(message === '' ? {} : { 'grpc-message': encoded }) };
}

/** Undefined: these headers tell no status. */
export function statusIn(headers: IncomingHttpHeaders): GrpcStatus | undefined {
  const code = headers['grpc-status'];
  if (code === undefined) return undefined;
  return { code: codes[Number(code)] ?? 'UNKNOWN', message: decoded(String(headers['grpc-message'] ?? '')) };
}

function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}

/** Of an answer that is none of gRPC's: a proxy between, or no gRPC server at all. */
export function statusOfHttp(status: number): GrpcStatus {
  const known: Readonly<Record<number, GrpcCode>> = {
    400: 'INTERNAL',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'UNIMPLEMENTED',
    429: 'UNAVAILABLE',
    502: 'UNAVAILABLE',
    503: 'UNAVAILABLE',
    504: 'UNAVAILABLE',
  };
  return { code: known[status] ?? 'UNKNOWN', message: `HTTP status ${status} and no gRPC status` };
}

/** Of a stream that was reset. */
export function statusOfReset(code: number): GrpcStatus {
  const known: Readonly<Record<number, GrpcCode>> = {
    [constants.NGHTTP2_CANCEL]: 'CANCELLED',
    [constants.NGHTTP2_REFUSED_STREAM]: 'UNAVAILABLE',
    [constants.NGHTTP2_ENHANCE_YOUR_CALM]: 'RESOURCE_EXHAUSTED',
    [constants.NGHTTP2_INADEQUATE_SECURITY]: 'PERMISSION_DENIED',
  };
  return { code: known[code] ?? 'INTERNAL', message: `the stream was reset with HTTP/2's error ${code}` };
}
