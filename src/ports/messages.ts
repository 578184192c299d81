// Short binary messages: each a UDP datagram, or over TCP with its length in two bytes before it. DNS travels so. Nothing here throws for an
// expected failure: a refused port, a time-out, a cut connection are values.

export type Transport = 'udp' | 'tcp';

export interface Place {
  /** An address, not a name. */
  readonly host: string;
  readonly port: number;
}

/** The answer to one message; undefined says nothing. */
export type Reply = (message: Uint8Array) => Promise<Uint8Array | undefined>;

export interface Question {
  readonly message: Uint8Array;
  readonly timeoutMs: number;
  /** Over UDP what is no answer is passed over; over TCP it ends the wait. */
  readonly isAnswer: (message: Uint8Array) => boolean;
}

export type Replied =
  | { readonly kind: 'answer'; readonly message: Uint8Array }
  | { readonly kind: 'failed'; readonly problem: string };

export interface Listener {
  readonly port: number;
  /** Stops to listen and ends its connections. */
  readonly end: () => void;
}

export interface HostMessages {
  /** Answers every message that arrives at a place; rejects where that is taken. */
  readonly serve: (transport: Transport, at: Place, reply: Reply) => Promise<Listener>;
  /** Sends one message from a port of its own and waits for the answer. */
  readonly ask: (transport: Transport, to: Place, question: Question) => Promise<Replied>;
}
