// Flags, rules, canonical form, and every way from what is there to what is wanted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalRule } from './canonical.ts';
import { type Change, cleanRules, completeRules, reconcileRules } from './change.ts';
import { type InterceptConfig, type InterceptFlags, interceptConfig } from './config.ts';
import { plainFlags } from './plain-flags.ts';
import { interceptRules, type Ruleset } from './rules.ts';
import { parseSaved, type Saved } from './save.ts';

const place = { addresses: ['10.0.0.1'], nameservers: ['10.0.0.53', 'fd00::53'] };

function configOf(flags: Partial<InterceptFlags>, addresses: readonly string[] = place.addresses): InterceptConfig {
  const { config, problems } = interceptConfig({ ...plainFlags, ...flags }, { ...place, addresses });
  assert.deepEqual(problems, []);
  return config;
}

const settled: readonly (readonly [flags: Partial<InterceptFlags>, expected: Partial<InterceptConfig>])[] = [
  [{}, { uids: ['1337'], gids: ['1337'], dns: 'off', families: ['v4'], mode: 'REDIRECT' }],
  [
    { gid: '', uid: '1,2' },
    { uids: ['1', '2'], gids: ['1', '2'] },
  ],
  [
    { inboundPorts: '*', inboundPortsExcluded: '1,2,' },
    { inboundPorts: 'all', inboundPortsExcluded: ['1', '2'] },
  ],
  [{ outboundRanges: '*' }, { outboundRanges: { v4: 'all', v6: 'all' } }],
  [{ outboundRanges: '10.0.0.0/8, fd00::/8' }, { outboundRanges: { v4: ['10.0.0.0/8'], v6: ['fd00::/8'] } }],
  [{ redirectDns: true }, { dns: { v4: ['10.0.0.53'], v6: ['fd00::53'] } }],
  [{ redirectDns: true, captureAllDns: true }, { dns: 'all' }],
  [{ mode: 'TPROXY' }, { mode: 'TPROXY' }],
];
for (const [flags, expected] of settled) {
  test(`interception configured by ${JSON.stringify(flags)}`, () => {
    const config = configOf(flags);
    assert.deepEqual({ ...config, ...expected }, config);
  });
}

test('families: IPv6 where the first address is one, or any with dual stack', () => {
  assert.deepEqual(configOf({}, ['fd00::1', '10.0.0.1']).families, ['v4', 'v6']);
  assert.deepEqual(configOf({}, ['10.0.0.1', 'fd00::1']).families, ['v4']);
  assert.deepEqual(configOf({ dualStack: true }, ['10.0.0.1', 'fd00::1']).families, ['v4', 'v6']);
  assert.deepEqual(configOf({}, []).families, ['v4']);
});

test('every flag that does not fit is told, all at once', () => {
  const { problems } = interceptConfig(
    {
      ...plainFlags,
      uid: 'a b',
      inboundPorts: '0,70000,x',
      outboundRanges: '10.0.0/8,10.0.0.300/8,10.0.0.0/33,fd00::/129',
      outboundRangesExcluded: '*',
      interfacesExcluded: 'a/b',
      mode: 'MAGIC',
      loopback: 'lo',
    },
    place,
  );
  assert.deepEqual(problems.map(({ message }) => message).sort(), [
    'ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR: "lo" does not fit',
    'istio-exclude-interfaces: "a/b" does not fit',
    'istio-inbound-interception-mode: "MAGIC" does not fit',
    ...['0', '70000', 'x'].map((port) => `istio-inbound-ports: "${port}" does not fit`),
    ...['10.0.0.0/33', '10.0.0.300/8', '10.0.0/8', 'fd00::/129'].map(
      (range) => `istio-service-cidr: "${range}" does not fit`,
    ),
    'istio-service-exclude-cidr: "*" does not fit',
    'proxy-uid: "a b" does not fit',
  ]);
});

