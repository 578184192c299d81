// What the agent asks of the machine that it runs on. Small on purpose: Node and Bun serve it by one adapter, and a fake in
// virtual time serves the tests. Nothing here throws for an expected failure: a refused dial, a missing file, a time-out are values.
import type { HostGrpc } from './grpc.ts';
import type { HostKeys } from './keys.ts';
import type { HostMessages } from './messages.ts';
import type { HostProcesses } from './processes.ts';

export interface Host {
  readonly clock: HostClock;
  readonly files: HostFiles;
  readonly processes: HostProcesses;
  readonly net: HostNet;
  readonly grpc: HostGrpc;
  readonly keys: HostKeys;
  readonly messages: HostMessages;
  /** A text that nobody else can know. */
  readonly nonce: () => string;
  /** A line, without its break: of what a call is for, or of the agent's log; and a complaint to whoever called. */
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

export interface HostClock {
  /** Milliseconds that never go back; their zero means nothing. */
  readonly nowMs: () => number;
  /** Wall time in milliseconds since 1970: for log lines, and for what certificates say. It may jump. */
  readonly wallMs: () => number;
  /** Calls once after so many milliseconds; the result calls it off. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export interface HostFiles {
  /** Undefined where there is no such file. */
  readonly read: (path: string) => string | undefined;
  readonly exists: (path: string) => boolean;
  /** A text that changes whenever the file does, or another one takes its place; links are followed. Undefined: there is none. */
  readonly stamp: (path: string) => string | undefined;
  /** Makes folders as needed; gives back what went wrong. */
  readonly write: (path: string, content: string | Uint8Array, mode?: number) => string | undefined;
  /** Undefined: these bytes are no gzip, or more than `maxBytes` come out. */
  readonly gunzip: (bytes: Uint8Array, maxBytes: number) => Promise<Uint8Array | undefined>;
  readonly remove: (path: string) => void;
}

export interface HostNet {
  /** The whole answer, cut after `maxBytes`. */
  readonly fetch: (request: HttpRequest) => Promise<Fetched>;
  /** The answer as it comes. */
  readonly open: (request: HttpRequest) => Promise<Opened>;
  readonly dial: (target: DialTarget) => Promise<Dialled>;
  /** One call of grpc.health.v1.Health/Check in plain HTTP/2. */
  readonly grpcHealth: (target: DialTarget, service: string) => Promise<Dialled | { readonly kind: 'not-serving' }>;
  /** Every address of the machine; rejects where the port is taken. */
  readonly serve: (port: number, answer: Handler) => Promise<Server>;
  /** Listens on one address and tells what each connection sent. */
  readonly listen: (
    at: { readonly host: string; readonly port: number },
    heard: (text: string) => void,
  ) => Promise<Server>;
  /** Connects, sends a text, closes. */
  readonly send: (target: DialTarget, text: string) => Promise<Dialled>;
  /** Addresses of the machine that others can reach (neither loopback nor link-local), of all interfaces but those named. */
  readonly addresses: (except?: readonly string[]) => readonly string[];
  /** Addresses of a name, IPv4 first; none: it cannot be resolved. */
  readonly lookup: (name: string) => Promise<readonly string[]>;
}

export interface HttpRequest {
  readonly method: string;
  readonly host: string;
  readonly port: number;
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly tls?: boolean;
  /** The certificate must be one that the machine trusts. Probes of an application take any, as the kubelet does. */
  readonly verify?: boolean;
  /** HTTP/2 where a server with TLS chooses it. */
  readonly http2?: boolean;
  /** Undefined: none. */
  readonly timeoutMs: number | undefined;
  readonly localAddress?: string;
  readonly maxBytes?: number;
  readonly body?: string;
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

export type Fetched =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Headers;
      readonly body: Uint8Array;
      readonly cut: boolean;
    }
  | { readonly kind: 'failed'; readonly problem: string };

export type Opened =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Headers;
      readonly body: AsyncIterable<Uint8Array>;
    }
  | { readonly kind: 'failed'; readonly problem: string };

export interface DialTarget {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number | undefined;
  readonly localAddress?: string;
}

export type Dialled =
  | { readonly kind: 'open' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly problem: string };

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Headers;
  /** Of the other end, without a prefix for IPv4 in IPv6. */
  readonly remoteAddress: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** Called when the last byte was handed over. */
  readonly afterwards?: () => void;
}

export type Handler = (asked: Asked) => Promise<Answer>;

export interface Server {
  readonly port: number;
  /** Stops to listen; connections that are there live on. */
  readonly close: () => void;
  /** Ends its connections too. */
  readonly end: () => void;
}
