// Envoy's counters as text (`name: value` lines of /stats) and what of them counts as work in progress. Owns which listeners
// are the agent's own: probes and scrapes hit those until the end, so counting them would never reach zero.
import type { CountUnit } from './policy.ts';

/** One look at the counters. */
export type Reading =
  | { readonly kind: 'active'; readonly count: number; readonly skipped: readonly string[] }
  /** The answer was empty: no such counter was ever used, or none is emitted. */
  | { readonly kind: 'absent' }
  /** Time-out, refused connection, or a status that is not 200. */
  | { readonly kind: 'failed'; readonly problem: string };

export interface OwnListeners {
  /** Ports on wildcard and loopback addresses that the agent's bootstrap listens on (15021, 15090, secure metrics). */
  readonly ports: readonly number[];
  /** By address; or, as upstream, by the literal names of IPv4's wildcard. */
  readonly by: 'address' | 'name';
}

interface Stats {
  readonly values: ReadonlyMap<string, number>;
  /** Lines that are no `name: integer`. */
  readonly skipped: readonly string[];
}

/** Every counter and gauge of an answer of /stats. */
export function parseStats(body: string): Stats {
  const values = new Map<string, number>();
  const skipped: string[] = [];
  for (const line of body.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.lastIndexOf(': ');
    const value = at === -1 ? '' : line.slice(at + 2).trim();
    if (at > 0 && /^\d+$/.test(value)) values.set(line.slice(0, at), Number(value));
    else skipped.push(line);
  }
  return { values, skipped };
}

/** The query of Envoy's administration port whose answer `countActive` reads. */
export function countQuery(unit: CountUnit): string {
  const counters = unit === 'connections' ? 'downstream_cx_active' : 'downstream_(cx|rq)_active';
  return `/stats?usedonly&filter=${encodeURIComponent(`${counters}$`)}`;
}

/**
 * What is still going on. Connections: the sum over listeners that are not the agent's own, inbound and outbound.
 * Requests: HTTP requests, and every connection that is not HTTP, since it has no smaller unit.
 */
export function countActive(body: string, unit: CountUnit, own: OwnListeners): Reading {
  if (body.trim() === '') return { kind: 'absent' };
  const { values, skipped } = parseStats(body);
  const connections = sum(values, (name) => isTrafficListener(name, own));
  if (unit === 'connections') return { kind: 'active', count: connections, skipped };
  const requests = sum(values, (name) => isTrafficHttp(name, 'downstream_rq_active'));
  const http = sum(values, (name) => isTrafficHttp(name, 'downstream_cx_active'));
  return { kind: 'active', count: requests + Math.max(0, connections - http), skipped };
}

function sum(values: ReadonlyMap<string, number>, counts: (name: string) => boolean): number {
  let total = 0;
  for (const [name, value] of values) if (counts(name)) total += value;
  return total;
}

const listenerPrefix = 'listener.';
const listenerSuffix = '.downstream_cx_active';

function isTrafficListener(name: string, own: OwnListeners): boolean {
  if (!name.startsWith(listenerPrefix) || !name.endsWith(listenerSuffix)) return false;
  const listener = name.slice(listenerPrefix.length, -listenerSuffix.length);
  if (listener.startsWith('envoy_internal_') || listener === 'admin' || listener === 'admin.main_thread') return false;
  if (own.by === 'name')
    return !listener.includes('worker_') && !own.ports.some((port) => listener === `0.0.0.0_${port}`);
  return !/\.worker_\d+$/.test(listener) && !isOwnAddress(listener, own.ports);
}

/** Envoy writes the address with `_` for `:`, IPv6 in brackets: `0.0.0.0_15021`, `[__]_15021`, `[__1]_15090`. */
function isOwnAddress(listener: string, ports: readonly number[]): boolean {
  const match = /^(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9A-Fa-f_.]+)\])_(\d+)$/.exec(listener);
  if (match === null || !ports.includes(Number(match[3]))) return false;
  const [, v4, v6] = match;
  if (v4 !== undefined) return v4 === '0.0.0.0' || v4.startsWith('127.');
  return v6 === '__' || v6 === '__1';
}

/** Stat prefixes of the agent's own HTTP listeners in Istio's bootstrap, and Envoy's administration. */
const ownHttp: ReadonlySet<string> = new Set(['admin', 'agent', 'stats']);

function isTrafficHttp(name: string, counter: string): boolean {
  if (!name.startsWith('http.') || !name.endsWith(`.${counter}`)) return false;
  return !ownHttp.has(name.slice('http.'.length, -(counter.length + 1)));
}
