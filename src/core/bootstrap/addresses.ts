// Addresses in a bootstrap: which family the node has, and `host:port` taken apart as Go does.

export interface Family {
  readonly localhost: string;
  readonly wildcard: string;
  readonly dnsLookupFamily: 'V4_ONLY' | 'V6_ONLY' | 'ALL';
  /** Dual stack: the other family listens too. */
  readonly other: { readonly localhost: string; readonly wildcard: string } | undefined;
}

const v4 = { localhost: '127.0.0.1', wildcard: '0.0.0.0' } as const;
const v6 = { localhost: '::1', wildcard: '::' } as const;

/** One family where the node has only that one; both only with dual stack on, the first address' family first. */
export function familyOf(addresses: readonly string[], dualStack: boolean): Family {
  const isV6 = (address: string): boolean => address.includes(':');
  if (!addresses.some(isV6)) return { ...v4, dnsLookupFamily: 'V4_ONLY', other: undefined };
  if (addresses.every(isV6)) return { ...v6, dnsLookupFamily: 'V6_ONLY', other: undefined };
  if (!dualStack) return { ...v4, dnsLookupFamily: 'V4_ONLY', other: undefined };
  const [first, other] = isV6(addresses[0] ?? '') ? [v6, v4] : [v4, v6];
  return { ...first, dnsLookupFamily: 'ALL', other };
}

export interface HostPort {
  readonly address: string;
  readonly port: number;
}

/** `host:port` or `[v6]:port`; undefined for anything else. */
export function hostPort(text: string): HostPort | undefined {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d+)$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  const port = Number(digits);
  return address === undefined || digits === '' || port > 65_535 ? undefined : { address, port };
}
