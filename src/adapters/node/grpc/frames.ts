// gRPC's frames: five bytes of head (a flag, the length) before each message. Cuts what arrives into messages, and large ones into
// pieces. Refuses compression, which nobody is offered.
import type { GrpcPiece } from '../../../ports/grpc.ts';

export const headBytes = 5;
/** Up to here a message comes whole, and of a longer one this much comes first. */
export const wholeBytes = 2 ** 18;

/** The head of a message of so many bytes. */
export function frameHead(size: number): Uint8Array {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(size, 1);
  return head;
}

/** Rejects where a frame is compressed; ends early where the bytes do. */
export async function* piecesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<GrpcPiece> {
  const queue = new ByteQueue();
  let size: number | undefined;
  let offset = 0;
  for await (const chunk of chunks) {
    queue.push(chunk);
    for (;;) {
      if (size === undefined) {
        if (queue.length < headBytes) break;
        size = sizeIn(queue.take(headBytes));
        offset = 0;
      }
      const wanted = offset === 0 ? Math.min(size, wholeBytes) : Math.min(queue.length, size - offset);
      if (queue.length < wanted || (wanted === 0 && size > 0)) break;
      const bytes = queue.take(wanted);
      yield { bytes, offset, size };
      offset += wanted;
      if (offset === size) size = undefined;
    }
  }
}

function sizeIn(head: Uint8Array): number {
  if (head[0] !== 0) throw new Error('a compressed message');
  return Buffer.from(head.buffer, head.byteOffset, headBytes).readUInt32BE(1);
}

/** Puts the pieces together again; rejects where a message is longer than `maxBytes`. */
export async function* wholeMessages(pieces: AsyncIterable<GrpcPiece>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  for await (const { bytes, offset, size } of pieces) {
    if (size > maxBytes) throw new TooLongError(`a message of ${size} bytes; at most ${maxBytes} are taken`);
    parts.push(bytes);
    if (offset + bytes.length < size) continue;
    yield parts.length === 1 ? bytes : Buffer.concat(parts);
    parts = [];
  }
}

export class TooLongError extends Error {}

class ByteQueue {
  length = 0;
  #chunks: Uint8Array[] = [];

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.length += chunk.length;
  }

  /** The first bytes; copies only where they lie in more than one chunk. */
  take(count: number): Uint8Array {
    const [first] = this.#chunks;
    this.length -= count;
    if (first === undefined || first.length < count) return this.#join(count);
    if (first.length === count) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(count);
    return first.subarray(0, count);
  }

  #join(count: number): Uint8Array {
    const all = Buffer.concat(this.#chunks);
    this.#chunks = all.length === count ? [] : [all.subarray(count)];
    return all.subarray(0, count);
  }
}
