// Output of a command over one stream: frames of a kind (one letter), a length (four bytes, big-endian) and the bytes.
import { type Readable, Writable } from 'node:stream';

export type FrameKind = 'stdout' | 'stderr' | 'exit' | 'error';

const letters: Readonly<Record<FrameKind, string>> = { stdout: 'o', stderr: 'e', exit: 'x', error: '!' };
const headBytes = 5;

export function frame(kind: FrameKind, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(headBytes);
  head.write(letters[kind]);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** A stream whose chunks go out as frames of one kind. */
export function frameWriter(target: Writable, kind: FrameKind): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      target.write(frame(kind, chunk), () => done());
    },
  });
}

/** The frames of a stream, whole, however it was cut on its way. */
export async function* readFrames(source: Readable): AsyncGenerator<readonly [kind: FrameKind, body: Buffer]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= headBytes && rest.length >= headBytes + rest.readUInt32BE(1)) {
      const end = headBytes + rest.readUInt32BE(1);
      yield [kindOf(rest.toString('latin1', 0, 1)), rest.subarray(headBytes, end)];
      rest = rest.subarray(end);
    }
  }
}

function kindOf(letter: string): FrameKind {
  const found = Object.entries(letters).find(([, one]) => one === letter);
  return (found?.[0] ?? 'error') as FrameKind;
}
