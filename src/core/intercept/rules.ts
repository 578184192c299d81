// The rules that lead a pod's traffic through its proxy, as Istio's own (tools/istio-iptables/pkg/capture/run.go): one ordered list a chain. Owns what is
// intercepted and in which order; refuses to know what is there already (`change.ts` does).
import type { Family, InterceptConfig } from './config.ts';

export type Table = 'mangle' | 'nat' | 'raw';

/** A wanted rule; `first` ones stand before whatever a built-in chain holds already. */
export interface Rule {
  readonly text: string;
  readonly place: 'first' | 'last';
}

/** Chains of a table with their rules in order. A chain without rules still has to exist. */
export type Chains = ReadonlyMap<string, readonly Rule[]>;
export type Ruleset = ReadonlyMap<Table, Chains>;

interface Draft {
  readonly family: Family;
  readonly config: InterceptConfig;
  readonly append: (table: Table, chain: string, ...texts: readonly string[]) => void;
  readonly prepend: (table: Table, chain: string, text: string) => void;
}

/** Source address of connections that the proxy makes for inbound: never intercepted again. */
const passthrough: Readonly<Record<Family, string>> = { v4: '127.0.0.6/32', v6: '::6/128' };

/** The rules of one family of addresses. */
export function interceptRules(config: InterceptConfig, family: Family): Ruleset {
  const tables = new Map<Table, Map<string, Rule[]>>();
  const chainOf = (table: Table, chain: string): Rule[] => {
    const chains = tables.get(table) ?? new Map<string, Rule[]>();
    tables.set(table, chains);
    const rules = chains.get(chain) ?? [];
    chains.set(chain, rules);
    return rules;
  };
  const draft: Draft = {
    family,
    config,
    append: (table, chain, ...texts) => {
      for (const text of texts) chainOf(table, chain).push({ text, place: 'last' });
    },
    prepend: (table, chain, text) => void chainOf(table, chain).unshift({ text, place: 'first' }),
  };
  for (const step of [interfaces, base, inbound, outboundBegin, owners, groups, dns, outboundEnd, tproxy]) step(draft);
  return tables;
}

function interfaces({ config, append, prepend }: Draft): void {
  for (const name of config.interfacesExcluded) {
    const tables: readonly Table[] = config.mode === 'TPROXY' ? ['nat', 'mangle'] : ['nat'];
    for (const table of tables) {
      append(table, 'PREROUTING', `-i ${name} -j RETURN`);
      append(table, 'OUTPUT', `-o ${name} -j RETURN`);
    }
  }
  for (const name of config.virtualInterfaces) prepend('nat', 'PREROUTING', `-i ${name} -j RETURN`);
  if (!config.dropInvalid) return;
  append('mangle', 'PREROUTING', '-m conntrack --ctstate INVALID -j ISTIO_DROP');
  append('mangle', 'ISTIO_DROP', '-j DROP');
}

function base({ config, append }: Draft): void {
  append('nat', 'ISTIO_INBOUND', `-p tcp --dport ${config.tunnelPort} -j RETURN`);
  append('nat', 'ISTIO_REDIRECT', `-p tcp -j REDIRECT --to-ports ${config.outboundPort}`);
  append('nat', 'ISTIO_IN_REDIRECT', `-p tcp -j REDIRECT --to-ports ${config.inboundPort}`);
}

function inbound(draft: Draft): void {
  const { config, append } = draft;
  const { inboundPorts, mode } = config;
  if (inboundPorts !== 'all' && inboundPorts.length === 0) return;
  const table: Table = mode === 'TPROXY' ? 'mangle' : 'nat';
  if (mode === 'TPROXY') divert(draft);
  append(table, 'PREROUTING', '-p tcp -j ISTIO_INBOUND');
  if (inboundPorts === 'all')
    append(table, 'ISTIO_INBOUND', ...config.inboundPortsExcluded.map((port) => `-p tcp --dport ${port} -j RETURN`));
  for (const match of inboundPorts === 'all' ? ['-p tcp'] : inboundPorts.map((port) => `-p tcp --dport ${port}`)) {
    if (mode === 'REDIRECT') append(table, 'ISTIO_INBOUND', `${match} -j ISTIO_IN_REDIRECT`);
    else
      append(
        table,
        'ISTIO_INBOUND',
        `${match} -m conntrack --ctstate RELATED,ESTABLISHED -j ISTIO_DIVERT`,
        `${match} -j ISTIO_TPROXY`,
      );
  }
}

