// The two implementations of the contract, in TypeScript and in Python, on the published vectors, on 100,000 random names and
// on 1,000 random paths of edits. Seeded: a difference can be seen again.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { locks, randomShares } from '../../scripts/vectors.ts';
import { slots } from '../../src/core/rollout/index.ts';
import { prng } from '../../src/core/std/prng.ts';

const script = fileURLToPath(new URL('../../scripts/slots.py', import.meta.url));

function python(args: readonly string[], input = ''): string {
  const done = spawnSync('python3', [script, ...args], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(done.status, 0, `${done.stderr}${done.stdout}`);
  return done.stdout;
}

function answers(requests: readonly unknown[]): unknown[] {
  const lines = python(['answer'], requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('python agrees on the published vectors', () => {
  const folder = fileURLToPath(new URL('../vectors', import.meta.url));
  assert.match(python(['check', folder]), /^\d{3,} assignments, \d{2,} hand-overs agree\n$/);
});

test('python agrees on 100,000 random names', () => {
  const draw = prng('names');
  const alphabet = Array.from('abcdefghijklmnopqrstuvwxyz0123456789-абвäßéİ漢字😀\u0000"\\ ');
  const pick = (): string => alphabet[Math.floor(draw.next() * alphabet.length)] ?? '';
  const name = (): string => Array.from({ length: Math.floor(draw.next() * 64) }, pick).join('');
  const requests = ['', 'salt', 'соль'].map((salt) => ({ salt, names: Array.from({ length: 33_334 }, name) }));
  const found = answers(requests);
  for (const [index, { salt, names }] of requests.entries()) assert.deepEqual(found[index], names.map(slots(salt)));
});

test('python agrees on 1,000 random paths of edits', () => {
  const draw = prng('paths');
  const paths = Array.from({ length: 1000 }, () =>
    Array.from({ length: 2 + Math.floor(draw.next() * 4) }, () => randomShares(() => draw.next())),
  );
  const found = answers(paths.map((path) => ({ path })));
  for (const [index, path] of paths.entries()) assert.deepEqual(found[index], locks(path), JSON.stringify(path));
});
