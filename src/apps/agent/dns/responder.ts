// Answers single DNS messages: holds the table, counts, hands on what the table does not know. Has no sockets of its own.
import {
  answer,
  type LookupTable,
  lookupTable,
  type NameTable,
  nameTableJson,
  type Place,
  readNameTable,
  readQuery,
} from '../../../core/dns/index.ts';
import type { Transport } from '../../../ports/messages.ts';
import { type Asked, type Forwarding, forward } from './forward.ts';

export interface DnsCounts {
  readonly requests: number;
  readonly forwarded: number;
  readonly failures: number;
  /** How many forwarded queries took so many seconds at most; the last one counts all that have ended. */
  readonly within: readonly (readonly [seconds: number, count: number])[];
  readonly tookSeconds: number;
}

/** Those of Istio's agent. */
const secondsAtMost = [0.001, 0.005, 0.01, 0.1, 1, 5, Number.POSITIVE_INFINITY] as const;

export interface Responder {
  /** What goes back; undefined: nothing. */
  readonly respond: (transport: Transport, bytes: Uint8Array) => Promise<Uint8Array | undefined>;
  /** Takes a table (a NameTable of protobuf) in the place of the last; gives back why it cannot. */
  readonly onNameTable: (bytes: Uint8Array) => string | undefined;
  /** Readiness waits for it. */
  readonly hasTable: () => boolean;
  /** For `/debug/ndsz`; undefined before the first table. */
  readonly tableJson: () => string | undefined;
  readonly counts: () => DnsCounts;
}

interface Responding {
  readonly place: Place;
  readonly beforeTable: 'refuse' | 'forward';
  readonly forwarding: Forwarding;
  readonly nowMs: () => number;
}

/** Queries that wait for servers at once; more are refused, as one flood must not take all descriptors. */
const forwardsAtMost = 1000;
const tcpBytes = 0xffff;

export function responder({ place, beforeTable, forwarding, nowMs }: Responding): Responder {
  const { table, ...door } = heldTable(place);
  const { forwardOne, counts } = counted(forwarding, nowMs);
  let requests = 0;
  return {
    ...door,
    respond: async (transport, bytes) => {
      const received = readQuery(bytes);
      if (received.kind !== 'query') return received.kind === 'refused' ? received.reply : undefined;
      requests++;
      const bytesAtMost = transport === 'udp' ? received.udpBytes : tcpBytes;
      const decision = answer({ table: table(), beforeTable, prng: forwarding.prng }, received, bytesAtMost);
      return decision.kind === 'reply'
        ? decision.bytes
        : forwardOne({ query: received, bytes, transport, bytesAtMost });
    },
    counts: () => ({ requests, ...counts() }),
  };
}

type HeldTable = Pick<Responder, 'onNameTable' | 'hasTable' | 'tableJson'> & {
  readonly table: () => LookupTable | undefined;
};

function heldTable(place: Place): HeldTable {
  let names: NameTable | undefined;
  let table: LookupTable | undefined;
  return {
    table: () => table,
    onNameTable: (bytes) => {
      const read = readNameTable(bytes);
      if (read === undefined) return 'not a table of names';
      names = read;
      table = lookupTable(read, place);
      return undefined;
    },
    hasTable: () => table !== undefined,
    tableJson: () => (names === undefined ? undefined : nameTableJson(names, place)),
  };
}

interface Counted {
  readonly forwardOne: (asked: Asked) => Promise<Uint8Array>;
  readonly counts: () => Omit<DnsCounts, 'requests'>;
}

function counted(forwarding: Forwarding, nowMs: () => number): Counted {
  let forwarded = 0;
  let failures = 0;
  let waiting = 0;
  const { took, durations } = timed();
  const forwardOne = async (asked: Asked): Promise<Uint8Array> => {
    const servers = waiting < forwardsAtMost ? forwarding.servers : [];
    forwarded++;
    waiting++;
    const askedMs = nowMs();
    const { bytes, failed } = await forward({ ...forwarding, servers }, asked);
    waiting--;
    if (failed) failures++;
    took((nowMs() - askedMs) / 1000);
    return bytes;
  };
  return { forwardOne, counts: () => ({ forwarded, failures, ...durations() }) };
}

interface Timed {
  readonly took: (seconds: number) => void;
  readonly durations: () => Pick<DnsCounts, 'within' | 'tookSeconds'>;
}

function timed(): Timed {
  let tookSeconds = 0;
  const within = new Map<number, number>(secondsAtMost.map((most) => [most, 0]));
  const took = (seconds: number): void => {
    tookSeconds += seconds;
    for (const [most, count] of within) if (seconds <= most) within.set(most, count + 1);
  };
  return { took, durations: () => ({ tookSeconds, within: [...within] }) };
}
