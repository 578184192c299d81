// gRPC as the agent needs it: a server on a unix socket for Envoy, a client for the control plane. Messages are bytes; whoever calls knows
// what they mean. Nothing throws for an expected failure, and every call ends with a status. Both ways a slow reader stops the
// sender, so what is under way is bounded by HTTP/2's windows, however large a message is.

export interface HostGrpc {
  /** Listens on a unix socket; folders are made, a file that is there is replaced, everybody may connect. Rejects where it cannot. */
  readonly serve: (path: string, answer: GrpcHandler) => Promise<GrpcServer>;
  /** Connects at the first call, and again at the first call after a loss. */
  readonly connect: (target: GrpcTarget) => GrpcChannel;
}

/** Answers a call of any kind; what it gives back is the call's status. One that rejects gives INTERNAL. */
export type GrpcHandler = (call: GrpcServerCall) => Promise<GrpcStatus>;

export interface GrpcServer {
  /** Stops to listen, ends every call with UNAVAILABLE, removes the socket's file. */
  readonly end: () => void;
}

export interface GrpcTarget {
  readonly at:
    | { readonly kind: 'unix'; readonly path: string }
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number };
  /** Undefined: plain text. */
  readonly tls: GrpcTls | undefined;
  /** What `:authority` says; undefined: where it connects to. */
  readonly authority?: string;
  /** Until TLS is through. */
  readonly connectTimeoutMs: number;
  /** Pings a quiet connection too; one without an answer is given up, and its calls end with UNAVAILABLE. */
  readonly keepalive?: { readonly everyMs: number; readonly timeoutMs: number };
}

export interface GrpcTls {
  /** PEM; undefined: those of the machine. */
  readonly roots: string | undefined;
  /** PEM; for servers that want to know their client. */
  readonly client?: { readonly chain: string; readonly key: string };
  /** What the server's certificate must name; undefined: the host. */
  readonly serverName?: string;
  /** Undefined: the runtime's own. */
  readonly limits?: TlsLimits;
}

/** From TLS 1.2 on; ciphers and curves as OpenSSL names them. */
export interface TlsLimits {
  readonly maxVersion: 'TLSv1.2' | 'TLSv1.3';
  readonly ciphers: string;
  readonly ecdhCurve: string;
}

export interface GrpcChannel {
  /** `method` is `/package.Service/Method`. */
  readonly open: (method: string, options?: GrpcOptions) => GrpcClientCall;
  readonly unary: (method: string, message: Uint8Array, options: GrpcUnaryOptions) => Promise<GrpcAnswer>;
  /** Ends its calls too. */
  readonly close: () => void;
}

export interface GrpcOptions {
  /** In lower case. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The deadline of the whole call; undefined: none. */
  readonly timeoutMs?: number;
}

export interface GrpcUnaryOptions extends GrpcOptions {
  readonly timeoutMs: number;
  /** A longer answer is RESOURCE_EXHAUSTED. */
  readonly maxBytes: number;
}

export type GrpcAnswer =
  | { readonly kind: 'answer'; readonly message: Uint8Array }
  | { readonly kind: 'failed'; readonly status: GrpcStatus };

/**
 * A message, or a piece of one: those above 256 KiB come in pieces, so that nobody must hold them. The first piece of such a message
 * has 256 KiB; the last one is where `offset` and its bytes make `size`.
 */
export interface GrpcPiece {
  readonly bytes: Uint8Array;
  /** Where in its message it begins. */
  readonly offset: number;
  /** Of the whole message. */
  readonly size: number;
}

/** Two directions of messages. Either `pieces` or `messages` is read, once. */
interface GrpcStream {
  /** Ends when the other end has said all, and when the call is over. */
  readonly pieces: () => AsyncIterable<GrpcPiece>;
  /** Whole ones; one above `maxBytes` ends the call with RESOURCE_EXHAUSTED. */
  readonly messages: (maxBytes: number) => AsyncIterable<Uint8Array>;
  /** Resolves when more may be sent; false: the call is over. */
  readonly send: (message: Uint8Array) => Promise<boolean>;
  /** In order, every piece of a message, before the next message begins. */
  readonly sendPiece: (piece: GrpcPiece) => Promise<boolean>;
  /** Resolves when the call is over. A server's own status, or CANCELLED where the client went away. */
  readonly ended: Promise<GrpcStatus>;
}

export interface GrpcClientCall extends GrpcStream {
  /** Nothing more will be sent. */
  readonly closeSend: () => void;
  readonly cancel: () => void;
}

export interface GrpcServerCall extends GrpcStream {
  readonly method: string;
  readonly metadata: Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface GrpcStatus {
  readonly code: GrpcCode;
  readonly message: string;
}

export type GrpcCode =
  | 'OK'
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED';