/** TPROXY keeps the address of the client: packets are marked and routed to loopback instead of being rewritten. */
function divert({ config, family, append }: Draft): void {
  append('mangle', 'ISTIO_DIVERT', `-j MARK --set-mark ${config.mark}`, '-j ACCEPT');
  const target = `-j TPROXY --on-port ${config.inboundPort} --tproxy-mark ${config.mark}/0xffffffff`;
  append('mangle', 'ISTIO_TPROXY', `! -d ${config.loopback[family]} -p tcp ${target}`);
}

function outboundBegin({ config, family, append }: Draft): void {
  append('nat', 'OUTPUT', '-j ISTIO_OUTPUT');
  for (const port of config.outboundPortsExcluded)
    append('nat', 'ISTIO_OUTPUT', ...['tcp', 'udp'].map((protocol) => `-p ${protocol} --dport ${port} -j RETURN`));
  append('nat', 'ISTIO_OUTPUT', `-s ${passthrough[family]} -o lo -j RETURN`);
}

/** The proxy's own traffic: to itself over loopback it is inbound, everything else leaves the pod as it is. */
function owners(draft: Draft): void {
  const { config } = draft;
  for (const uid of config.uids) owner(draft, `--uid-owner ${uid}`, config.dns !== 'off');
  for (const gid of config.gids) owner(draft, `--gid-owner ${gid}`, false);
}

function owner({ config, family, append }: Draft, who: string, sparesDns: boolean): void {
  const ports = sparesDns ? `-m multiport ! --dports 53,${config.tunnelPort}` : `! --dport ${config.tunnelPort}`;
  append(
    'nat',
    'ISTIO_OUTPUT',
    `! -d ${config.loopback[family]} -o lo -p tcp ${ports} -m owner ${who} -j ISTIO_IN_REDIRECT`,
  );
  if (!wantsLoopback(config))
    append(
      'nat',
      'ISTIO_OUTPUT',
      `-o lo ${config.dns === 'off' ? '' : '-p tcp ! --dport 53 '}-m owner ! ${who} -j RETURN`,
    );
  append('nat', 'ISTIO_OUTPUT', `-m owner ${who} -j RETURN`);
}

/** Whoever lists an address of loopback wants the application's calls to itself intercepted. */
function wantsLoopback({ outboundRanges }: InterceptConfig): boolean {
  const listed = [outboundRanges.v4, outboundRanges.v6].flatMap((ranges) => (ranges === 'all' ? [] : ranges));
  return listed.some((range) => range.startsWith('127.') || range === '::1/128' || range === '::1');
}

function groups({ config, append }: Draft): void {
  const { ownerGroups, ownerGroupsExcluded } = config;
  if (ownerGroups === 'all')
    append('nat', 'ISTIO_OUTPUT', ...ownerGroupsExcluded.map((group) => `-m owner --gid-owner ${group} -j RETURN`));
  else if (ownerGroups.length > 0)
    append(
      'nat',
      'ISTIO_OUTPUT',
      `${ownerGroups.map((group) => `-m owner ! --gid-owner ${group} `).join('')}-j RETURN`,
    );
}

