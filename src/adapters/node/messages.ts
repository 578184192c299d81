// Messages by UDP and TCP on Node and Bun. Every question has a socket of its own, connected: the kernel then refuses what comes from elsewhere,
// tells at once that a port is closed, and draws a source port that nobody can guess.
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { HostMessages, Listener, Place, Question, Replied, Reply } from '../../ports/messages.ts';

/** As the server of Istio's agent (github.com/miekg/dns): a connection may be silent so long, and ask so often. */
const idleMs = 8000;
const messagesAtMost = 128;
/** Connections at once; a pod's own processes are the only clients. */
const connectionsAtMost = 256;

export const nodeMessages: HostMessages = {
  serve: (transport, at, reply) => (transport === 'udp' ? serveUdp(at, reply) : serveTcp(at, reply)),
  ask: (transport, to, question) => (transport === 'udp' ? askUdp(to, question) : askTcp(to, question)),
};

function udpSocket(host: string): UdpSocket {
  return createSocket(host.includes(':') ? { type: 'udp6', ipv6Only: true } : { type: 'udp4' });
}

async function serveUdp({ host, port }: Place, reply: Reply): Promise<Listener> {
  const socket = udpSocket(host);
  socket.on('message', (message, { address, port: from }) => {
    void reply(message).then((bytes) => {
      if (bytes !== undefined && isOpen) socket.send(bytes, from, address, () => undefined);
    });
  });
  let isOpen = true;
  const end = (): void => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  await begun(socket, 'listening', () => socket.bind(port, host));
  socket.on('error', () => undefined); // of a single datagram; the socket lives on
  return { port: socket.address().port, end };
}

/** Starts something and waits for the event that says so; rejects on its error. */
function begun(what: UdpSocket | ReturnType<typeof createServer>, event: string, start: () => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  what.once('error', reject);
  what.once(event, () => {
    what.off('error', reject);
    resolve();
  });
  start();
  return promise;
}

async function serveTcp({ host, port }: Place, reply: Reply): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    answerAll(socket, reply);
  });
  server.maxConnections = connectionsAtMost;
  await begun(server, 'listening', () => server.listen({ host, port }));
  server.on('error', () => undefined);
  const end = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (server.address() as AddressInfo).port, end };
}

/** Answers go out as they are ready, in any order (RFC 7766): each carries its question's id. */
function answerAll(socket: Socket, reply: Reply): void {
  let asked = 0;
  let open = 0;
  let ended = false;
  const isOver = (): boolean => (ended || asked >= messagesAtMost) && open === 0;
  const next = framed((message) => {
    if (++asked > messagesAtMost) return;
    open++;
    void reply(message).then((bytes) => {
      open--;
      if (bytes !== undefined && socket.writable) socket.write(withLength(bytes));
      if (isOver()) socket.end();
    });
  });
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.on('data', next);
  socket.on('end', () => {
    ended = true;
    if (isOver()) socket.end();
  });
}

/** A function for chunks of a stream that calls for each whole message in it. Holds one message at most: 64 KiB. */
function framed(heard: (message: Uint8Array) => void): (chunk: Uint8Array) => void {
  let held = new Uint8Array();
  return (chunk) => {
    held = held.length === 0 ? new Uint8Array(chunk) : new Uint8Array(Buffer.concat([held, chunk]));
    let at = 0;
    for (;;) {
      const end = at + 2 + (((held[at] ?? 0) << 8) | (held[at + 1] ?? 0));
      if (at + 2 > held.length || end > held.length) break;
      heard(held.slice(at + 2, end));
      at = end;
    }
    held = held.slice(at);
  };
}

function withLength(message: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);
}

function askUdp({ host, port }: Place, { message, timeoutMs, isAnswer }: Question): Promise<Replied> {
  const socket = udpSocket(host);
  const { promise, settle } = waiting(timeoutMs, () => socket.close());
  socket.on('message', (received) => {
    if (isAnswer(received)) settle({ kind: 'answer', message: received });
  });
  socket.on('error', (error) => settle(failed(error)));
  socket.connect(port, host, () => {
    socket.send(message, (error) => {
      if (error !== null) settle(failed(error));
    });
  });
  return promise;
}

function askTcp({ host, port }: Place, { message, timeoutMs, isAnswer }: Question): Promise<Replied> {
  const socket = connect({ host, port });
  const { promise, settle } = waiting(timeoutMs, () => socket.destroy());
  socket.on('connect', () => socket.write(withLength(message)));
  socket.on(
    'data',
    framed((received) =>
      settle(
        isAnswer(received) ? { kind: 'answer', message: received } : { kind: 'failed', problem: 'another answer' },
      ),
    ),
  );
  socket.on('error', (error) => settle(failed(error)));
  socket.on('close', () => settle({ kind: 'failed', problem: 'the connection ended' }));
  return promise;
}

interface Waiting {
  readonly promise: Promise<Replied>;
  /** The first call counts. */
  readonly settle: (replied: Replied) => void;
}

function waiting(timeoutMs: number, over: () => void): Waiting {
  const { promise, resolve } = Promise.withResolvers<Replied>();
  let isSettled = false;
  const settle = (replied: Replied): void => {
    if (isSettled) return;
    isSettled = true;
    clearTimeout(timer);
    over();
    resolve(replied);
  };
  const timer = setTimeout(() => settle({ kind: 'failed', problem: `no answer within ${timeoutMs} ms` }), timeoutMs);
  return { promise, settle };
}

function failed(error: Error): Replied {
  return { kind: 'failed', problem: error.message };
}
