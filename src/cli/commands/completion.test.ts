import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, test } from 'node:test';
import { capture } from '../capture.ts';

let script = '';
before(async () => {
  const { code, stdout, stderr } = await capture(['completion', 'bash']);
  assert.deepEqual([code, stderr], [0, '']);
  script = stdout;
});

const rows: readonly (readonly [line: string, completed: readonly string[]])[] = [
  ['fairway val', ['validate']],
  ['fairway pod s', ['simulate']],
  ['fairway pod simulate x.yaml --time', []],
  ['fairway pod simulate x.yaml --timi', ['--timing']],
  ['fairway pod simulate --timing k', ['kubelet']],
  ['fairway plan -o m', ['markdown']],
  ['fairway plan --from pod --write', ['--write-lock']],
  ['fairway admission manifests --on', ['--only']],
  ['fairway completion --he', ['--help']],
];
for (const [line, completed] of rows) {
  test(`${line}⇥ ${completed.join(' ')}`, () => {
    const words = line.split(' ');
    const asks = `${script}COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}\n_fairway\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', asks], { encoding: 'utf8' });
    assert.deepEqual([stdout.split('\n').filter((word) => word !== ''), stderr], [completed, '']);
  });
}

test('zsh is prepared for the same script', async () => {
  const { stdout } = await capture(['completion', 'zsh']);
  assert.equal(stdout, `autoload -U +X bashcompinit && bashcompinit\n${script}`);
});

test('version, for people and programs', async () => {
  assert.match((await capture(['version'])).stdout, /^fairway \d+\.\d+\.\d+ \(Node \d+/);
  const { version } = JSON.parse((await capture(['version', '-o', 'json'])).stdout) as { version: string };
  assert.equal(`${version}\n`, (await capture(['--version'])).stdout);
});