const equal: readonly (readonly [one: string, other: string, same: boolean])[] = [
  ['-p tcp --dport 15008 -j RETURN', '-p tcp -m tcp --dport 15008 -j RETURN', true],
  ['-j MARK --set-mark 1337', '-j MARK --set-xmark 0x539/0xffffffff', true],
  ['-j CONNMARK --save-mark', '-j CONNMARK --save-mark --nfmask 0xffffffff --ctmask 0xffffffff', true],
  ['-p udp -j REDIRECT --to-port 15053', '-p udp -j REDIRECT --to-ports 15053', true],
  [
    '-p tcp -j TPROXY --on-port 15006 --tproxy-mark 1337/0xffffffff',
    '-p tcp -j TPROXY --on-port 15006 --on-ip 0.0.0.0 --tproxy-mark 0x539/0xffffffff',
    true,
  ],
  ['-d 127.0.0.1/8 -j RETURN', '-d 127.0.0.0/8 -j RETURN', true],
  ['-d 10.0.0.1 -j RETURN', '-d 10.0.0.1/32 -j RETURN', true],
  ['-d ::127.0.0.53/128 -j RETURN', '-d ::7f00:35/128 -j RETURN', true],
  ['-d fd00:0::1/64 -j RETURN', '-d fd00::/64 -j RETURN', true],
  ['-m conntrack --ctstate ESTABLISHED,RELATED -j X', '-m conntrack --ctstate RELATED,ESTABLISHED -j X', true],
  ['-o lo ! -d 127.0.0.1/32 -j X', '! -d 127.0.0.1/32 -o lo -j X', true],
  ['-d 127.0.0.1/32 -j X', '! -d 127.0.0.1/32 -j X', false],
  ['-p tcp -j REDIRECT --to-ports 15001', '-p tcp -j REDIRECT --to-ports 15006', false],
  ['-d 10.0.0.0/8 -j X', '-d 10.0.0.0/9 -j X', false],
  ['-j CONNMARK --save-mark --nfmask 0xff', '-j CONNMARK --save-mark', false],
];
for (const [one, other, same] of equal) {
  test(`rules ${same ? 'equal' : 'differ'}: ${one} | ${other}`, () => {
    assert.equal(canonicalRule(one) === canonicalRule(other), same);
  });
}

const wanted = interceptRules(
  configOf({ inboundPorts: '*', inboundPortsExcluded: '15020,15021,15090', outboundRanges: '*' }),
  'v4',
);

/** A machine: runs restore texts as iptables-restore does, and prints as iptables-save does. */
class Machine {
  readonly tables = new Map<string, Map<string, string[]>>();

  constructor(saved = '') {
    for (const [table, chains] of parseSaved(saved))
      this.tables.set(table, new Map([...chains].map(([name, rules]) => [name, [...rules]])));
  }

  get saved(): Saved {
    return this.tables;
  }

  restore(text: string): void {
    let chains = new Map<string, string[]>();
    for (const line of text.split('\n').filter(Boolean)) {
      const [word = '', name = '', ...rest] = line.split(' ');
      const rules = chains.get(name) ?? [];
      if (word.startsWith('*')) {
        chains =
          this.tables.get(word.slice(1)) ??
          new Map([
            ['PREROUTING', []],
            ['OUTPUT', []],
          ]);
        this.tables.set(word.slice(1), chains);
      } else if (word.startsWith(':')) chains.set(word.slice(1), []);
      else if (word === '-A') rules.push(rest.join(' '));
      else if (word === '-I') rules.splice(Number(rest[0]) - 1, 0, rest.slice(1).join(' '));
      else if (word === '-D') rules.splice(found(rules.indexOf(rest.join(' '))), 1);
      else if (word === '-X')
        assert.ok(
          chains.get(name)?.length === 0 && chains.delete(name) && !this.leadsTo(chains, name),
          `${name} is in use`,
        );
      if (['-A', '-I'].includes(word)) assert.ok(chains.has(name), `no chain ${name}`);
    }
  }

  private leadsTo(chains: ReadonlyMap<string, readonly string[]>, name: string): boolean {
    return [...chains.values()].flat().some((rule) => rule.endsWith(`-j ${name}`));
  }
}

function found(index: number): number {
  assert.notEqual(index, -1, 'a rule to delete is not there');
  return index;
}

