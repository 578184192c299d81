// What becomes of a query: an answer from the table, a refusal, or the way to a server. Owns the order of these decisions, which is that of Istio's
// agent (pkg/dns/client/dns.go); refuses to wait or to send.
import type { Prng } from '../std/prng.ts';
import { type Query, responseCode } from './layout.ts';
import { type OwnRecord, writeReply } from './reply.ts';
import { type LookupTable, lookUp } from './table.ts';

export type Decision = { readonly kind: 'reply'; readonly bytes: Uint8Array } | { readonly kind: 'forward' };

export interface Answering {
  readonly table: LookupTable | undefined;
  /** What holds before the first table: in a pod the asker waits, on a machine whose only resolver this is servers are asked. */
  readonly beforeTable: 'refuse' | 'forward';
  readonly prng: Prng;
}

/** Decides about one query; `bytesAtMost` is what the asker has room for. */
export function answer({ table, beforeTable, prng }: Answering, query: Query, bytesAtMost: number): Decision {
  const { question } = query;
  if (question === undefined) return { kind: 'reply', bytes: codeAlone(query, responseCode.refused) };
  if (table === undefined)
    return beforeTable === 'forward' ? { kind: 'forward' } : { kind: 'reply', bytes: serverFailure(query) };
  const known = lookUp(table, question.name, question.type);
  if (known === undefined) return { kind: 'forward' };
  const records = shuffled(known, prng);
  const code = responseCode.success;
  return { kind: 'reply', bytes: writeReply({ query, code, authoritative: true, records, bytesAtMost }) };
}

/** For a query that no server answered, or that nobody can. */
export function serverFailure(query: Query): Uint8Array {
  return codeAlone(query, responseCode.serverFailure);
}

function codeAlone(query: Query, code: number): Uint8Array {
  return writeReply({ query, code, authoritative: false, records: [], bytesAtMost: Number.POSITIVE_INFINITY });
}

/** Addresses in another order each time, the alias before them: clients take the first, and so share the load of a headless service. */
function shuffled(records: readonly OwnRecord[], prng: Prng): readonly OwnRecord[] {
  const addresses = records.filter(({ kind }) => kind === 'address');
  return [...records.filter(({ kind }) => kind === 'alias'), ...shuffle(addresses, prng)];
}

/** A copy in an order drawn evenly. */
export function shuffle<T>(items: readonly T[], prng: Prng): readonly T[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(prng.next() * (i + 1));
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
