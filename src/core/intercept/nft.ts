// The same rules for nftables without iptables: `rules.ts` in the language of `nft`, both families in tables of their own that hold nothing else. So
// a change is the replacement of those tables in one transaction, and taking the rules away is deleting them. Names are Istio's (tools/istio-nftables).
import type { Family, InterceptConfig } from './config.ts';
import { interceptRules, type Ruleset, type Table } from './rules.ts';

export type NftChains = ReadonlyMap<string, readonly string[]>;
export type NftRules = ReadonlyMap<Table, NftChains>;

const tables: readonly Table[] = ['nat', 'mangle', 'raw'];

/** Where the kernel enters; each in a table of its own kind. */
const hooks: Readonly<Record<Table, Readonly<Record<string, string>>>> = {
  nat: { prerouting: 'type nat hook prerouting priority -100', output: 'type nat hook output priority -100' },
  mangle: { prerouting: 'type filter hook prerouting priority -150', output: 'type route hook output priority -150' },
  raw: { prerouting: 'type filter hook prerouting priority -300', output: 'type filter hook output priority -300' },
};

/** Every rule of the configuration's families; what says the same in both stands once. */
export function nftRules(config: InterceptConfig): NftRules {
  const [first = new Map(), second = new Map()] = config.families.map((family) => translated(config, family));
  return new Map(
    tables.map((table) => {
      const [one, other] = [first.get(table) ?? new Map(), second.get(table) ?? new Map()];
      const names = new Set([...one.keys(), ...other.keys()]);
      return [table, new Map([...names].map((name) => [name, merged(one.get(name) ?? [], other.get(name) ?? [])]))];
    }),
  );
}

/** What `nft -f` reads: whatever the tables held before is replaced. */
export function nftText(rules: NftRules): string {
  return tables.map((table) => `${removal(table)}${tableText(table, rules.get(table) ?? new Map())}`).join('');
}

/** What takes all of it away, and is no error where nothing is. */
export const nftRemoval = tables.map(removal).join('');

/** Tables of ours that `nft list tables` shows. */
export function nftTablesIn(listed: string): readonly string[] {
  const lines = listed.split('\n');
  return tables.map((table) => `table inet ${nameOf(table)}`).filter((line) => lines.includes(line));
}

function nameOf(table: Table): string {
  return `istio-proxy-${table}`;
}

/** A table can be deleted only where there is one. */
function removal(table: Table): string {
  return `add table inet ${nameOf(table)}\ndelete table inet ${nameOf(table)}\n`;
}

function tableText(table: Table, chains: NftChains): string {
  const rules = [...chains].flatMap(([chain, list]) => list.map((rule) => ({ chain, rule })));
  if (rules.length === 0) return '';
  const jumps = rules.flatMap(({ rule }) => / jump (\S+)$/.exec(rule)?.[1] ?? []);
  const names = new Set([...rules.map(({ chain }) => chain), ...jumps]);
  const heads = [...names].map((name) => {
    const hook = hooks[table][name];
    return `add chain inet ${nameOf(table)} ${name}${hook === undefined ? '' : ` { ${hook} ; policy accept ; }`}`;
  });
  const lines = rules.map(({ chain, rule }) => `add rule inet ${nameOf(table)} ${chain} ${rule}`);
  return [`add table inet ${nameOf(table)}`, ...heads, ...lines, ''].join('\n');
}

function translated(config: InterceptConfig, family: Family): NftRules {
  const rules: Ruleset = interceptRules(config, family);
  return new Map(
    [...rules].map(([table, chains]) => [
      table,
      new Map([...chains].map(([name, list]) => [chainName(name), list.map(({ text }) => nftRule(text, family))])),
    ]),
  );
}

function chainName(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

/** In the order of both lists: what both have is where they meet. */
function merged(one: readonly string[], other: readonly string[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const rule of one) {
    const found = other.indexOf(rule, at);
    if (found < 0) result.push(rule);
    else {
      result.push(...other.slice(at, found), rule);
      at = found + 1;
    }
  }
  return [...result, ...other.slice(at)];
}

/** One rule of `rules.ts`. What that file does not write is not understood here, and thrown out loudly. */
export function nftRule(text: string, family: Family): string {
  const words = text.split(' ');
  const parts: string[] = [];
  const state = { protocol: '', negated: false, module: '' };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '!') state.negated = true;
    else if (word === '-j') return [...withProtocol(parts, state.protocol), target(words, family)].join(' ');
    else if (word === '-m') state.module = words.shift() ?? '';
    else if (word === '-p') state.protocol = words.shift() ?? '';
    else {
      parts.push(match(word, words.shift() ?? '', { ...state, family }));
      state.negated = false;
    }
  }
  throw new Error(`a rule without a target: ${text}`);
}

/** A port tells its protocol; without one it must be said. */
function withProtocol(parts: readonly string[], protocol: string): readonly string[] {
  const isTold = protocol === '' || parts.some((part) => part.startsWith(`${protocol} `));
  return isTold ? parts : [`meta l4proto ${protocol}`, ...parts];
}

interface Matching {
  readonly family: Family;
  readonly protocol: string;
  readonly negated: boolean;
  /** The latest `-m`. */
  readonly module: string;
}

function match(flag: string, value: string, { family, protocol, negated, module }: Matching): string {
  const is = negated ? '!= ' : '';
  const ip = family === 'v4' ? 'ip' : 'ip6';
  switch (flag) {
    case '-i':
    case '-o':
      return `${flag === '-i' ? 'iifname' : 'oifname'} ${is}"${value.replace(/\+$/, '*')}"`;
    case '-s':
    case '-d':
      return `${ip} ${flag === '-s' ? 'saddr' : 'daddr'} ${is}${value}`;
    case '--dport':
    case '--sport':
      return `${protocol} ${flag.slice(2)} ${is}${value}`;
    case '--dports':
      return `${protocol} dport ${is}{ ${value.replaceAll(',', ', ')} }`;
    case '--uid-owner':
    case '--gid-owner':
      return `meta ${flag === '--uid-owner' ? 'skuid' : 'skgid'} ${is}${value}`;
    case '--mark':
      return `${module === 'connmark' ? 'ct' : 'meta'} mark ${is}${value}`;
    case '--ctstate':
      return `ct state ${is}${value.toLowerCase()}`;
    default:
      throw new Error(`nft has no translation of ${flag}`);
  }
}

/** With a counter before it, as all of Istio's have. */
function target([name = '', ...options]: readonly string[], family: Family): string {
  const value = options[1] ?? '';
  switch (name) {
    case 'RETURN':
    case 'DROP':
    case 'ACCEPT':
      return `counter ${name.toLowerCase()}`;
    case 'REDIRECT':
      return `counter redirect to :${value}`;
    case 'MARK':
      return `counter meta mark set ${value}`;
    case 'CT':
      return `counter ct zone set ${value}`;
    case 'CONNMARK':
      return options[0] === '--save-mark' ? 'counter ct mark set meta mark' : 'counter meta mark set ct mark';
    case 'TPROXY': {
      const [mark = ''] = (options[3] ?? '').split('/');
      return `tproxy ${family === 'v4' ? 'ip' : 'ip6'} to :${value} meta mark set ${mark} counter accept`;
    }
    default:
      return `counter jump ${chainName(name)}`;
  }
}
