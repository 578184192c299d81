// The server's side of a WebSocket (RFC 6455), as far as an application of a test needs it: the handshake, short texts, which are echoed, pings, and the close. Node's own client
// is the other side. Refuses what is longer than 125 bytes or fragmented.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Peer {
  /** Says goodbye; the connection ends when the other side has said it too. */
  readonly close: (code: number) => void;
}

const [opText, opClose, opPing, opPong] = [1, 8, 9, 10] as const;
const longest = 125;
const [protocolError, tooBig] = [1002, 1009] as const;

/** Takes an upgrade over. */
export function accept(request: IncomingMessage, socket: Duplex): Peer {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const proof = createHash('sha1').update(key).digest('base64');
  const headers = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
  socket.write(`${[...headers, `Sec-WebSocket-Accept: ${proof}`].join('\r\n')}\r\n\r\n`);
  let closed = false;
  const close = (code: number): void => {
    if (!closed) socket.write(frame(opClose, Buffer.from([code >> 8, code & 0xff])));
    closed = true;
  };
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let read = parse(rest); read.kind !== 'more'; read = parse(rest)) {
      if (read.kind === 'bad') return end(read.code);
      rest = rest.subarray(read.size);
      if (read.op === opText && !closed) socket.write(frame(opText, read.payload));
      if (read.op === opPing) socket.write(frame(opPong, read.payload));
      if (read.op === opClose) return end(read.payload.length >= 2 ? read.payload.readUInt16BE() : 1000);
    }
  });
  const end = (code: number): void => {
    close(code);
    socket.end();
  };
  socket.on('error', () => socket.destroy()).on('end', () => socket.end());
  return { close };
}

type Read =
  | { readonly kind: 'more' }
  | { readonly kind: 'bad'; readonly code: number }
  | { readonly kind: 'frame'; readonly op: number; readonly payload: Buffer; readonly size: number };

function parse(bytes: Buffer): Read {
  if (bytes.length < 2) return { kind: 'more' };
  const [first = 0, second = 0] = bytes;
  const length = second & 0x7f;
  if ((first & 0x80) === 0 || (second & 0x80) === 0) return { kind: 'bad', code: protocolError };
  if (length > longest) return { kind: 'bad', code: tooBig };
  const size = 6 + length;
  if (bytes.length < size) return { kind: 'more' };
  const payload = bytes.subarray(6, size).map((byte, i) => byte ^ (bytes[2 + (i % 4)] ?? 0));
  return { kind: 'frame', op: first & 0x0f, payload: Buffer.from(payload), size };
}

function frame(op: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x80 | op, payload.length]), payload]);
}
