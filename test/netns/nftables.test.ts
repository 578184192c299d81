// Interception by nftables alone, in real namespaces: where connections really go, runs again, other configurations, clean-up.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { debian } from '../rig/build.ts';
import { all, assertWhere, intercepted } from './intercepted.ts';
import { type Namespace, namespace } from './namespace.ts';

before(() => debian(['nftables']));

const native = '--native-nftables';

/** Without counters. */
function ruleset(ns: Namespace): string {
  const { status, output } = ns.run('nft', '--stateless', 'list', 'ruleset');
  assert.equal(status, 0, output);
  return output;
}

test('where connections go: as with iptables, without any', async (t) => {
  const ns = await intercepted(t, native);
  assertWhere(ns);
  const { output } = ns.run('iptables-nft-save');
  assert.doesNotMatch(output, /ISTIO_/);
});

const configurations: readonly (readonly [what: string, flags: readonly string[]])[] = [
  ['redirect', all],
  ['tproxy, dual stack', ['-m', 'TPROXY', '-b', '*', '-i', '*', '--dual-stack']],
  [
    'ports and ranges',
    ['-b', '80,443', '-q', '5432', '-o', '22', '-i', '10.0.0.0/8', '-x', '10.1.0.0/16', '-c', 'pod1'],
  ],
  ['all DNS', ['-b', '*', '-i', '*', '--capture-all-dns', '--drop-invalid', '--dual-stack']],
  ['virtual machines', ['-b', '*', '-i', '*', '-k', 'eth1,eth2']],
];
for (const [what, flags] of configurations)
  test(`the kernel takes it, a second run and another configuration leave nothing of the first: ${what}`, (t) => {
    const ns = namespace(t);
    assert.deepEqual(ns.iptables(...flags, native), { status: 0, output: '' });
    const first = ruleset(ns);
    assert.match(first, /table inet istio-proxy-nat/);
    assert.equal(ns.iptables(...flags, native).status, 0);
    assert.equal(ruleset(ns), first);
    assert.equal(ns.iptables('-b', '9', native).status, 0);
    assert.equal(ns.iptables(...flags, native).status, 0);
    assert.equal(ruleset(ns), first);
    assert.equal(ns.iptables(...flags, native, '--cleanup-only').status, 0);
    assert.equal(ruleset(ns), '');
  });

/** Chains of iptables in whichever variant, tables of nftables. */
function kindsOf(ns: Namespace): string {
  const saved = ['legacy', 'nft'].map((variant) => ns.run(`iptables-${variant}-save`).output).join('\n');
  return [/^:ISTIO_/m.test(saved) ? 'iptables' : '', ruleset(ns).includes('istio-proxy') ? 'nftables' : '']
    .join(' ')
    .trim();
}

for (const [first, second, flags, other] of [
  ['iptables', 'nftables', [], [native]],
  ['nftables', 'iptables', [native], []],
] as const)
  test(`${second} over ${first}: refused, then replaced; the clean-up of either takes both kinds away`, async (t) => {
    const ns = await intercepted(t, ...flags);
    const held = ruleset(ns);
    const refused = ns.iptables(...all, ...other);
    assert.equal(refused.status, 1);
    assert.match(refused.output, /intercepted by the other kind of rules: nothing was changed/);
    assert.equal(ruleset(ns), held);
    assert.equal(ns.iptables(...all, ...flags).status, 0, 'its own kind may run again');
    assert.equal(ns.iptables(...all, ...other, '--reconcile').status, 0);
    assert.equal(kindsOf(ns), second);
    assertWhere(ns);
    assert.equal(ns.iptables(...flags, '--cleanup-only').status, 0);
    assert.equal(kindsOf(ns), '');
  });

test('the usual clean-up takes them too', (t) => {
  const ns = namespace(t);
  assert.equal(ns.iptables(...all, native).status, 0);
  assert.equal(ns.iptables('--cleanup-only').status, 0);
  assert.doesNotMatch(ruleset(ns), /istio-proxy/);
});
