import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capture } from './capture.ts';
import { version } from './version.ts';

test('--version prints the version of the package', async () => {
  assert.deepEqual(await capture(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
});

test('an unknown command is a usage error that names it', async () => {
  const { code, stdout, stderr } = await capture(['no-such-command']);
  assert.equal(code, 2);
  assert.equal(stdout, '');
  assert.match(stderr, /no-such-command/);
});

test('no arguments: help on stdout', async () => {
  const { code, stdout } = await capture([]);
  assert.equal(code, 0);
  assert.match(stdout, /Usage: fairway/);
});

test('help without a topic lists the commands', async () => {
  const { code, stdout, stderr } = await capture(['help']);
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
  assert.match(stdout, /^Usage: fairway .*^ {2}plan /ms);
});

test('help on what is no command is a usage error that names it', async () => {
  const { code, stdout, stderr } = await capture(['help', 'no-such-command']);
  assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
  assert.match(stderr, /no command no-such-command/);
});

for (const topic of [['plan'], ['pod', 'simulate'], ['agent'], ['agent', 'wait'], ['admission', 'manifests']]) {
  test(`fairway help ${topic.join(' ')} is its --help`, async () => {
    const answer = await capture(['help', ...topic]);
    assert.equal(answer.code, 0);
    assert.deepEqual(answer, await capture([...topic, '--help']));
  });
}

const commands = [
  'validate',
  'resolve',
  'plan',
  'explain',
  'mutate',
  'inject',
  'doctor',
  'admission',
  'pod',
  'agent',
  'completion',
  'version',
];
for (const command of commands) {
  test(`fairway ${command} --help is no error`, async () => {
    const { code, stdout, stderr } = await capture([command, '--help']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /Usage/);
  });
}
