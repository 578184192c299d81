// Asks the servers of resolv.conf for what the table does not know: one after the other in an order drawn anew, or all at once.
import { cutReply, isAnswerTo, type Query, serverFailure, shuffle } from '../../../core/dns/index.ts';
import type { Prng } from '../../../core/std/prng.ts';
import type { HostMessages, Place, Replied, Transport } from '../../../ports/messages.ts';
import type { Log } from '../log.ts';

export interface Forwarding {
  readonly messages: HostMessages;
  readonly log: Log;
  readonly servers: readonly Place[];
  readonly parallel: boolean;
  readonly timeoutMs: number;
  readonly prng: Prng;
}

interface Forwarded {
  readonly bytes: Uint8Array;
  readonly failed: boolean;
}

export interface Asked {
  readonly query: Query;
  /** As they came. */
  readonly bytes: Uint8Array;
  readonly transport: Transport;
  readonly bytesAtMost: number;
}

/** The first server's answer, cut to the asker's room; none answers: a server failure. */
export async function forward(forwarding: Forwarding, asked: Asked): Promise<Forwarded> {
  const { servers, parallel, prng } = forwarding;
  const ask = (server: Place): Promise<Replied> => askOne(forwarding, asked, server);
  const replied = parallel ? await firstOfAll(servers, ask) : await firstInTurn(shuffle(servers, prng), ask);
  return replied === undefined
    ? { bytes: serverFailure(asked.query), failed: true }
    : { bytes: cutReply(replied, asked.bytesAtMost), failed: false };
}

async function askOne(
  { messages, log, timeoutMs }: Forwarding,
  { query, bytes, transport }: Asked,
  server: Place,
): Promise<Replied> {
  const isAnswer = (message: Uint8Array): boolean => isAnswerTo(query, message);
  const replied = await messages.ask(transport, server, { message: bytes, timeoutMs, isAnswer });
  if (replied.kind === 'failed')
    log('debug', 'a DNS server does not answer', { server: server.host, transport, problem: replied.problem });
  return replied;
}

type Ask = (server: Place) => Promise<Replied>;

async function firstInTurn(servers: readonly Place[], ask: Ask): Promise<Uint8Array | undefined> {
  for (const server of servers) {
    const replied = await ask(server);
    if (replied.kind === 'answer') return replied.message;
  }
  return undefined;
}

function firstOfAll(servers: readonly Place[], ask: Ask): Promise<Uint8Array | undefined> {
  const good = servers.map(async (server) => {
    const replied = await ask(server);
    if (replied.kind === 'failed') throw new Error(replied.problem);
    return replied.message;
  });
  return Promise.any(good).catch(() => undefined);
}
