// The messages of the fake host: what is served can be sent to; a server that is asked answers as the test says, or refuses.
import type { HostMessages, Place, Question, Replied, Reply, Transport } from '../../ports/messages.ts';

export type AskServer = (to: Place, question: Question) => Promise<Replied>;

export interface FakeMessages extends HostMessages {
  /** A client's message and what comes back. */
  readonly send: (transport: Transport, to: Place, message: Uint8Array) => Promise<Uint8Array | undefined>;
}

export function fakeMessages(ask: AskServer | undefined): FakeMessages {
  const served = new Map<string, Reply>();
  const keyOf = (transport: Transport, { host, port }: Place): string => `${transport} ${host} ${port}`;
  return {
    serve: (transport, at, reply) => {
      served.set(keyOf(transport, at), reply);
      return Promise.resolve({ port: at.port, end: () => void served.delete(keyOf(transport, at)) });
    },
    ask: (_, to, question) => ask?.(to, question) ?? Promise.resolve({ kind: 'failed', problem: 'refused' }),
    send: (transport, to, message) => served.get(keyOf(transport, to))?.(message) ?? Promise.resolve(undefined),
  };
}
