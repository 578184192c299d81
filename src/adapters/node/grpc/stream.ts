// One HTTP/2 stream as two directions of gRPC messages, the same for server and client: reads only while somebody asks for the next
// piece, and tells the sender when to go on. Both are what bounds memory.
import type { Http2Stream } from 'node:http2';
import type { GrpcPiece, GrpcStatus } from '../../../ports/grpc.ts';
import { passed } from '../garbage.ts';
import { frameHead, piecesOf, TooLongError, wholeMessages } from './frames.ts';

/** What HTTP/2 may have under way in a stream: as much as 50 ms to the control plane need for 20 MB/s. */
export const windowBytes = 2 ** 20;

export interface Directions {
  readonly pieces: () => AsyncIterable<GrpcPiece>;
  readonly messages: (maxBytes: number) => AsyncIterable<Uint8Array>;
  readonly send: (message: Uint8Array) => Promise<boolean>;
  readonly sendPiece: (piece: GrpcPiece) => Promise<boolean>;
}

/** `refuse` is called where what arrives cannot be read. Its reading must begin with the stream, or what comes early is lost. */
export function directionsOf(stream: Http2Stream, refuse: (status: GrpcStatus) => void): Directions {
  const chunks = chunksOf(stream);
  const pieces = (): AsyncIterable<GrpcPiece> => guarded(piecesOf(chunks), refuse);
  const sendPiece = ({ bytes, offset, size }: GrpcPiece): Promise<boolean> =>
    write(stream, offset === 0 ? [frameHead(size), bytes] : [bytes]);
  return {
    pieces,
    messages: (maxBytes) => guarded(wholeMessages(piecesOf(chunks), maxBytes), refuse),
    send: (bytes) => sendPiece({ bytes, offset: 0, size: bytes.length }),
    sendPiece,
  };
}

async function* guarded<T>(source: AsyncIterable<T>, refuse: (status: GrpcStatus) => void): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    refuse({ code: error instanceof TooLongError ? 'RESOURCE_EXHAUSTED' : 'INTERNAL', message: String(error) });
  }
}

/** Not the stream's own iterator: that one destroys the stream when its reader stops, and no status could be sent any more. */
function chunksOf(stream: Http2Stream): AsyncIterable<Uint8Array> {
  let wake = (): void => undefined;
  for (const event of ['readable', 'end', 'close'] as const) stream.on(event, () => wake());
  // A stream without data ends only when it is read.
  stream.on('readable', () => stream.readableLength === 0 && stream.read());
  return (async function* read() {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const chunk = stream.read() as Uint8Array | null;
      if (chunk !== null) {
        passed(chunk.length);
        yield chunk;
      } else if (stream.readableEnded || stream.destroyed) return;
      else await woken;
    }
  })();
}

/** Small messages go in one write, so that they go in one packet. */
const joinBytes = 2 ** 14;

async function write(stream: Http2Stream, parts: readonly Uint8Array[]): Promise<boolean> {
  const isSmall = parts.reduce((sum, part) => sum + part.length, 0) <= joinBytes;
  let goesOn = true;
  for (const part of isSmall ? [Buffer.concat(parts)] : parts) {
    if (stream.destroyed || stream.closed || stream.writableEnded) return false;
    goesOn = stream.write(part);
  }
  if (!goesOn) await drained(stream);
  return !stream.destroyed;
}

function drained(stream: Http2Stream): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
    if (stream.destroyed) done();
  });
}
