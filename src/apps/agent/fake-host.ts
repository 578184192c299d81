// A host in virtual time, for tests: files in memory, an Envoy that answers as told, dials that go where the test says.
// Time moves only by `advance`, which runs what is due in order and lets every promise settle in between.
import type { GrpcHandler, GrpcTarget } from '../../ports/grpc.ts';
import type { Answer, Asked, Dialled, Fetched, Handler, Host, HttpRequest } from '../../ports/host.ts';
import type { Child, ChildEnd, ProcessUsage, Program, Ran } from '../../ports/processes.ts';
import { fakeGrpc } from './fake-grpc.ts';
import { fakeCertificate, fakeKeys } from './fake-keys.ts';
import { type AskServer, type FakeMessages, fakeMessages } from './fake-messages.ts';

const usage: ProcessUsage = {
  cpuSeconds: 1,
  residentBytes: 1024,
  virtualBytes: 2048,
  virtualBytesAtMost: 4096,
  openFiles: 3,
  openFilesAtMost: 4,
  startedAtSeconds: 5,
  receivedBytes: 6,
  sentBytes: 7,
};

interface FakeHost extends Host {
  readonly messages: FakeMessages;
  readonly lines: string[];
  readonly complaints: string[];
  readonly written: Map<string, string>;
  readonly spawned: Program[];
  readonly signals: string[];
  readonly requests: string[];
  /** Programs that ran to their end. */
  readonly ran: string[];
  /** Runs what is due within so many milliseconds. */
  readonly advance: (ms: number) => Promise<void>;
  readonly terminate: () => void;
  readonly endEnvoy: (end: ChildEnd) => void;
  /** An error that nobody catches. */
  readonly fail: (error: unknown) => void;
  /** Asks the status server; undefined where nobody listens (any more). */
  readonly ask: (asked: Partial<Asked> & { readonly path: string }) => Promise<Answer | undefined>;
  readonly alive: Map<number, number>;
}

interface Behaviour {
  readonly files?: Readonly<Record<string, string>>;
  readonly fetch?: (request: HttpRequest) => Fetched;
  readonly dial?: (port: number, host: string) => Dialled;
  readonly health?: Dialled | { readonly kind: 'not-serving' };
  readonly portTaken?: boolean;
  readonly addresses?: readonly string[];
  /** Who answers gRPC at a TCP address; nobody unless told. */
  readonly grpc?: (target: GrpcTarget) => GrpcHandler | undefined;
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly run?: (command: string, stdin: string) => Partial<Ran>;
  /** Whether what is sent to the probe port arrives at the proxy's. */
  readonly redirects?: boolean;
  readonly notStarted?: string;
  /** A server that a DNS query is forwarded to. */
  readonly ask?: AskServer;
  /** Envoy ends on SIGTERM unless told otherwise. */
  readonly deaf?: boolean;
}

export function answer(status: number, body = '', headers: Record<string, string> = {}): Fetched {
  return { kind: 'answer', status, headers, body: new TextEncoder().encode(body), cut: false };
}

export const refused: Fetched = { kind: 'failed', problem: 'refused' };

/** The answers of an Envoy that is ready. */
export function readyEnvoy({ path }: HttpRequest): Fetched {
  if (path.includes('cluster_manager'))
    return answer(200, 'cluster_manager.cds.update_success: 1\nlistener_manager.lds.update_success: 1\n');
  if (path.includes('server')) return answer(200, 'server.state: 0\nlistener_manager.workers_started: 1\n');
  return answer(200);
}

/** Without it the agent starts nothing. */
const caRoot = './var/run/secrets/istio/root-cert.pem';

export function fakeHost(behaviour: Behaviour = {}): FakeHost {
  const time = virtualTime();
  const seen = {
    lines: [] as string[],
    complaints: [] as string[],
    spawned: [] as Program[],
    signals: [] as string[],
    requests: [] as string[],
    ran: [] as string[],
  };
  const written = new Map(Object.entries({ [caRoot]: fakeCertificate('root', 2e12), ...behaviour.files }));
  const { processes, ...envoy } = fakeProcesses(behaviour, seen, time);
  const { net, ask } = fakeNet(behaviour, seen, time);
  return {
    ...seen,
    ...envoy,
    written,
    ask,
    processes,
    net,
    grpc: fakeGrpc((target) => behaviour.grpc?.(target)),
    keys: fakeKeys(),
    messages: fakeMessages(behaviour.ask),
    advance: time.advance,
    clock: { nowMs: time.nowMs, wallMs: () => 1_000_000_000_000 + time.nowMs(), after: time.after },
    files: {
      read: (path) => written.get(path),
      exists: (path) => written.has(path),
      stamp: (path) => written.get(path),
      write: (path, content) =>
        void written.set(path, typeof content === 'string' ? content : `${content.length} bytes`),
      gunzip: (bytes) => Promise.resolve(bytes.subarray(2)),
      remove: (path) => void written.delete(path),
    },
    nonce: () => 'nonce',
    print: (line) => seen.lines.push(line),
    complain: (line) => seen.complaints.push(line),
  };
}

