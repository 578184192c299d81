// Interception in real namespaces: rules as iptables-save prints them, where connections really go, runs again, other
// configurations, clean-up, validation.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildAgent } from '../../scripts/build-agent.ts';
import {
  canonicalRule,
  type InterceptFlags,
  interceptConfig,
  interceptRules,
  parseSaved,
} from '../../src/core/intercept/index.ts';
import { plainFlags } from '../../src/core/intercept/plain-flags.ts';
import { agentSource } from '../envoy/scene.ts';
import { all, assertWhere, intercepted, proxyUser } from './intercepted.ts';
import { type Namespace, namespace, podAddress } from './namespace.ts';

const folder = mkdtempSync(join(tmpdir(), 'intercept-'));
after(() => rmSync(folder, { recursive: true }));
function saved(ns: Namespace, family: 'v4' | 'v6'): Record<string, string[]> {
  const program = family === 'v4' ? 'iptables' : 'ip6tables';
  const outputs = [`${program}-legacy-save`, `${program}-nft-save`]
    .map((name) => ns.run(name))
    .filter(({ status }) => status === 0);
  const holding = outputs.find(({ output }) => output.includes('-A ')) ?? outputs[0];
  return shown(parseSaved(holding?.output ?? ''));
}

function shown(
  tables: ReadonlyMap<string, ReadonlyMap<string, readonly (string | { readonly text: string })[]>>,
): Record<string, string[]> {
  const chains = [...tables].flatMap(([table, found]) =>
    [...found].map(
      ([name, rules]) =>
        [`${table} ${name}`, rules.map((rule) => canonicalRule(typeof rule === 'string' ? rule : rule.text))] as const,
    ),
  );
  return Object.fromEntries(chains.filter(([, rules]) => rules.length > 0).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const configurations: readonly (readonly [what: string, flags: readonly string[], meant: Partial<InterceptFlags>])[] = [
  ['redirect', all, { inboundPorts: '*', inboundPortsExcluded: '15090,15021,15020', outboundRanges: '*' }],
  [
    'tproxy, dual stack',
    ['-m', 'TPROXY', '-b', '*', '-i', '*', '--dual-stack'],
    { mode: 'TPROXY', inboundPorts: '*', outboundRanges: '*', dualStack: true },
  ],
  [
    'ports and ranges',
    ['-b', '80,443', '-q', '5432', '-o', '22', '-i', '10.0.0.0/8', '-x', '10.1.0.0/16', '-c', 'pod1'],
    {
      inboundPorts: '80,443',
      outboundPorts: '5432',
      outboundPortsExcluded: '22',
      outboundRanges: '10.0.0.0/8',
      outboundRangesExcluded: '10.1.0.0/16',
      interfacesExcluded: 'pod1',
    },
  ],
  [
    'all DNS',
    ['-b', '*', '-i', '*', '--capture-all-dns', '--drop-invalid'],
    { inboundPorts: '*', outboundRanges: '*', redirectDns: true, captureAllDns: true, dropInvalid: true },
  ],
  [
    'virtual machines',
    ['-b', '*', '-i', '*', '-k', 'eth1,eth2'],
    { inboundPorts: '*', outboundRanges: '*', virtualInterfaces: 'eth1,eth2' },
  ],
];
for (const [what, flags, meant] of configurations) {
  test(`the kernel holds what was planned, and a second run changes nothing: ${what}`, (t) => {
    const ns = namespace(t);
    const { config } = interceptConfig(
      { ...plainFlags, ...meant },
      { addresses: [podAddress.v4, podAddress.v6], nameservers: [] },
    );
    assert.deepEqual(ns.iptables(...flags), { status: 0, output: '' });
    for (const family of config.families)
      assert.deepEqual(saved(ns, family), shown(interceptRules(config, family)), family);
    const again = ns.iptables(...flags);
    assert.equal(again.status, 0);
    assert.match(again.output, /nothing to change/);
    assert.equal(ns.iptables(...flags, '--cleanup-only').status, 0);
    for (const family of config.families) assert.deepEqual(saved(ns, family), {});
  });
}

test('where connections go: outbound, inbound, the application to itself, probes, the proxy', async (t) => {
  const ns = await intercepted(t);
  assertWhere(ns);
});

test('an init container that runs again in a living pod: what is missing is added, at its place', (t) => {
  const ns = namespace(t);
  ns.iptables(...all);
  const complete = saved(ns, 'v4');
  const nat = (program: string, ...args: readonly string[]): number | null =>
    ns.run(program, '--wait', '60', '-t', 'nat', ...args).status; // all namespaces of the machine share one lock
  const program = nat('iptables-legacy', '-S', 'ISTIO_OUTPUT') === 0 ? 'iptables-legacy' : 'iptables-nft';
  for (const rule of [
    'OUTPUT -j ISTIO_OUTPUT',
    'ISTIO_INBOUND -p tcp -m tcp --dport 15021 -j RETURN',
    'ISTIO_INBOUND -p tcp -m tcp --dport 15008 -j RETURN',
  ])
    assert.equal(nat(program, '-D', ...rule.split(' ')), 0, rule);
  assert.notDeepEqual(saved(ns, 'v4'), complete);
  assert.equal(ns.iptables(...all).status, 0);
  assert.deepEqual(saved(ns, 'v4'), complete);
});

test('rules of another configuration: refused and untouched; replaced by --reconcile; found by --cleanup-only', (t) => {
  const ns = namespace(t);
  ns.iptables('-m', 'TPROXY', '-b', '*', '-i', '*', '--capture-all-dns');
  const before = saved(ns, 'v4');
  const refused = ns.iptables(...all);
  assert.equal(refused.status, 1);
  assert.match(refused.output, /foreign content/);
  assert.deepEqual(saved(ns, 'v4'), before);
  assert.equal(ns.iptables(...all, '--reconcile').status, 0);
  const { config } = interceptConfig(
    { ...plainFlags, inboundPorts: '*', inboundPortsExcluded: '15090,15021,15020', outboundRanges: '*' },
    { addresses: [podAddress.v4], nameservers: [] },
  );
  assert.deepEqual(saved(ns, 'v4'), shown(interceptRules(config, 'v4')));
  ns.iptables('--cleanup-only');
  ns.iptables('-m', 'TPROXY', '-b', '*', '-i', '*', '--capture-all-dns');
  assert.equal(ns.iptables('--cleanup-only').status, 0);
  assert.deepEqual(saved(ns, 'v4'), {});
});

test('TPROXY routes marked packets to loopback, once', (t) => {
  const ns = namespace(t);
  for (let i = 0; i < 2; i++) assert.equal(ns.iptables('-m', 'TPROXY', '-b', '*', '-i', '*').status, 0);
  assert.equal(ns.run('ip', 'rule', 'show').output.match(/fwmark 0x539 lookup 133/g)?.length, 1);
  assert.match(ns.run('ip', 'route', 'show', 'table', '133').output, /^local default dev lo/);
  ns.iptables('-m', 'TPROXY', '--cleanup-only');
  assert.doesNotMatch(ns.run('ip', 'rule', 'show').output, /fwmark/);
});

test('a dry run prints and changes nothing', (t) => {
  const ns = namespace(t);
  const { status, output } = ns.iptables(...all, '--dry-run');
  assert.equal(status, 0);
  assert.match(output, /^# iptables.*-restore --noflush\n\*nat\n:ISTIO_/);
  assert.deepEqual(saved(ns, 'v4'), {});
});

test('validation: the nonce arrives where the redirect works, 126 where it does not, or where another user asks', (t) => {
  const ns = namespace(t);
  const asProxy = proxyIn(ns);
  assert.equal(asProxy('--probe-timeout=1s'), 126);
  assert.equal(ns.iptables(...all).status, 0);
  assert.equal(asProxy('--probe-timeout=5s'), 0);
  assert.equal(ns.iptables('--skip-rule-apply', '--run-validation', '--probe-timeout=1s').status, 126);
});

test('from outside: the rules are set in the namespace that is named', (t) => {
  const ns = namespace(t);
  const flags = ['istio-iptables', '--network-namespace', ns.path, '-b', '*'];
  const outside = spawnSync(process.execPath, [agentSource, ...flags], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(outside.status, 0, outside.stdout);
  assert.match(ns.run('iptables-save').output, /-A PREROUTING -p tcp -j ISTIO_INBOUND/);
});

test('validation in a pod with IPv6 only', (t) => {
  const ns = namespace(t);
  ns.run('ip', 'addr', 'flush', 'dev', 'pod0', 'scope', 'global');
  ns.run('ip', '-6', 'addr', 'add', 'fd99::2/64', 'dev', 'pod0', 'nodad');
  ns.run('ip', '-6', 'route', 'add', 'default', 'dev', 'pod0');
  const asProxy = proxyIn(ns);
  assert.equal(asProxy('--probe-timeout=1s'), 126);
  assert.equal(ns.iptables(...all).status, 0);
  assert.equal(asProxy('--probe-timeout=20s'), 0);
});

/** The validation as the proxy's user runs it. */
function proxyIn(ns: Namespace): (...flags: readonly string[]) => number | null {
  const user = ['setpriv', `--reuid=${proxyUser}`, `--regid=${proxyUser}`, '--clear-groups', ...validator()];
  return (...flags) => ns.run(...user, ...flags).status;
}

/** Built into a folder that another user can read, as root's home cannot be. */
function validator(): readonly string[] {
  chmodSync(folder, 0o755);
  return [buildAgent('linux-x64', folder), 'istio-iptables', '--skip-rule-apply', '--run-validation'];
}
