// `istio-iptables` on a fake host: which programs run, in which order, and which exit code comes of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeHost } from './fake-host.ts';
import { runIptables } from './iptables.ts';

const empty = '*nat\n:PREROUTING ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n';

interface Machine {
  readonly host: ReturnType<typeof fakeHost>;
  readonly restored: string[];
}

function machine(
  answers: Readonly<Record<string, { status?: number; stdout?: string; stderr?: string }>> = {},
  redirects = false,
): Machine {
  const restored: string[] = [];
  const host = fakeHost({
    redirects,
    files: { '/etc/resolv.conf': '# servers\nnameserver 10.0.0.53\nsearch a\n nameserver fd00::53\n' },
    run: (command, stdin) => {
      if (command.includes('-restore') || command === 'nft -f -') restored.push(stdin);
      return answers[command] ?? (command.endsWith('-save') ? { stdout: empty } : {});
    },
  });
  return { host, restored };
}

test('applies through the variant that holds rules already; without any, nftables', async () => {
  const held = machine({
    'iptables-legacy-save': { stdout: empty.replace('COMMIT', '-A OUTPUT -j KUBE\nCOMMIT') },
  });
  assert.equal(await runIptables(['-b', '*'], {}, held.host), 0);
  assert.ok(held.host.ran.includes('iptables-legacy-restore --noflush --wait 30'));
  const fresh = machine();
  assert.equal(await runIptables(['-b', '*'], {}, fresh.host), 0);
  assert.ok(fresh.host.ran.includes('iptables-nft-restore --noflush --wait 30'));
  const onlyPlain = machine({ 'iptables-legacy-save': { status: 127 }, 'iptables-nft-save': { status: 1 } });
  assert.equal(await runIptables([], {}, onlyPlain.host), 0);
  assert.ok(onlyPlain.host.ran.includes('iptables-restore --noflush --wait 30'));
  const forced = machine();
  assert.equal(await runIptables([], { FORCE_IPTABLES_BINARY: 'legacy' }, forced.host), 0);
  assert.deepEqual(
    forced.host.ran.filter((command) => command.startsWith('ip')),
    ['iptables-legacy-save', 'iptables-legacy-restore --noflush --wait 30'],
  );
});

test('the environment is read, flags win, servers come from resolv.conf', async () => {
  const { host, restored } = machine();
  const env = {
    ISTIO_INBOUND_PORTS: '80',
    PROXY_UID: '7',
    ISTIO_META_DNS_CAPTURE: 'true',
    ISTIO_SERVICE_CIDR: '10.0.0.0/8',
  };
  assert.equal(await runIptables(['--istio-service-cidr=*', '-z', '9'], env, host), 0);
  const [text = ''] = restored;
  for (const line of [
    '-A ISTIO_INBOUND -p tcp --dport 80 -j ISTIO_IN_REDIRECT',
    '--uid-owner 7',
    '-d 10.0.0.53/32 -p udp --dport 53',
    '-A ISTIO_OUTPUT -j ISTIO_REDIRECT',
    '--to-ports 9',
  ])
    assert.ok(text.includes(line), line);
  assert.ok(!text.includes('fd00::53'));
});

const refused: readonly (readonly [args: readonly string[], told: RegExp])[] = [
  [['-b', 'x', '-u', 'a b'], /proxy-uid[\s\S]*istio-inbound-ports/],
  [['--probe-timeout=soon'], /not a duration/],
  [['--network-namespace', '/proc/1/ns/net', '--run-validation'], /inside of the other/],
];
for (const [args, told] of refused) {
  test(`refused with 1, nothing run: ${args.join(' ')}`, async () => {
    const { host } = machine();
    assert.equal(await runIptables(args, {}, host), 1);
    assert.deepEqual(
      host.ran.filter((command) => !command.endsWith('ip -o addr show scope global')),
      [],
    );
    assert.match(host.lines.join('\n'), told);
  });
}

