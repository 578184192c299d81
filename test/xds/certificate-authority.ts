// A small certificate authority that speaks Istio's certificate service as istiod does: it knows callers by their tokens, and gives
// them certificates for who they are, whatever they ask for. Over TLS, by Node's own HTTP/2, so that it shares no code with the agent's gRPC.
import 'reflect-metadata';
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { encode, readMessage } from '../../src/core/wire/index.ts';
import { type Authority, newAuthority } from './authority.ts';

export interface Order {
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly lifeSeconds: number;
  readonly signer: string;
  /** PEM. */
  readonly csr: string;
  readonly atMs: number;
  /** The client's certificate has this subject alternative name. */
  readonly client: string | undefined;
}

export interface Failure {
  /** As gRPC numbers it. */
  readonly code: number;
  readonly message: string;
}

export interface CertificateAuthority {
  readonly port: number;
  /** PEM; the newest. */
  readonly root: () => string;
  readonly orders: readonly Order[];
  /** Identities by token. */
  readonly callers: Map<string, string>;
  /** From now on certificates live so long, whatever is asked for; undefined: as asked for. */
  lifeMs: number | undefined;
  /** From now on every order ends so; undefined: it is filled. */
  failure: Failure | undefined;
  /** From now on another root signs, its own server's certificate too. */
  readonly changeRoot: () => Promise<void>;
  /** Nobody listens any more. */
  readonly away: () => Promise<void>;
  /** Listens again, on the same port. */
  readonly back: () => Promise<void>;
  readonly end: () => Promise<void>;
}

const serverName = 'istiod.istio-system.svc';

/** @param port 0: any. */
export async function startCertificateAuthority(port = 0): Promise<CertificateAuthority> {
  let authority = await newAuthority('CA 1');
  let made = 1;
  let server: Http2SecureServer;
  const orders: Order[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const listen = async (): Promise<void> => {
    const { cert, key } = await authority.issue({ type: 'dns', value: serverName }, { type: 'ip', value: '127.0.0.1' });
    server = createSecureServer({ cert, key, ca: authority.root, requestCert: true, rejectUnauthorized: false });
    server.on('session', (session) => {
      sessions.add(session);
      session.on('close', () => sessions.delete(session));
      session.on('error', () => undefined);
    });
    server.on('stream', (stream, headers) => void serve(stream, headers));
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    ({ port } = server.address() as AddressInfo);
  };
  const away = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const session of sessions) session.destroy();
    await closed;
  };
  const serve = async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> => {
    stream.on('error', () => undefined);
    const order = orderOf(await messageOf(stream), headers, clientOf(stream));
    orders.push(order);
    const answer = await fill({ authority, ca, order });
    reply(stream, answer);
  };
  const ca: CertificateAuthority = {
    get port() {
      return port;
    },
    root: () => authority.root,
    orders,
    callers: new Map(),
    lifeMs: undefined,
    failure: undefined,
    changeRoot: async () => {
      authority = await newAuthority(`CA ${++made}`);
      await away();
      await listen();
    },
    away,
    back: listen,
    end: away,
  };
  await listen();
  return ca;
}

interface Filling {
  readonly authority: Authority;
  readonly ca: CertificateAuthority;
  readonly order: Order;
}

async function fill({ authority, ca, order }: Filling): Promise<Uint8Array | Failure> {
  if (ca.failure !== undefined) return ca.failure;
  const identity = ca.callers.get(order.token) ?? order.client;
  if (identity === undefined) return { code: 16, message: 'request authenticate failure' };
  try {
    const request = new Pkcs10CertificateRequest(order.csr);
    if (!(await request.verify())) return { code: 3, message: 'CSR signature is wrong' };
    const leaf = await authority.sign({
      publicKey: request.publicKey,
      names: [{ type: 'url', value: identity }],
      lifeMs: ca.lifeMs ?? order.lifeSeconds * 1000,
    });
    return encode([1, leaf], [1, authority.root]);
  } catch (error) {
    return { code: 3, message: `CSR cannot be read: ${String(error)}` };
  }
}

function orderOf(bytes: Uint8Array, headers: IncomingHttpHeaders, client: string | undefined): Order {
  const message = readMessage(bytes);
  const signer = message?.message(4)?.message(1)?.message(2)?.text(3) ?? '';
  return {
    token: (headers.authorization ?? '').replace(/^Bearer /, ''),
    headers,
    csr: message?.text(1) ?? '',
    lifeSeconds: message?.integer(3) ?? 0,
    signer,
    atMs: Date.now(),
    client,
  };
}

/** The identity of a client that showed a certificate of ours. */
function clientOf(stream: ServerHttp2Stream): string | undefined {
  const socket = stream.session?.socket as TLSSocket | undefined;
  if (socket?.authorized !== true) return undefined;
  return /^URI:(\S+)$/.exec(socket.getPeerCertificate().subjectaltname ?? '')?.[1];
}

async function messageOf(stream: ServerHttp2Stream): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).subarray(5);
}

function reply(stream: ServerHttp2Stream, answer: Uint8Array | Failure): void {
  const failed = !(answer instanceof Uint8Array);
  const trailers = failed
    ? { 'grpc-status': String(answer.code), 'grpc-message': answer.message }
    : { 'grpc-status': '0' };
  if (stream.destroyed) return; // who asked was killed meanwhile
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  if (failed) return void stream.end();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(answer.length, 1);
  stream.end(Buffer.concat([head, answer]));
}
