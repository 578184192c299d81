// Whose traffic `istio-iptables` leaves alone: there always is somebody, or the proxy's own traffic would go round for ever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeHost } from './fake-host.ts';
import { runIptables } from './iptables.ts';

const passwd = 'root:x:0:0::/root:/bin/sh\nistio-proxy:x:998:997::/:/bin/false\nenvoy:x:77:77\nbroken\n';

for (const [what, args, env, users] of [
  ['told', ['-u', '5,6'], {}, ['5', '6']],
  ['told by the environment', [], { PROXY_UID: '5' }, ['5']],
  ['the user of the package', [], {}, ['998']],
  ['an empty flag, as of a lookup that failed', ['-u', ''], {}, ['998']],
  ['another name', [], { ENVOY_USER: 'envoy' }, ['77']],
  ['a name that nobody has', [], { ENVOY_USER: 'nobody-here' }, ['1337']],
] as const)
  test(`the proxy's user, ${what}: ${users.join()}`, async () => {
    const run = (command: string): { stdout?: string } =>
      command.endsWith('-save') ? { stdout: '*nat\nCOMMIT\n' } : {};
    const host = fakeHost({ files: { '/etc/passwd': passwd }, run });
    assert.equal(await runIptables(['-i', '*', '--dry-run', ...args], env, host), 0);
    for (const user of users) {
      const owner = `-m owner --uid-owner ${user} -j RETURN`;
      assert.ok(
        host.lines.some((line) => line.includes(owner)),
        `${owner}\n${host.lines.join('\n')}`,
      );
    }
  });

test('commas alone are no user', async () => {
  const host = fakeHost();
  assert.equal(await runIptables(['-u', ',', '--dry-run'], {}, host), 1);
  assert.match(host.lines.join('\n'), /proxy-uid/);
});
