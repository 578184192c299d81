// docs/reference/mutate.md shows what the program prints, and its declared mutator is one; golden cases of mutated manifests.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { capture } from '../../../src/cli/capture.ts';

const page = readFileSync('docs/reference/mutate.md', 'utf8');

for (const [, command = '', output = ''] of page.matchAll(/```console\n\$ fairway ([^\n]*)\n([\s\S]*?)```/g)) {
  test(`docs/reference/mutate.md shows what \`fairway ${command}\` prints`, async () => {
    const { stdout, stderr } = await capture(command.split(' '));
    assert.equal(stdout, output, stderr);
  });
}

test('the declared mutator of the page works', async () => {
  const declared = /```yaml\n(name: scrape[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'fairway-docs-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'scrape.yaml');
  writeFileSync(file, declared);
  const { stdout, stderr } = await capture([
    'mutate',
    '--revision',
    '1-25-2',
    '--mutator',
    file,
    'examples/manifests/web.yaml',
  ]);
  assert.match(stdout, /annotations:\n {8}prometheus\.io\/scrape: "true"/, stderr);
});

const golden = 'test/golden/mutate';
for (const name of readdirSync(golden)
  .filter((one) => !one.includes('.'))
  .sort()) {
  test(`golden: ${name}`, async () => {
    const folder = join(golden, name);
    const { stdout } = await capture(['mutate', '--revision', '1-25-2', join(folder, 'input.yaml')]);
    const expected = join(folder, 'expected.yaml');
    if (process.env['UPDATE_GOLDEN'] === '1' && process.env['CI'] === undefined) writeFileSync(expected, stdout);
    assert.ok(existsSync(expected), `${expected} is missing: UPDATE_GOLDEN=1 writes it`);
    assert.equal(stdout, readFileSync(expected, 'utf8'));
    const again = await capture(['mutate', '--revision', '1-25-2', '-'], { stdin: stdout });
    assert.equal(again.stdout, stdout);
  });
}