const failures: readonly (readonly [what: string, answers: Parameters<typeof machine>[0], told: RegExp])[] = [
  [
    'no iptables',
    Object.fromEntries(
      ['iptables-legacy', 'iptables-nft', 'iptables'].map((name) => [`${name}-save`, { status: 127 }]),
    ),
    /no iptables works here/,
  ],
  [
    'a kernel that refuses',
    { 'iptables-nft-restore --noflush --wait 30': { status: 2, stderr: 'Operation not permitted' } },
    /Operation not permitted/,
  ],
  [
    'foreign content',
    { 'iptables-nft-save': { stdout: empty.replace('COMMIT', ':ISTIO_OLD - [0:0]\nCOMMIT') } },
    /foreign content.*--reconcile/,
  ],
];
for (const [what, answers, told] of failures) {
  test(`fails with 1: ${what}`, async () => {
    const { host } = machine(answers);
    assert.equal(await runIptables(['-b', '*'], {}, host), 1);
    assert.match(host.lines.join('\n'), told);
  });
}

test('TPROXY routes: rule once, route replaced; taken away by clean-up', async () => {
  const first = machine();
  assert.equal(await runIptables(['-m', 'TPROXY', '-b', '*'], {}, first.host), 0);
  assert.deepEqual(
    first.host.ran.filter((command) => command.startsWith('ip ')),
    ['ip -4 rule show', 'ip -4 rule add fwmark 1337 lookup 133', 'ip -4 route replace local default dev lo table 133'],
  );
  const again = machine({ 'ip -4 rule show': { stdout: '32765:\tfrom all fwmark 0x539 lookup 133\n' } });
  assert.equal(await runIptables(['-m', 'TPROXY', '-b', '*'], {}, again.host), 0);
  assert.ok(!again.host.ran.includes('ip -4 rule add fwmark 1337 lookup 133'));
  const cleaned = machine();
  assert.equal(await runIptables(['-m', 'TPROXY', '--cleanup-only'], {}, cleaned.host), 0);
  assert.ok(cleaned.host.ran.includes('ip -4 rule del fwmark 1337 lookup 133'));
});

test('clean-up looks at both families, and a family without iptables is no failure', async () => {
  const answers = Object.fromEntries(
    ['ip6tables-legacy', 'ip6tables-nft', 'ip6tables'].map((name) => [`${name}-save`, { status: 127 }]),
  );
  const { host } = machine(answers);
  assert.equal(await runIptables(['--cleanup-only'], {}, host), 0);
  assert.ok(host.ran.includes('ip6tables-save'));
});

for (const [redirects, code] of [
  [true, 0],
  [false, 126],
] as const) {
  test(`validation: ${redirects ? 'redirected' : 'not redirected'}: ${code}`, async () => {
    const { host } = machine({}, redirects);
    const done = runIptables(['--skip-rule-apply', '--run-validation'], {}, host);
    await host.advance(6000);
    assert.equal(await done, code);
    assert.deepEqual(host.ran, []);
  });
}

test('native nftables: one transaction; iptables is only looked at', async () => {
  const { host, restored } = machine();
  assert.equal(await runIptables(['-b', '80', '-i', '*', '--native-nftables'], {}, host), 0);
  assert.deepEqual(
    host.ran.filter((command) => !command.endsWith('-save')),
    ['nft -f -'],
  );
  assert.match(restored[0] ?? '', /^add table inet istio-proxy-nat\ndelete table inet istio-proxy-nat\n/);
  assert.match(
    restored[0] ?? '',
    /^add rule inet istio-proxy-nat istio-inbound tcp dport 80 counter jump istio-in-redirect$/m,
  );
});

test('native nftables: without nft nothing is done, and the way out is told', async () => {
  const { host } = machine({ 'nft -f -': { status: 127, stderr: 'not found' } });
  assert.equal(await runIptables([], { NATIVE_NFTABLES: 'true' }, host), 1);
  assert.match(host.lines.join('\n'), /this image has no nft/);
});

