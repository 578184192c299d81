// The names that the control plane gave (NDS), and what each answers. Owns which names a host has (short forms, wildcards, with the search
// domain behind), what is known and what is not. Refuses messages and time.
//
// A Kubernetes service answers to its short forms as in its cluster; another registry's host to its own name alone. Each is also found with
// the pod's first search domain behind it, because a resolver asks that first: the answer is an alias with the address beside it, which ends
// the search. Such names are worked out when they are asked for: keeping them would double the table.
import { compareCodePoints } from '../std/order.ts';
import { addressBytes } from './address.ts';
import { recordType } from './layout.ts';
import { isName, lowerName } from './name.ts';
import type { OwnRecord } from './reply.ts';

/** What the control plane tells of a host. */
export interface NamedHost {
  readonly addresses: readonly string[];
  readonly registry: string;
  /** Kubernetes only, as is the namespace. */
  readonly shortName: string;
  readonly namespace: string;
  readonly otherNames: readonly string[];
}

export type NameTable = ReadonlyMap<string, NamedHost>;

/** Who asks: the pod's namespace, its cluster's domain for services (`svc.cluster.local`), its first search domain. */
export interface Place {
  readonly namespace: string;
  readonly domain: string;
  readonly search: string | undefined;
}

interface Addresses {
  readonly v4: readonly Uint8Array[];
  readonly v6: readonly Uint8Array[];
}

export interface LookupTable {
  /** By name, lower case, fully qualified. */
  readonly hosts: ReadonlyMap<string, Addresses>;
  /** `.ns.svc.cluster.local.`; undefined where there is no search domain. */
  readonly suffix: string | undefined;
}

/** Undefined: nobody here knows the name, or not this type of record: a server must be asked. */
export type Known = readonly OwnRecord[] | undefined;

/** Low, so that a host's new address is soon found by those who honour it. */
const ttlSeconds = 30;

/** The domain of services alone: a proxy's domain begins with its namespace or does not. */
export function placeOf(namespace: string, proxyDomain: string, search: readonly string[]): Place {
  const [first, ...rest] = proxyDomain.split('.');
  return { namespace, domain: first === namespace ? rest.join('.') : proxyDomain, search: search[0] };
}

/** Where two hosts claim one name, a host's own name beats a short form, and the first in order of code points beats the rest. */
export function lookupTable(table: NameTable, place: Place): LookupTable {
  const hosts = new Map<string, Addresses>();
  const sorted = [...table].toSorted(([a], [b]) => compareCodePoints(a, b));
  const claims = sorted.map(([host, named]) => ({ names: namesOf(host, named, place), to: split(named.addresses) }));
  const claim = (name: string | undefined, to: Addresses): void => {
    const key = lowerName(name ?? '');
    if (isName(key) && !hosts.has(key)) hosts.set(key, to);
  };
  const reachable = claims.filter(({ to }) => to.v4.length + to.v6.length > 0);
  for (const { names, to } of reachable) claim(names[0], to);
  for (const { names, to } of reachable) for (const name of names.slice(1)) claim(name, to);
  const search = place.search?.replace(/\.$/, '') ?? '';
  return { hosts, suffix: search === '' ? undefined : `.${lowerName(search)}.` };
}

/** A host's own name first. One that ends in a dot already is no name of a Kubernetes service. */
export function namesOf(host: string, named: NamedHost, place: Place): readonly string[] {
  if (named.registry !== 'Kubernetes') return [host.endsWith('.') ? host : `${host}.`];
  if (host.endsWith('.')) return [];
  const { namespace, domain } = place;
  // Short forms could not be told from those of another cluster's services.
  if (domain === '' || !host.endsWith(domain)) return [`${host}.`];
  const short = `${named.shortName}.${named.namespace}.`;
  return [
    `${host}.`,
    short,
    ...(namespace === named.namespace ? [`${named.shortName}.`] : []),
    `${short}${domain.split('.')[0]}.`,
    ...named.otherNames.map((name) => `${name}.`),
  ];
}

function split(addresses: readonly string[]): Addresses {
  const bytes = addresses.flatMap((address) => addressBytes(address) ?? []);
  return { v4: bytes.filter(({ length }) => length === 4), v6: bytes.filter(({ length }) => length === 16) };
}

/**
 * Records for a name as asked. None: the name is known but not with this family of addresses, which is no error (a resolver that asks for
 * both families at once would give up).
 */
export function lookUp(table: LookupTable, asked: string, type: number): Known {
  const name = lowerName(asked);
  const found = findHost(table, name) ?? findWildcard(table, name);
  if (found === undefined || (type !== recordType.a && type !== recordType.aaaa)) return undefined;
  const addresses = type === recordType.a ? found.to.v4 : found.to.v6;
  if (addresses.length === 0) return [];
  const { alias } = found;
  const owner = alias ?? name;
  return [
    ...(alias === undefined ? [] : [{ kind: 'alias', owner: name, ttlSeconds, target: alias } as const]),
    ...addresses.map((bytes) => ({ kind: 'address', owner, ttlSeconds, bytes }) as const),
  ];
}

interface Found {
  readonly to: Addresses;
  /** The name without the search domain, where it was found so. */
  readonly alias: string | undefined;
}

function findHost({ hosts, suffix }: LookupTable, name: string): Found | undefined {
  const exact = hosts.get(name);
  if (exact !== undefined) return { to: exact, alias: undefined };
  if (suffix === undefined || !name.endsWith(suffix)) return undefined;
  const alias = name.slice(0, 1 - suffix.length);
  const to = alias.endsWith(suffix.slice(1)) ? undefined : hosts.get(alias);
  return to === undefined ? undefined : { to, alias };
}

/** `*.b.c.` for `a.b.c.`, then `*.c.`: the longest tail wins. */
function findWildcard(table: LookupTable, name: string): Found | undefined {
  for (let dot = nextDot(name, 0); dot !== -1 && dot < name.length - 1; dot = nextDot(name, dot + 1)) {
    const found = findHost(table, `*${name.slice(dot)}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The next dot that ends a label. */
function nextDot(name: string, from: number): number {
  for (let at = from; at < name.length; at++) {
    if (name[at] === '\\') at++;
    else if (name[at] === '.') return at;
  }
  return -1;
}
