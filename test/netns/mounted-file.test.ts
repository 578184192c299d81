// A file that is mounted alone, as the kubelet mounts a termination message's path: it can be written, not replaced, also in a folder that is read-only.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'mounted-file-'));
after(() => rmSync(folder, { recursive: true }));
const files = new URL('../../src/adapters/node/files.ts', import.meta.url).href;

/** Writes the mounted file from a mount namespace of its own; gives back what the agent's host said. */
function write(name: string, more: string): string {
  const [outside, inside] = [join(folder, name), join(folder, `${name}-pod`)];
  mkdirSync(inside);
  for (const path of [outside, join(inside, 'message')]) writeFileSync(path, 'before');
  const program = `import { nodeFiles } from ${JSON.stringify(files)};
process.stdout.write(nodeFiles.write(${JSON.stringify(join(inside, 'message'))}, 'why') ?? 'written');`;
  const script = `mount --bind ${inside} ${inside} && mount --bind ${outside} ${inside}/message && ${more} && exec "$@"`;
  const command = [process.execPath, '--input-type=module', '-e', program];
  const run = spawnSync('unshare', ['--mount', 'sh', '-c', script, 'sh', ...command], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(run.stderr, '');
  assert.deepEqual(readdirSync(inside), ['message']);
  return run.stdout;
}

for (const [what, more] of [
  ['writable', 'true'],
  ['read-only', `mount -o remount,bind,ro ${join(folder, 'read-only-pod')}`],
] as const)
  test(`a mounted file in a folder that is ${what}`, () => {
    assert.equal(write(what, more), 'written');
    assert.equal(readFileSync(join(folder, what), 'utf8'), 'why');
  });