test('native nftables: a dry run prints; the clean-up of both kinds takes the tables away', async () => {
  const dry = machine();
  assert.equal(await runIptables(['--native-nftables', '-n'], {}, dry.host), 0);
  assert.match(dry.host.lines[0] ?? '', /^# nft -f -\nadd table/);
  assert.deepEqual(dry.restored, []);
  const native = machine();
  assert.equal(await runIptables(['--native-nftables', '--cleanup-only'], {}, native.host), 0);
  const usual = machine({ 'nft list tables': { stdout: 'table ip nat\ntable inet istio-proxy-raw\n' } });
  assert.equal(await runIptables(['--cleanup-only'], {}, usual.host), 0);
  assert.deepEqual(native.restored, [usual.restored.at(-1)]);
  assert.doesNotMatch(native.restored[0] ?? '', /add (rule|chain)/);
  const without = machine({ 'nft list tables': { stdout: 'table ip nat\n' } });
  assert.equal(await runIptables(['--cleanup-only'], {}, without.host), 0);
  assert.ok(!without.host.ran.includes('nft -f -'));
});

const intercepted = empty.replace('COMMIT', ':ISTIO_OUTPUT - [0:0]\n-A OUTPUT -j ISTIO_OUTPUT\nCOMMIT');
const bothKinds: readonly (readonly [
  what: string,
  flags: readonly string[],
  answers: Parameters<typeof machine>[0],
  taken: string,
])[] = [
  ['iptables', ['--native-nftables'], { 'iptables-legacy-save': { stdout: intercepted } }, '-X ISTIO_OUTPUT'],
  ['ip6tables', ['--native-nftables'], { 'ip6tables-nft-save': { stdout: intercepted } }, '-X ISTIO_OUTPUT'],
  [
    'nftables',
    [],
    { 'nft list tables': { stdout: 'table inet istio-proxy-nat\n' } },
    'delete table inet istio-proxy-nat',
  ],
];
for (const [what, flags, answers, taken] of bothKinds)
  test(`rules of ${what} are in the way of the other kind: refused, or replaced when asked to`, async () => {
    for (const dryRun of [[], ['--dry-run']]) {
      const refusing = machine(answers);
      assert.equal(await runIptables([...flags, ...dryRun, '-b', '*'], {}, refusing.host), 1);
      assert.deepEqual(refusing.restored, []);
      assert.match(refusing.host.lines.join('\n'), /the other kind of rules.*--reconcile.*--cleanup-only/);
    }
    const replacing = machine(answers);
    assert.equal(await runIptables([...flags, '-b', '*', '--reconcile'], {}, replacing.host), 0);
    assert.match(replacing.restored[0] ?? '', /15006/);
    assert.ok(replacing.restored.slice(1).join('').includes(taken), replacing.restored.join('\n---\n'));
    const cleaning = machine(answers);
    assert.equal(await runIptables([...flags, '--cleanup-only'], {}, cleaning.host), 0);
    assert.ok(cleaning.restored.join('').includes(taken));
  });

test('native nftables without any iptables: cleaned up all the same', async () => {
  const names = ['iptables', 'ip6tables'].flatMap((base) => [`${base}-legacy`, `${base}-nft`, base]);
  const { host, restored } = machine(Object.fromEntries(names.map((name) => [`${name}-save`, { status: 127 }])));
  assert.equal(await runIptables(['--native-nftables', '--cleanup-only'], {}, host), 0);
  assert.equal(restored.length, 1);
  assert.doesNotMatch(host.lines.join('\n'), /no iptables works/);
});

test('a dry run prints and runs nothing but reads', async () => {
  const { host, restored } = machine();
  assert.equal(await runIptables(['-n', '-b', '*', '--run-validation'], {}, host), 0);
  assert.deepEqual(restored, []);
  assert.match(host.lines[0] ?? '', /^# iptables-nft-restore --noflush\n\*nat\n/);
});

test('in another network namespace: every program runs there, and its addresses decide', async () => {
  const inside = 'nsenter --net=/n --';
  const { host, restored } = machine({
    [`${inside} ip -o addr show scope global`]: { stdout: '2: eth0    inet6 fd00::7/64 scope global \n' },
  });
  assert.equal(await runIptables(['--network-namespace=/n', '-b', '*'], {}, host), 0);
  assert.equal(restored.length, 2);
  assert.ok(host.ran.includes(`${inside} ip6tables-nft-restore --noflush --wait 30`));
  assert.deepEqual(
    host.ran.filter((command) => !command.startsWith(inside)),
    [],
  );
});

test('validation of a pod with IPv6 first: over IPv6', async () => {
  const sent: string[] = [];
  const host = fakeHost({ redirects: true, addresses: ['fd00::7'] });
  const net = {
    ...host.net,
    send: (target: Parameters<typeof host.net.send>[0], text: string) => {
      sent.push(target.host);
      return host.net.send(target, text);
    },
  };
  assert.equal(await runIptables(['--skip-rule-apply', '--run-validation'], {}, { ...host, net }), 0);
  assert.deepEqual(sent, ['::6']);
});
