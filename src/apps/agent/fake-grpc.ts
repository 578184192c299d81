// The gRPC part of the host in memory, for tests: unix sockets are names in a map, what is at a TCP address the test says. A message is
// taken when it is read, so a slow reader stops its sender as the real one does. Messages come whole, however large.
import type {
  GrpcAnswer,
  GrpcChannel,
  GrpcClientCall,
  GrpcHandler,
  GrpcOptions,
  GrpcPiece,
  GrpcStatus,
  GrpcTarget,
  HostGrpc,
} from '../../ports/grpc.ts';

/** `remote`: who answers at a TCP address; undefined: nobody. Timers are the caller's clock. */
export function fakeGrpc(remote: (target: GrpcTarget) => GrpcHandler | undefined): HostGrpc {
  const served = new Map<string, GrpcHandler>();
  const calls = new Set<FakeCall>();
  return {
    serve: (path, answer) => {
      served.set(path, answer);
      const end = (): void => {
        served.delete(path);
        for (const call of calls) if (call.path === path) call.end({ code: 'UNAVAILABLE', message: 'the server ends' });
      };
      return Promise.resolve({ end });
    },
    connect: (target) =>
      channelTo(target, calls, () => (target.at.kind === 'unix' ? served.get(target.at.path) : remote(target))),
  };
}

interface FakeCall {
  readonly path: string;
  readonly client: GrpcClientCall;
  readonly end: (status: GrpcStatus) => void;
}

function channelTo(target: GrpcTarget, calls: Set<FakeCall>, find: () => GrpcHandler | undefined): GrpcChannel {
  const own = new Set<FakeCall>();
  const open = (method: string, options: GrpcOptions = {}): GrpcClientCall => {
    const handler =
      find() ?? ((): Promise<GrpcStatus> => Promise.resolve({ code: 'UNAVAILABLE', message: 'nobody there' }));
    const path = target.at.kind === 'unix' ? target.at.path : '';
    const call = startCall(path, handler, { method, metadata: options.metadata ?? {} });
    for (const set of [calls, own]) set.add(call);
    return call.client;
  };
  return {
    open,
    unary: (method, message, options) => unary(open(method, options), message, options.maxBytes),
    close: () => {
      for (const call of own) call.end({ code: 'UNAVAILABLE', message: 'the channel was closed' });
    },
  };
}

async function unary(call: GrpcClientCall, message: Uint8Array, maxBytes: number): Promise<GrpcAnswer> {
  await call.send(message);
  call.closeSend();
  let answer: Uint8Array | undefined;
  for await (const each of call.messages(maxBytes)) answer = each;
  const status = await call.ended;
  return status.code === 'OK' && answer !== undefined
    ? { kind: 'answer', message: answer }
    : { kind: 'failed', status };
}

function startCall(
  path: string,
  handler: GrpcHandler,
  asked: { readonly method: string; readonly metadata: Readonly<Record<string, string>> },
): FakeCall {
  const up = pipe();
  const down = pipe();
  const { promise: ended, resolve } = Promise.withResolvers<GrpcStatus>();
  const end = (status: GrpcStatus): void => {
    resolve(status);
    up.abort();
    down.abort();
  };
  const finish = (status: GrpcStatus): void => {
    resolve(status);
    up.abort();
    down.end();
  };
  const server = { ...asked, ...reading(up), ...writing(down), ended };
  void handler(server).then(finish, (error: unknown) => end({ code: 'INTERNAL', message: String(error) }));
  const cancel = (): void => end({ code: 'CANCELLED', message: 'cancelled here' });
  return { path, end, client: { ...reading(down), ...writing(up), ended, cancel, closeSend: up.end } };
}

interface Pipe {
  readonly read: () => AsyncIterable<GrpcPiece>;
  readonly write: (piece: GrpcPiece) => Promise<boolean>;
  /** What was written can still be read. */
  readonly end: () => void;
  readonly abort: () => void;
}

function pipe(): Pipe {
  const state = { waiting: [] as Waiting[], isOver: false, changed: Promise.withResolvers<void>() };
  const change = (): void => {
    state.changed.resolve();
    state.changed = Promise.withResolvers();
  };
  async function* read(): AsyncGenerator<GrpcPiece> {
    while (state.waiting.length > 0 || !state.isOver) {
      const next = state.waiting.shift();
      next?.taken(true);
      if (next === undefined) await state.changed.promise;
      else yield next.piece;
    }
  }
  const write = ({ bytes, offset, size }: GrpcPiece): Promise<boolean> => {
    const { promise, resolve: taken } = Promise.withResolvers<boolean>();
    if (state.isOver) taken(false);
    else state.waiting.push({ piece: { bytes, offset, size }, taken });
    change();
    return promise;
  };
  const end = (): void => {
    state.isOver = true;
    change();
  };
  return { read, write, end, abort: () => (dropAll(state.waiting), end()) };
}

interface Waiting {
  readonly piece: GrpcPiece;
  readonly taken: (more: boolean) => void;
}

function dropAll(waiting: Waiting[]): void {
  for (const { taken } of waiting.splice(0)) taken(false);
}

function reading({ read }: Pipe): Pick<GrpcClientCall, 'pieces' | 'messages'> {
  async function* messages(): AsyncGenerator<Uint8Array> {
    for await (const { bytes } of read()) yield bytes;
  }
  return { pieces: read, messages };
}

function writing({ write }: Pipe): Pick<GrpcClientCall, 'send' | 'sendPiece'> {
  return { sendPiece: write, send: (bytes) => write({ bytes, offset: 0, size: bytes.length }) };
}
