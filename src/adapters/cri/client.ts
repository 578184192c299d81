// Calls of CRI: unary gRPC over HTTP/2 on a unix socket. Connects at the first call and again when the connection was lost. Knows no
// message: the generated descriptors say what to write and read. Refuses streams.

import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';

/** The code of gRPC for a call that took too long. */
export const deadlineExceeded = 4;

/** The runtime answered with an error; `message` is its own. */
export class CallError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.name = 'CallError';
    this.code = code;
  }
}

const frameHead = 5;

export class CriClient {
  readonly #socket: string;
  #session: ClientHttp2Session | undefined;

  /** `socket`: the path of a unix socket. */
  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Rejects with CallError, or with the connection's error. */
  async call<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
  ): Promise<MessageShape<O>> {
    const path = `/${method.parent.typeName}/${method.name}`;
    const answer = await this.#exchange(path, toBinary(method.input, create(method.input, request)));
    return fromBinary(method.output, answer);
  }

  close(): void {
    this.#session?.destroy();
  }

  #open(): ClientHttp2Session {
    const { destroyed, closed } = this.#session ?? { destroyed: true, closed: true };
    if (!destroyed && !closed && this.#session !== undefined) return this.#session;
    const session = connectHttp2('http://localhost', { createConnection: () => connectSocket(this.#socket) });
    session.on('error', () => undefined); // each call hears of it by its own stream
    session.on('goaway', () => session.close());
    this.#session = session;
    return session;
  }

  #exchange(path: string, message: Uint8Array): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const stream = this.#open().request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    let status: IncomingHttpHeaders = {};
    const keep = (headers: IncomingHttpHeaders) => (status = { ...status, ...headers });
    stream.on('response', keep);
    stream.on('trailers', keep);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      const code = String(status['grpc-status'] ?? '');
      if (code === '0') resolve(Buffer.concat(chunks).subarray(frameHead));
      else if (code === '') reject(new Error(`the connection to ${this.#socket} was lost`));
      else reject(new CallError(Number(code), decoded(String(status['grpc-message'] ?? `error ${code}`))));
    });
    const head = Buffer.alloc(frameHead); // its first byte, 0: not compressed
    head.writeUInt32BE(message.length, 1);
    stream.end(Buffer.concat([head, message]));
    return promise;
  }
}

/** gRPC percent-encodes messages; one that is not well encoded is shown as it is. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
