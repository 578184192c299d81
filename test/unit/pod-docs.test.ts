// The documentation of pods shows what the program prints: pictures are drawn again, console blocks are run.
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { capture } from '../../src/cli/capture.ts';

const pictures = 'docs/explanation/pictures';
const pods = globSync('examples/pods/*.yaml')
  .filter((path) => !path.endsWith('.scenario.yaml'))
  .sort();

for (const path of pods) {
  const name = path.replace(/^.*\/|\.yaml$/g, '');
  const scenario = path.replace(/\.yaml$/, '.scenario.yaml');
  test(`the picture of ${path} is what the program draws`, async () => {
    const flags = existsSync(scenario) ? ['--scenario', scenario] : [];
    const drawn = await capture(['pod', 'simulate', path, ...flags, '--until', '3m', '-o', 'svg']);
    assert.equal(drawn.code, 0, drawn.stderr);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(`${pictures}/${name}.svg`, drawn.stdout);
    assert.equal(readFileSync(`${pictures}/${name}.svg`, 'utf8'), drawn.stdout);
  });
}

test('each picture has its pod', () => {
  const names = readdirSync(pictures).filter((file) => file.endsWith('.svg'));
  assert.deepEqual(
    names.sort(),
    pods.map((path) => path.replace(/^.*\//, '').replace(/yaml$/, 'svg')),
  );
});

for (const page of globSync('docs/**/*.md').sort()) {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/```console\n\$ fairway (pod [^\n]*)\n([\s\S]*?)```/g)];
  for (const [, command = '', output = ''] of blocks) {
    test(`${page} shows what \`fairway ${command}\` prints`, async () => {
      const { stdout, stderr } = await capture(command.split(' '));
      assert.equal(stdout, output, stderr);
    });
  }
}
