// Our interception rules are Istio's: for each of the files with expected rules that Istio's own module carries. The module
// comes from the Go proxy; only what the files mean is compared, in canonical form, chain by chain and in order.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  canonicalRule,
  type Family,
  type InterceptFlags,
  interceptConfig,
  interceptRules,
  nftRules,
  nftText,
  type Ruleset,
} from '../../src/core/intercept/index.ts';
import { plainFlags } from '../../src/core/intercept/plain-flags.ts';

const module = 'istio.io/istio@v0.0.0-20260827124520-eed52ebb66ad';

interface Case {
  readonly flags: Partial<InterceptFlags>;
  readonly nameservers?: readonly string[];
  readonly v6?: true;
}

const owners = { uid: '3,4', gid: '1,2' };
const dns = { redirectDns: true };
const v6Ranges = { outboundRanges: '2001:db8::/32', outboundRangesExcluded: '2001:db8::/32' };
const two = { inboundPorts: '4000,5000' };

/** What each file of Istio was made with. */
const cases: Readonly<Record<string, Case>> = {
  'basic-exclude-nic': { flags: { interfacesExcluded: 'not-istio-nic' } },
  'dns-uid-gid': { flags: { ...dns, ...owners }, nameservers: ['127.0.0.53', '::127.0.0.53'], v6: true },
  'drop-invalid': { flags: { dropInvalid: true } },
  empty: { flags: {} },
  'host-ipv4-loopback-cidr': { flags: { loopback: '127.0.0.1/8' } },
  'inbound-ports-include': { flags: { inboundPorts: '32000,31000' } },
  'inbound-ports-tproxy': { flags: { inboundPorts: '32000,31000', mode: 'TPROXY' } },
  'inbound-ports-wildcard-tproxy': { flags: { inboundPorts: '*', mode: 'TPROXY' } },
  'inbound-ports-wildcard': { flags: { inboundPorts: '*' } },
  'ip-range': {
    flags: { outboundRangesExcluded: '1.1.0.0/16', outboundRanges: '9.9.0.0/16', ...dns, ...owners },
    nameservers: ['127.0.0.53'],
  },
  'ipnets-with-kube-virt-interfaces': { flags: { virtualInterfaces: 'eth1,eth2', outboundRanges: '10.0.0.0/8' } },
  ipnets: { flags: { outboundRanges: '10.0.0.0/8' } },
  'ipv6-dns-outbound-owner-groups-exclude': { flags: { ...dns, ownerGroupsExcluded: '888,ftp' }, v6: true },
  'ipv6-dns-outbound-owner-groups': { flags: { ...dns, ownerGroups: 'java,202' }, v6: true },
  'ipv6-dns-uid-gid': { flags: { ...dns, ...owners }, v6: true },
  'ipv6-empty-inbound-ports': { flags: { inboundPorts: '' }, v6: true },
  'ipv6-inbound-ports': { flags: two, v6: true },
  'ipv6-ipnets': {
    flags: { ...two, inboundPortsExcluded: '6000,7000,', virtualInterfaces: 'eth0,eth1', ...v6Ranges },
    v6: true,
  },
  'ipv6-outbound-ports': { flags: { outboundPorts: '32000,31000' }, v6: true },
  'ipv6-uid-gid': {
    flags: { ...two, inboundPortsExcluded: '6000,7000', virtualInterfaces: 'eth0,eth1', ...owners, ...v6Ranges },
    v6: true,
  },
  'ipv6-virt-interfaces': { flags: { ...two, virtualInterfaces: 'eth0,eth1' }, v6: true },
  'kube-virt-interfaces': { flags: { virtualInterfaces: 'eth1,eth2', outboundRanges: '*' } },
  'loopback-outbound-iprange': {
    flags: { outboundRanges: '127.1.2.3/32', ...dns, ...owners },
    nameservers: ['127.0.0.53'],
  },
  'outbound-owner-groups-exclude': { flags: { ownerGroupsExcluded: '888,ftp' } },
  'outbound-owner-groups': { flags: { ownerGroups: 'java,202' } },
  'outbound-ports-include': { flags: { outboundPorts: '32000,31000' } },
  tproxy: {
    flags: {
      mode: 'TPROXY',
      inboundPorts: '*',
      outboundRangesExcluded: '1.1.0.0/16',
      outboundRanges: '9.9.0.0/16',
      ...dns,
      interfacesExcluded: 'not-istio-nic',
    },
    nameservers: ['127.0.0.53'],
    v6: true,
  },
};

const tools = join(download(), 'tools');
const folder = join(tools, 'istio-iptables', 'pkg', 'capture', 'testdata');
const nftFolder = join(tools, 'istio-nftables', 'pkg', 'capture', 'testdata');
/** Without inbound there is nothing to mark; Istio's nftables mark all the same. */
const nftOnly = ['inbound-ports-empty-tproxy'];

test('every file of Istio is compared', () => {
  const known = Object.keys(cases);
  const found = (within: string): string[] => readdirSync(within).map((file) => file.replace('.golden', ''));
  assert.deepEqual(found(folder).toSorted(), known.toSorted());
  assert.deepEqual(found(nftFolder).toSorted(), [...known, ...nftOnly].toSorted());
});

