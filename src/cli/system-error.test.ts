import assert from 'node:assert/strict';
import { openSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { TransientError, UsageError } from '../core/std/errors.ts';
import { describeSystemError, refused } from './system-error.ts';

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

test('what the system refuses is told in words, with the path', () => {
  const missing = describeSystemError(caught(() => openSync('/nowhere/at/all', 'r')));
  assert.deepEqual(missing, { message: 'cannot open /nowhere/at/all: no such file or directory (ENOENT)', code: 2 });
  const folder = describeSystemError(caught(() => readFileSync('/')));
  assert.deepEqual(folder, { message: 'cannot read: illegal operation on a directory (EISDIR)', code: 2 });
});

test('a full disk may work later', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  assert.deepEqual(describeSystemError(full), { message: 'cannot write: no space left on device (ENOSPC)', code: 69 });
});

test('what was wanted is told, and who can mend it decides the class', () => {
  const missing = refused(
    caught(() => openSync('/nowhere/at/all', 'r')),
    'write a.lock',
  );
  assert.ok(missing instanceof UsageError);
  assert.equal(missing.message, 'cannot write a.lock: no such file or directory (ENOENT)');
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  assert.ok(refused(full, 'write a.lock') instanceof TransientError);
  const bug = new Error('x');
  assert.equal(refused(bug, 'write a.lock'), bug);
});

test('other errors are bugs', () => {
  assert.equal(describeSystemError(new Error('x')), undefined);
  assert.equal(describeSystemError(Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' })), undefined);
  assert.equal(describeSystemError('x'), undefined);
});
