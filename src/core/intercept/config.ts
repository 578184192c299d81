// What to intercept, parsed from the texts of flags and environment into values that cannot be wrong; every problem at once.
// Source of the flags: Istio, tools/istio-iptables/pkg/cmd.
import type { Problem } from '../std/errors.ts';

export type Family = 'v4' | 'v6';

/** All, or what is listed. */
export type Wanted = 'all' | readonly string[];

export interface InterceptConfig {
  readonly outboundPort: number;
  readonly inboundPort: number;
  readonly tunnelPort: number;
  readonly dnsPort: number;
  readonly uids: readonly string[];
  readonly gids: readonly string[];
  readonly mode: 'REDIRECT' | 'TPROXY';
  /** Empty: inbound is not intercepted. */
  readonly inboundPorts: Wanted;
  readonly inboundPortsExcluded: readonly string[];
  readonly outboundPorts: readonly string[];
  readonly outboundPortsExcluded: readonly string[];
  readonly outboundRanges: Readonly<Record<Family, Wanted>>;
  readonly outboundRangesExcluded: Readonly<Record<Family, readonly string[]>>;
  readonly loopback: Readonly<Record<Family, string>>;
  readonly interfacesExcluded: readonly string[];
  readonly virtualInterfaces: readonly string[];
  readonly ownerGroups: Wanted;
  readonly ownerGroupsExcluded: readonly string[];
  readonly dns: 'off' | 'all' | Readonly<Record<Family, readonly string[]>>;
  readonly dropInvalid: boolean;
  readonly mark: number;
  readonly routeTable: number;
  readonly families: readonly Family[];
}

/** Flags as they were given; lists are separated by commas, `*` is all. */
export interface InterceptFlags {
  readonly outboundPort: number;
  readonly inboundPort: number;
  readonly tunnelPort: number;
  readonly uid: string;
  readonly gid: string;
  readonly mode: string;
  readonly inboundPorts: string;
  readonly inboundPortsExcluded: string;
  readonly outboundPorts: string;
  readonly outboundPortsExcluded: string;
  readonly outboundRanges: string;
  readonly outboundRangesExcluded: string;
  readonly loopback: string;
  readonly interfacesExcluded: string;
  readonly virtualInterfaces: string;
  readonly ownerGroups: string;
  readonly ownerGroupsExcluded: string;
  readonly redirectDns: boolean;
  readonly captureAllDns: boolean;
  readonly dropInvalid: boolean;
  readonly mark: number;
  readonly routeTable: number;
  readonly dualStack: boolean;
}

/** What the machine says. */
export interface InterceptPlace {
  /** Addresses of the interfaces, loopback left out. */
  readonly addresses: readonly string[];
  /** Nameservers of resolv.conf. */
  readonly nameservers: readonly string[];
}

const dnsPort = 15_053;

/** The configuration, or why there is none. */
export function interceptConfig(
  flags: InterceptFlags,
  place: InterceptPlace,
): { readonly config: InterceptConfig; readonly problems: readonly Problem[] } {
  const list = listReader();
  const ranges = list.ranges('istio-service-cidr', flags.outboundRanges);
  const excluded = list.ranges('istio-service-exclude-cidr', flags.outboundRangesExcluded);
  if (excluded === 'all') list.refuse('istio-service-exclude-cidr', '*');
  const uids = list.words('proxy-uid', flags.uid, /^[\w.-]+$/);
  if (uids.length === 0) list.refuse('proxy-uid', flags.uid); // the proxy's own traffic would come back to it
  const config: InterceptConfig = {
    outboundPort: flags.outboundPort,
    inboundPort: flags.inboundPort,
    tunnelPort: flags.tunnelPort,
    dnsPort,
    uids,
    gids: flags.gid === '' ? uids : list.words('proxy-gid', flags.gid, /^[\w.-]+$/),
    mode: flags.mode === 'TPROXY' ? 'TPROXY' : 'REDIRECT',
    inboundPorts: list.ports('istio-inbound-ports', flags.inboundPorts),
    inboundPortsExcluded: list.portList('istio-local-exclude-ports', flags.inboundPortsExcluded),
    outboundPorts: list.portList('istio-outbound-ports', flags.outboundPorts),
    outboundPortsExcluded: list.portList('istio-local-outbound-ports-exclude', flags.outboundPortsExcluded),
    outboundRanges: { v4: ofFamily(ranges, 'v4'), v6: ofFamily(ranges, 'v6') },
    outboundRangesExcluded: { v4: listed(ofFamily(excluded, 'v4')), v6: listed(ofFamily(excluded, 'v6')) },
    loopback: { v4: flags.loopback, v6: '::1/128' },
    interfacesExcluded: list.words('istio-exclude-interfaces', flags.interfacesExcluded, interfaceForm),
    virtualInterfaces: list.words('kube-virt-interfaces', flags.virtualInterfaces, interfaceForm),
    ownerGroups:
      flags.ownerGroups === '*' ? 'all' : list.words('ISTIO_OUTBOUND_OWNER_GROUPS', flags.ownerGroups, /^[\w.-]+$/),
    ownerGroupsExcluded: list.words('ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE', flags.ownerGroupsExcluded, /^[\w.-]+$/),
    dns: dnsOf(flags, place.nameservers),
    dropInvalid: flags.dropInvalid,
    mark: flags.mark,
    routeTable: flags.routeTable,
    families: familiesOf(flags, place.addresses),
  };
  if (!['', 'REDIRECT', 'TPROXY', 'NONE'].includes(flags.mode))
    list.refuse('istio-inbound-interception-mode', flags.mode);
  if (!isRange(flags.loopback)) list.refuse('ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR', flags.loopback);
  return { config, problems: list.problems };
}

