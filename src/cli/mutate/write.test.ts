import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { interruptible } from '../interruption.ts';
import { writeAll } from './write.ts';

const root = mkdtempSync(join(tmpdir(), 'fairway-write-'));
after(() => rmSync(root, { recursive: true }));
const names = ['a.yaml', 'b.yaml', 'c.yaml'];

/** Three files that hold their names, and a rewrite of each to capitals. */
function scene(name: string) {
  const folder = join(root, name);
  mkdirSync(folder);
  for (const file of names) writeFileSync(join(folder, file), file);
  const rewrites = names.map((file) => ({
    path: join(folder, file),
    before: Buffer.from(file),
    pieces: [file.toUpperCase()],
  }));
  const contents = () =>
    Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
  return { rewrites, contents };
}

// Three looks while the files are staged, three while they are renamed.
for (const at of [1, 3, 4, 6]) {
  test(`interrupted at look ${at}, every file is as it was and nothing lies beside it`, async () => {
    const { rewrites, contents } = scene(`interrupted-${at}`);
    let looks = 0;
    const look = async () => {
      looks++;
      if (looks === at) throw new Error('stop');
    };
    await assert.rejects(writeAll(rewrites, look), /^Error: stop$/);
    assert.deepEqual(contents(), Object.fromEntries(names.map((name) => [name, name])));
  });
}

test('without an interruption all are written, and signals mean again what they meant', async () => {
  const { rewrites, contents } = scene('whole');
  const listeners = process.listenerCount('SIGINT');
  await interruptible((look) => writeAll(rewrites, look));
  assert.deepEqual(contents(), Object.fromEntries(names.map((name) => [name, name.toUpperCase()])));
  assert.equal(process.listenerCount('SIGINT'), listeners);
});