function canonical(
  tables: ReadonlyMap<string, ReadonlyMap<string, readonly (string | { text: string })[]>>,
): Record<string, string[]> {
  return Object.fromEntries(
    [...tables]
      .flatMap(([table, chains]) =>
        [...chains].map(
          ([name, rules]) =>
            [
              `${table} ${name}`,
              rules.map((rule) => canonicalRule(typeof rule === 'string' ? rule : rule.text)),
            ] as const,
        ),
      )
      .filter(([, rules]) => rules.length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function restoreOf(change: Change): string {
  assert.ok(change.kind === 'restore', JSON.stringify(change));
  return change.text;
}

function full(rules: Ruleset = wanted): Machine {
  const machine = new Machine();
  machine.restore(restoreOf(completeRules(rules, machine.saved)));
  return machine;
}

test('nothing there: all of it, in order; then nothing is left to do', () => {
  const machine = full();
  assert.deepEqual(canonical(machine.tables), canonical(wanted));
  assert.deepEqual(completeRules(wanted, machine.saved), { kind: 'none' });
  assert.deepEqual(reconcileRules(wanted, machine.saved), { kind: 'none' });
});

test('any single rule missing is added at its place', () => {
  const complete = full();
  for (const [table, chains] of complete.tables)
    for (const [name, rules] of chains)
      for (const index of rules.keys()) {
        const machine = full();
        machine.tables.get(table)?.get(name)?.splice(index, 1);
        machine.restore(restoreOf(completeRules(wanted, machine.saved)));
        assert.deepEqual(canonical(machine.tables), canonical(wanted), `${table} ${name} ${index}`);
      }
});

test('rules of strangers in built-in chains are kept, and ours keep their order around them', () => {
  const machine = new Machine(
    '*nat\n:PREROUTING - [0:0]\n:OUTPUT - [0:0]\n-A PREROUTING -i cni0 -j ACCEPT\n-A OUTPUT -j KUBE\nCOMMIT\n',
  );
  const rules = interceptRules(
    configOf({ inboundPorts: '*', virtualInterfaces: 'eth1', outboundRanges: '*', interfacesExcluded: 'nic' }),
    'v4',
  );
  machine.restore(restoreOf(completeRules(rules, machine.saved)));
  assert.deepEqual(machine.tables.get('nat')?.get('PREROUTING'), [
    '-i eth1 -j ISTIO_REDIRECT',
    '-i eth1 -j RETURN',
    '-i cni0 -j ACCEPT',
    '-i nic -j RETURN',
    '-p tcp -j ISTIO_INBOUND',
  ]);
  machine.restore(restoreOf(cleanRules(rules, machine.saved)));
  assert.deepEqual(canonical(machine.tables), {
    'nat OUTPUT': ['-j KUBE'],
    'nat PREROUTING': ['-i cni0 -j ACCEPT'].map(canonicalRule),
  });
});

const contradictions: readonly (readonly [what: string, change: (machine: Machine) => void, told: RegExp])[] = [
  [
    'another redirect port',
    ({ tables }) => tables.get('nat')?.set('ISTIO_REDIRECT', ['-p tcp -j REDIRECT --to-ports 9']),
    /nat ISTIO_REDIRECT: -p tcp -j REDIRECT --to-ports 9/,
  ],
  [
    'a rule twice',
    ({ tables }) => tables.get('nat')?.get('ISTIO_REDIRECT')?.push('-p tcp -j REDIRECT --to-ports 15001'),
    /nat ISTIO_REDIRECT: order/,
  ],
  [
    'another order',
    ({ tables }) =>
      tables.get('nat')?.set('ISTIO_INBOUND', tables.get('nat')?.get('ISTIO_INBOUND')?.toReversed() ?? []),
    /nat ISTIO_INBOUND: order/,
  ],
  [
    'a chain of another configuration',
    ({ tables }) => tables.get('nat')?.set('ISTIO_OUTPUT_DNS', []),
    /nat ISTIO_OUTPUT_DNS/,
  ],
  [
    'a table of another configuration',
    ({ tables }) => tables.set('mangle', new Map([['ISTIO_DIVERT', ['-j ACCEPT']]])),
    /mangle ISTIO_DIVERT/,
  ],
  [
    'a jump of another configuration',
    ({ tables }) => tables.get('nat')?.get('PREROUTING')?.push('-p udp -j ISTIO_INBOUND'),
    /nat PREROUTING: -p udp/,
  ],
  ['a jump twice', ({ tables }) => tables.get('nat')?.get('OUTPUT')?.push('-j ISTIO_OUTPUT'), /nat OUTPUT: order/],
];
for (const [what, change, told] of contradictions) {
  test(`foreign content: ${what}; reconcile replaces it, clean-up takes it away`, () => {
    const machine = full();
    change(machine);
    const refused = completeRules(wanted, machine.saved);
    assert.ok(refused.kind === 'foreign');
    assert.match(refused.what.join('\n'), told);
    machine.restore(restoreOf(reconcileRules(wanted, machine.saved)));
    assert.deepEqual(canonical(machine.tables), canonical(wanted));
    change(machine);
    machine.restore(restoreOf(cleanRules(wanted, machine.saved)));
    assert.deepEqual(canonical(machine.tables), {});
    assert.deepEqual(cleanRules(wanted, machine.saved), { kind: 'none' });
  });
}

test('clean-up finds the rules of TPROXY too, whatever the configuration is now', () => {
  const machine = full(interceptRules(configOf({ inboundPorts: '*', mode: 'TPROXY', redirectDns: true }), 'v4'));
  const printed = [...machine.tables].map(
    ([table, chains]) => [table, new Map([...chains].map(([name, rules]) => [name, rules.map(asPrinted)]))] as const,
  );
  const saved = new Map(printed);
  const again = new Machine();
  for (const [table, chains] of saved)
    again.tables.set(table, new Map([...chains].map(([name, rules]) => [name, [...rules]])));
  again.restore(restoreOf(cleanRules(wanted, again.saved)));
  assert.deepEqual(canonical(again.tables), {});
});

function asPrinted(rule: string): string {
  return rule
    .replace(/--mark (\d+)/, (_, mark: string) => `--mark 0x${Number(mark).toString(16)}`)
    .replace('--set-mark 1338', '--set-xmark 0x53a/0xffffffff');
}