const interfaceForm = /^[^\s/]{1,15}$/;

/** IPv6 only where the first address is one; with dual stack where any is. */
function familiesOf({ dualStack }: InterceptFlags, addresses: readonly string[]): readonly Family[] {
  const isV6 = (address: string | undefined): boolean => address?.includes(':') === true;
  return (dualStack ? addresses.some(isV6) : isV6(addresses[0])) ? ['v4', 'v6'] : ['v4'];
}

/** Without a nameserver there is nothing to redirect, unless everything is. */
function dnsOf({ redirectDns, captureAllDns }: InterceptFlags, nameservers: readonly string[]): InterceptConfig['dns'] {
  if (!redirectDns) return 'off';
  if (captureAllDns) return 'all';
  const [v4, v6] = [
    nameservers.filter((server) => !server.includes(':')),
    nameservers.filter((server) => server.includes(':')),
  ];
  return v4.length + v6.length === 0 ? 'off' : { v4, v6 };
}

function ofFamily(ranges: Wanted, family: Family): Wanted {
  return ranges === 'all' ? ranges : ranges.filter((range) => range.includes(':') === (family === 'v6'));
}

function listed(ranges: Wanted): readonly string[] {
  return ranges === 'all' ? [] : ranges;
}

function isRange(text: string): boolean {
  const [, v4, v6, length] = /^(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-fA-F:.]*:[0-9a-fA-F:.]*))(?:\/(\d+))?$/.exec(text) ?? [];
  if (v4 !== undefined) return v4.split('.').every((part) => Number(part) < 256) && Number(length ?? 32) <= 32;
  return v6 !== undefined && Number(length ?? 128) <= 128;
}

interface ListReader {
  readonly problems: Problem[];
  readonly refuse: (flag: string, text: string) => void;
  readonly words: (flag: string, text: string, form: RegExp) => readonly string[];
  readonly ports: (flag: string, text: string) => Wanted;
  readonly portList: (flag: string, text: string) => readonly string[];
  readonly ranges: (flag: string, text: string) => Wanted;
}

function listReader(): ListReader {
  const problems: Problem[] = [];
  const refuse = (flag: string, text: string): void => {
    problems.push({
      code: 'intercept-invalid',
      severity: 'error',
      message: `${flag}: "${text}" does not fit`,
      path: flag,
    });
  };
  const checked = (flag: string, text: string, fits: (word: string) => boolean): readonly string[] => {
    const words = text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    for (const word of words) if (!fits(word)) refuse(flag, word);
    return words;
  };
  const isPort = (word: string): boolean => /^\d{1,5}$/.test(word) && Number(word) > 0 && Number(word) < 65_536;
  const portList = (flag: string, text: string): readonly string[] => checked(flag, text, isPort);
  return {
    problems,
    refuse,
    portList,
    words: (flag, text, form) => checked(flag, text, (word) => form.test(word)),
    ports: (flag, text) => (text.trim() === '*' ? 'all' : portList(flag, text)),
    ranges: (flag, text) => (text.trim() === '*' ? 'all' : checked(flag, text, isRange)),
  };
}
