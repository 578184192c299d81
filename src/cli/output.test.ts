import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, createReadStream, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'fairway-output-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const shell = (line: string) =>
  spawnSync('sh', ['-c', line, process.execPath, main], { encoding: 'utf8', timeout: 120_000 });

test('a reader that leaves ends the run, without a word', () => {
  const { stdout, stderr } = shell('{ "$0" "$1" --help; echo "status $?" >&2; } | true');
  assert.deepEqual([stdout, stderr], ['', 'status 0\n']);
});

test('a full disk is told, and no bug', () => {
  const { status, stderr } = shell('"$0" "$1" --help >/dev/full');
  assert.deepEqual([status, stderr], [69, 'error: cannot write: no space left on device (ENOSPC)\n']);
});

test('a pipe that does not block gets everything', { timeout: 120_000 }, async () => {
  const manifests = join(folder, 'large.yaml');
  writeFileSync(manifests, `kind: A\nnote: ${'x'.repeat(1e6)}\n`);
  const pipe = join(folder, 'pipe');
  shell(`mkfifo ${pipe}`);
  const end = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const child = spawn(process.execPath, [main, 'mutate', '--revision', '1-25-2', manifests], {
    stdio: ['ignore', end, 'ignore'],
  });
  const [read, [status]] = await Promise.all([
    buffer(createReadStream(pipe).once('open', () => closeSync(end))),
    once(child, 'exit'),
  ]);
  assert.deepEqual([status, read.length], [0, 1e6 + 15]);
});
