// The pure parts of the process runtime: which mounts a container sees, how words are quoted, what signals are called.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signalNumber } from './children.ts';
import { launchScript, q, visibleMounts } from './launch-script.ts';

const mountinfo = `21 1 254:0 / / rw - ext4 /dev/vda rw
22 21 0:21 / /proc rw - proc proc rw
23 21 0:22 / /sys rw - sysfs sysfs rw
24 21 0:5 / /dev rw - devtmpfs dev rw
25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw
26 21 8:1 / /home rw - ext4 /dev/sdb rw
27 26 8:2 / /home/me rw - ext4 /dev/sdc rw
28 21 8:3 / /mnt/my\\040data rw - ext4 /dev/sdd rw
29 21 0:40 / /run/other/program/overlay rw - overlay overlay rw`;

test('a container sees the mounts of the machine, the outermost only, and none from inside other programs', () => {
  assert.deepEqual(visibleMounts(mountinfo), ['/home', '/mnt/my data']);
});

test('words are quoted whatever they hold', () => {
  assert.equal(q("it's $HOME"), "'it'\\''s $HOME'");
});

test('the script mounts what it is given and becomes the command as its user', () => {
  const plan = {
    argv: ['run'],
    env: {},
    workingDir: '/scratch',
    user: { uid: 5, gid: 6, groups: [7, 8] },
    root: '/images/a:b',
    mounts: [{ source: '/state/v', target: '/v', readOnly: true }],
    folder: '/state/run',
  };
  const script = launchScript(plan, { hostname: 'p', ip: '192.0.2.1', visible: ['/home'] });
  assert.match(script, /lowerdir=\/images\/a\\:b,upperdir/);
  assert.match(script, /mount --rbind '\/state\/v' '\/state\/run\/root\/v'\nmount -o remount,bind,ro/);
  assert.match(script, /--regid=6 --groups=7,8 -- .*--root=\/state\/run\/root' '--wd=\/scratch' --setuid=5 -- "\$@"$/);
  assert.doesNotMatch(script, /\/home/, 'an image has no mounts of the machine');
});

const signals: readonly (readonly [name: string, number: number | undefined])[] = [
  ['SIGTERM', 15],
  ['SIGRTMIN', 34],
  ['SIGRTMIN+3', 37],
  ['SIGRTMAX-1', 63],
  ['SIGNOTHING', undefined],
];
for (const [name, number] of signals) {
  test(`${name} is ${number}`, () => assert.equal(signalNumber(name), number));
}