/** Queries go to the agent; conntrack zones keep the proxy's own queries apart from the application's of the same ports. */
function dns({ config, family, append }: Draft): void {
  if (config.dns === 'off') return;
  const matches = config.dns === 'all' ? [''] : config.dns[family].map((server) => ` ${hostRange(server)}`);
  const zones = [...config.uids.map((uid) => `--uid-owner ${uid}`), ...config.gids.map((gid) => `--gid-owner ${gid}`)];
  append('raw', 'OUTPUT', '-j ISTIO_OUTPUT_DNS');
  for (const who of zones)
    append(
      'raw',
      'ISTIO_OUTPUT_DNS',
      `-p udp --dport 53 -m owner ${who} -j CT --zone 1`,
      `-p udp --sport ${config.dnsPort} -m owner ${who} -j CT --zone 2`,
    );
  if (matches.length === 0) return;
  append('nat', 'ISTIO_OUTPUT', '-j ISTIO_OUTPUT_DNS');
  append('raw', 'PREROUTING', '-j ISTIO_INBOUND');
  for (const server of matches) {
    const [to, from] = server === '' ? ['', ''] : [`-d${server} `, `-s${server} `];
    for (const protocol of ['tcp', 'udp'])
      append('nat', 'ISTIO_OUTPUT_DNS', `${to}-p ${protocol} --dport 53 -j REDIRECT --to-ports ${config.dnsPort}`);
    append('raw', 'ISTIO_OUTPUT_DNS', `${to}-p udp --dport 53 -j CT --zone 2`);
    append('raw', 'ISTIO_INBOUND', `${from}-p udp --sport 53 -j CT --zone 1`);
  }
}

function hostRange(server: string): string {
  return `${server}/${server.includes(':') ? 128 : 32}`;
}

function outboundEnd({ config, family, append, prepend }: Draft): void {
  append('nat', 'ISTIO_OUTPUT', `-d ${config.loopback[family]} -j RETURN`);
  for (const range of config.outboundRangesExcluded[family]) append('nat', 'ISTIO_OUTPUT', `-d ${range} -j RETURN`);
  for (const port of config.outboundPorts) append('nat', 'ISTIO_OUTPUT', `-p tcp --dport ${port} -j ISTIO_REDIRECT`);
  const ranges = config.outboundRanges[family];
  for (const to of ranges === 'all' ? [''] : ranges.map((range) => `-d ${range} `)) {
    append('nat', 'ISTIO_OUTPUT', `${to}-j ISTIO_REDIRECT`);
    for (const name of config.virtualInterfaces) prepend('nat', 'PREROUTING', `${to}-i ${name} -j ISTIO_REDIRECT`);
  }
}

/** Marks survive a connection, and the proxy's own calls to its pod are not taken for new inbound ones. */
function tproxy({ config, family, append, prepend }: Draft): void {
  const { inboundPorts, mark, mode } = config;
  if (mode !== 'TPROXY' || (inboundPorts !== 'all' && inboundPorts.length === 0)) return;
  append('mangle', 'PREROUTING', `-p tcp -m mark --mark ${mark} -j CONNMARK --save-mark`);
  append('mangle', 'OUTPUT', `-o lo -p tcp -m mark --mark ${mark} -j RETURN`);
  for (const who of [
    ...config.uids.map((uid) => `--uid-owner ${uid}`),
    ...config.gids.map((gid) => `--gid-owner ${gid}`),
  ])
    append(
      'mangle',
      'OUTPUT',
      `! -d ${config.loopback[family]} -o lo -p tcp -m owner ${who} -j MARK --set-mark ${outboundMark}`,
    );
  append('mangle', 'OUTPUT', `-p tcp -m connmark --mark ${mark} -j CONNMARK --restore-mark`);
  prepend('mangle', 'ISTIO_INBOUND', `-i lo -p tcp -m mark ! --mark ${outboundMark} -j RETURN`);
  prepend('mangle', 'ISTIO_INBOUND', `-s ${passthrough[family]} -i lo -p tcp -j RETURN`);
  prepend('mangle', 'ISTIO_INBOUND', `-p tcp -m mark --mark ${mark} -j RETURN`);
}

/** Fixed in Istio, whatever the mark of inbound. */
export const outboundMark = 1338;
