import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../core/std/errors.ts';
import type { Io } from './io.ts';
import { replaceFile } from './replace-file.ts';

function inFolder(check: (folder: string, io: Io) => void): () => void {
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-replace-'));
    try {
      check(folder, { cwd: folder } as Io);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}

test(
  'a new file, then another text',
  inFolder((folder, io) => {
    replaceFile('a.lock', 'one\n', io);
    chmodSync(join(folder, 'a.lock'), 0o640);
    replaceFile('a.lock', 'two\n', io);
    assert.equal(readFileSync(join(folder, 'a.lock'), 'utf8'), 'two\n');
    assert.equal(statSync(join(folder, 'a.lock')).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(folder), ['a.lock']);
  }),
);

test(
  'what a killed run left is removed, what a living one writes is not',
  inFolder((folder, io) => {
    const { pid } = spawnSync(process.execPath, ['-e', '0']);
    const names = [
      `.a.lock.fairway-${pid}.tmp`,
      `.a.lock.fairway-${process.ppid}.tmp`,
      '.a.lock.tmp',
      'b.fairway-1.tmp',
    ];
    for (const name of names) writeFileSync(join(folder, name), 'half');
    replaceFile('a.lock', 'whole', io);
    assert.deepEqual(readdirSync(folder).sort(), [...names.slice(1), 'a.lock'].sort());
  }),
);

test(
  'a link stays a link',
  inFolder((folder, io) => {
    writeFileSync(join(folder, 'target'), 'one');
    symlinkSync('target', join(folder, 'a.lock'));
    replaceFile('a.lock', 'two', io);
    assert.equal(lstatSync(join(folder, 'a.lock')).isSymbolicLink(), true);
    assert.equal(readFileSync(join(folder, 'target'), 'utf8'), 'two');
  }),
);

test(
  'a folder that is not there, and a folder in the way, are the caller’s error, and leave nothing',
  inFolder((folder, io) => {
    assert.throws(() => replaceFile('no/a.lock', '', io), UsageError);
    assert.throws(() => replaceFile('.', '', io), UsageError);
    assert.deepEqual(readdirSync(folder), []);
  }),
);