type Seen = Pick<FakeHost, 'spawned' | 'signals' | 'requests' | 'ran'>;

function fakeProcesses(
  behaviour: Behaviour,
  seen: Seen,
  time: VirtualTime,
): Pick<FakeHost, 'processes' | 'alive' | 'terminate' | 'endEnvoy' | 'fail'> {
  const alive = new Map<number, number>();
  const ended = Promise.withResolvers<ChildEnd>();
  let terminate = (): void => undefined;
  let fail: (error: unknown) => void = () => undefined;
  const kill = (signal: string): void => {
    seen.signals.push(`${time.nowMs()} ${signal}`);
    if (signal === 'SIGKILL') ended.resolve({ kind: 'signal', name: 'SIGKILL', number: 9 });
    else if (behaviour.deaf !== true) ended.resolve({ kind: 'code', code: 0 });
  };
  const spawn = (program: Program): Child => {
    seen.spawned.push(program);
    if (behaviour.notStarted !== undefined) ended.resolve({ kind: 'not-started', problem: behaviour.notStarted });
    return { pid: behaviour.notStarted === undefined ? 4711 : undefined, kill, ended: ended.promise };
  };
  const killPid = (pid: number, signal: string): void => {
    seen.signals.push(`${time.nowMs()} ${signal} ${pid}`);
    if (signal === 'SIGKILL' || behaviour.deaf !== true) alive.delete(pid);
  };
  const onTerminate = (run: () => void): void => {
    terminate = run;
  };
  const onUnexpected = (run: typeof fail): void => {
    fail = run;
  };
  const startTicks = (pid: number): number | undefined => (pid === 4711 ? 99 : pid === 42 ? 7 : alive.get(pid));
  const run = (program: string, args: readonly string[], stdin = ''): Promise<Ran> => {
    seen.ran.push([program, ...args].join(' '));
    return Promise.resolve({
      status: 0,
      stdout: '',
      stderr: '',
      ...behaviour.run?.([program, ...args].join(' '), stdin),
    });
  };
  const own = { isRoot: true, pid: 42, usage: () => usage };
  const processes = { ...own, run, spawn, onTerminate, onUnexpected, startTicks, kill: killPid };
  return { processes, alive, terminate: () => terminate(), endEnvoy: ended.resolve, fail: (error) => fail(error) };
}

function fakeNet(behaviour: Behaviour, seen: Seen, time: VirtualTime): Pick<FakeHost, 'net' | 'ask'> {
  const { fetch = readyEnvoy, dial = () => ({ kind: 'refused' }) } = behaviour;
  let handler: Handler | undefined;
  let heard: (text: string) => void = () => undefined;
  const close = (): void => {
    handler = undefined;
  };
  const fetched = (request: HttpRequest): Promise<Fetched> => {
    seen.requests.push(`${time.nowMs()} ${request.method} ${request.port} ${decodeURIComponent(request.path)}`);
    return Promise.resolve(fetch(request));
  };
  return {
    ask: (asked) => askHandler(handler, asked),
    net: {
      fetch: fetched,
      open: async (request) => {
        const whole = await fetched(request);
        return whole.kind === 'failed' ? whole : { ...whole, body: chunks(whole.body) };
      },
      dial: ({ port, host }) => Promise.resolve(dial(port, host)),
      grpcHealth: () => Promise.resolve(behaviour.health ?? { kind: 'open' }),
      serve: (port, given) => {
        if (behaviour.portTaken === true) return Promise.reject(new Error('port is taken'));
        handler = given;
        return Promise.resolve({ port, close, end: close });
      },
      listen: (at, given) => {
        if (at.port === 15_006) heard = given;
        return Promise.resolve({ port: at.port, close: () => undefined, end: () => undefined });
      },
      send: (_, text) => {
        if (behaviour.redirects === true) heard(text);
        return Promise.resolve({ kind: behaviour.redirects === true ? 'open' : 'refused' });
      },
      addresses: () => behaviour.addresses ?? ['10.0.0.7'],
      lookup: (name) => Promise.resolve(behaviour.names?.[name] ?? []),
    },
  };
}

async function askHandler(
  handler: Handler | undefined,
  asked: Partial<Asked> & { readonly path: string },
): Promise<Answer | undefined> {
  const given = await handler?.({ method: 'GET', query: '', headers: {}, remoteAddress: '127.0.0.1', ...asked });
  given?.afterwards?.();
  return given;
}

async function* chunks(body: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(body);
}

interface VirtualTime {
  readonly nowMs: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  readonly advance: (ms: number) => Promise<void>;
}

function virtualTime(): VirtualTime {
  let nowMs = 0;
  let timers: { readonly atMs: number; readonly run: () => void }[] = [];
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    nowMs: () => nowMs,
    after: (ms, run) => {
      const timer = { atMs: nowMs + Math.max(0, ms), run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: async (ms) => {
      const endMs = nowMs + ms;
      await settle();
      for (;;) {
        const next = timers.toSorted((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined || next.atMs > endMs) break;
        timers = timers.filter((other) => other !== next);
        nowMs = next.atMs;
        next.run();
        await settle();
      }
      nowMs = endMs;
    },
  };
}