for (const [name, { flags, nameservers = [], v6 }] of Object.entries(cases)) {
  test(`interception agrees with Istio: ${name}`, () => {
    const place = { addresses: v6 === true ? ['fd00::1'] : ['10.0.0.1'], nameservers };
    const { config, problems } = interceptConfig({ ...plainFlags, ...flags }, place);
    assert.deepEqual(problems, []);
    const theirs = parseExpected(readFileSync(join(folder, `${name}.golden`), 'utf8'));
    const ours = Object.fromEntries(config.families.map((family) => [family, shown(interceptRules(config, family))]));
    assert.deepEqual(ours, theirs);
  });
}

for (const [name, { flags, nameservers = [], v6 }] of Object.entries(cases)) {
  test(`interception by nftables agrees with Istio: ${name}`, () => {
    const place = { addresses: v6 === true ? ['fd00::1'] : ['10.0.0.1'], nameservers };
    const { config } = interceptConfig({ ...plainFlags, ...flags }, place);
    const theirs = parseNft(readFileSync(join(nftFolder, `${name}.golden`), 'utf8').replace(tcpOnly, '$1'));
    assert.deepEqual(parseNft(nftText(nftRules(config))), theirs);
  });
}

/** By nftables Istio drops invalid packets of TCP alone, by iptables all of them, as we do by both. */
const tcpOnly = /meta l4proto tcp (ct state invalid)/;

/** What a packet of each family meets in each chain, in order, and what kind a chain is: rules of one family do not meet those of the other. */
function parseNft(text: string): Shown {
  const chains = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [, verb, what, table = '', chain = '', rest = ''] =
      /^(add|insert) (chain|rule) inet (\S+) (\S+) ?(.*)$/.exec(line) ?? [];
    if (what === undefined) continue;
    const key = `${table} ${chain}`;
    const rules = chains.get(key) ?? [];
    chains.set(key, rules);
    const [, at, rule = rest] = /^index (\d+) (.*)$/.exec(rest) ?? [];
    if (what === 'chain') rules.push(rest.replace('policy accept ;', '').replace(/ +/g, ' ').trim());
    else if (verb === 'insert') rules.splice(Number(at) + 1, 0, canonicalNft(rule));
    else rules.push(canonicalNft(rule));
  }
  const seenBy = (foreign: string) => (rule: string) => !rule.split(' ').includes(foreign);
  return sorted(
    [...chains].flatMap(([key, rules]) => [
      [`${key} v4`, withoutIdleOrder(rules.filter(seenBy('ip6')))] as const,
      [`${key} v6`, withoutIdleOrder(rules.filter(seenBy('ip')))] as const,
    ]),
  );
}

/** Which of several rules in a row lets a packet return is all the same. */
function withoutIdleOrder(rules: readonly string[]): string[] {
  const ordered: string[] = [];
  for (let at = 0; at < rules.length; ) {
    const isReturn = (rule: string): boolean => rule.split(' ').includes('return');
    const next = rules.findIndex((rule, i) => i >= at && !isReturn(rule));
    const end = next < 0 ? rules.length : Math.max(next, at + 1);
    ordered.push(...rules.slice(at, end).toSorted());
    at = end;
  }
  return ordered;
}

/** Parts in any order; what a port implies, and what only counts, is left out. */
function canonicalNft(rule: string): string {
  const plain = rule
    .replaceAll('"', '')
    .replace('counter', '')
    .replaceAll('meta mark', 'mark')
    .replaceAll('meta sk', 'sk');
  const spared = /(tcp|udp) [ds]port/.test(plain) ? plain.replace(/meta l4proto \w+/, '') : plain;
  return spared.split(/\s+/).filter(Boolean).toSorted().join(' ');
}

type Shown = Record<string, string[]>;

function shown(rules: Ruleset): Shown {
  const chains = [...rules].flatMap(([table, found]) =>
    [...found].map(([chain, list]) => [`${table} ${chain}`, list.map(({ text }) => canonicalRule(text))] as const),
  );
  return sorted(chains.filter(([, list]) => list.length > 0));
}

/** Commands of `iptables-restore` in the order of their running, v4 first; a table that comes again begins v6. */
function parseExpected(text: string): Partial<Record<Family, Shown>> {
  const families: [Family, Map<string, string[]>][] = [['v4', new Map()]];
  let table = '';
  for (const line of text.split('\n')) {
    const [, began] = /^\* (\w+)$/.exec(line) ?? [];
    if (began !== undefined) {
      if (began <= table) families.push(['v6', new Map()]);
      table = began;
    }
    const [, verb, chain = '', at = '', rule = ''] = /^-([AI]) (\S+)(?: (\d+))? (.*)$/.exec(line) ?? [];
    const chains = families.at(-1)?.[1];
    const rules = chains?.get(`${table} ${chain}`) ?? [];
    if (verb !== undefined) chains?.set(`${table} ${chain}`, rules);
    if (verb === 'A') rules.push(canonicalRule(rule));
    if (verb === 'I') rules.splice(Number(at) - 1, 0, canonicalRule(rule));
  }
  return Object.fromEntries(families.map(([family, chains]) => [family, sorted([...chains])]));
}

function sorted(entries: readonly (readonly [string, string[]])[]): Shown {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function download(): string {
  const run = spawnSync('go', ['mod', 'download', '-json', module], { cwd: homedir(), encoding: 'utf8' });
  const { Dir, Error: problem } = JSON.parse(run.stdout) as { readonly Dir?: string; readonly Error?: string };
  if (Dir === undefined) throw new Error(`${module}: ${problem ?? run.stderr}`);
  return Dir;
}
