// A small xDS server: LDS, CDS, EDS, RDS, ECDS and whatever else it is given, over ADS, in both variants, with or without TLS. For tests of
// the agent and for meshes on one machine. Knows no service registry: what is `set` is what every client gets.
import { createSecureServer, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { answerCalls, serverOptions } from '../../src/adapters/node/grpc/server.ts';
import { variantOf } from '../../src/core/xds-proxy/index.ts';
import type { GrpcHandler, GrpcServerCall, GrpcStatus } from '../../src/ports/grpc.ts';
import type { KeyPair } from './authority.ts';
import { type Resource, types } from './resources.ts';
import { type Acknowledgement, type Subscriptions, subscriptions, type Versioned } from './subscriptions.ts';

export interface XdsServerOptions {
  /** Undefined: plain text. `root`: clients must show a certificate of it. */
  readonly tls?: { readonly pair: KeyPair; readonly root?: string };
  /** 0: a free one. */
  readonly port?: number;
  /** Where it listens: on loopback unless told. */
  readonly host?: string;
}

export interface XdsServer {
  readonly port: number;
  /** Adds or replaces resources and pushes them, clusters first as Envoy wants them. */
  readonly set: (...resources: readonly Resource[]) => void;
  readonly remove: (typeUrl: string, name: string) => void;
  readonly acknowledgements: readonly Acknowledgement[];
  /** Requests by type, with the metadata of their stream. */
  readonly streams: readonly Pick<GrpcServerCall, 'method' | 'metadata'>[];
  readonly requests: readonly string[];
  readonly end: () => Promise<void>;
}

interface Client {
  readonly call: GrpcServerCall;
  readonly subscriptions: Subscriptions;
}

/** In the order in which Envoy wants to learn them. */
const order: readonly string[] = [types.cluster, types.endpoints, types.listener, types.routes];

export async function startXdsServer(options: XdsServerOptions = {}): Promise<XdsServer> {
  const clients = new Set<Client>();
  const known = knownResources();
  const seen = { acknowledgements: [] as Acknowledgement[], streams: [] as GrpcServerCall[], requests: [] as string[] };
  const send = ({ call, subscriptions: asked }: Client, typeUrl: string): void => {
    const response = asked.response(typeUrl, known.of(typeUrl), known.next());
    if (response !== undefined) void call.send(response);
  };
  const push = (changed: readonly string[]): void => {
    const sorted = new Set([...order.filter((each) => changed.includes(each)), ...changed]);
    for (const client of clients) for (const typeUrl of sorted) send(client, typeUrl);
  };
  const handler = handlerOf({ clients, seen, send });
  const { set, remove } = known;
  return {
    ...seen,
    ...(await listen(handler, options)),
    set: (...resources) => push(resources.map((each) => (set(each), each.typeUrl))),
    remove: (typeUrl, name) => push([(remove(typeUrl, name), typeUrl)]),
  };
}

function knownResources() {
  const all = new Map<string, Versioned>();
  let counter = 0;
  const next = (): string => String(++counter);
  return {
    next,
    of: (typeUrl: string): Versioned[] => [...all.values()].filter((each) => each.typeUrl === typeUrl),
    set: (each: Resource) => all.set(`${each.typeUrl} ${each.name}`, { ...each, version: next() }),
    remove: (typeUrl: string, name: string) => all.delete(`${typeUrl} ${name}`),
  };
}

interface Serving {
  readonly clients: Set<Client>;
  readonly seen: {
    readonly acknowledgements: Acknowledgement[];
    readonly streams: GrpcServerCall[];
    readonly requests: string[];
  };
  readonly send: (client: Client, typeUrl: string) => void;
}

function handlerOf({ clients, seen, send }: Serving): GrpcHandler {
  return async (call): Promise<GrpcStatus> => {
    const variant = variantOf(call.method);
    if (variant === undefined) return { code: 'UNIMPLEMENTED', message: call.method };
    const client: Client = { call, subscriptions: subscriptions(variant) };
    clients.add(client);
    seen.streams.push(call);
    for await (const bytes of call.messages(2 ** 26)) {
      const request = client.subscriptions.read(bytes);
      if (request === undefined) break;
      seen.requests.push(request.typeUrl);
      if (request.acknowledgement !== undefined) seen.acknowledgements.push(request.acknowledgement);
      if (request.asks) send(client, request.typeUrl);
    }
    clients.delete(client);
    return { code: 'OK', message: '' };
  };
}

async function listen(
  handler: GrpcHandler,
  { tls, port = 0, host = '127.0.0.1' }: XdsServerOptions,
): Promise<Pick<XdsServer, 'port' | 'end'>> {
  const client = tls?.root === undefined ? {} : { requestCert: true, ca: tls.root };
  const server =
    tls === undefined ? createServer(serverOptions) : createSecureServer({ ...serverOptions, ...tls.pair, ...client });
  const endCalls = answerCalls(server, handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    end: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        endCalls();
      }),
  };
}
