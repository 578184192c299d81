import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLock, parseLock } from './lock.ts';

const canonical = `fairway-lock 1

bucket ".*-staging"
  slots 1-24-5*7500 1-25-2*2500
  name "a\\"b" 1-24-5
  name "shop-staging" 1-25-2

bucket "production"
  slots 1-24-5*10000
`;

test('lock: its text is canonical', () => {
  const lock = parseLock(canonical);
  assert.ok(lock.kind === 'valid', JSON.stringify(lock.problems));
  assert.equal(formatLock(lock.value), canonical);
});

const broken: readonly (readonly [text: string, line: number, message: RegExp])[] = [
  ['', 1, /starts with the line/],
  ['fairway-lock 2\n', 1, /newer format/],
  [canonical.replace('7500', '7501'), 4, /sum to 10001/],
  [canonical.replace('*7500', ''), 4, /revision\*count/],
  [canonical.replace('  slots 1-24-5*10000\n', ''), 8, /without slots/],
  [canonical.replace('production', '.*-staging'), 8, /second time/],
  [canonical.replace('"shop-staging"', 'shop-staging'), 6, /written "name" revision/],
  [`${canonical}  future 1\n`, 10, /unknown line/],
  [`<<<<<<< HEAD\n${canonical}`, 1, /merge conflict/],
  [canonical.replace('  slots 1-24-5*10000', '<<<<<<< HEAD\n  slots 1-24-5*10000\n======='), 9, /merge conflict/],
  [
    canonical.replace(
      '  slots 1-24-5*10000',
      '<<<<<<< A\n  slots 1-24-5*10000\n=======\n  slots 1-25-2*10000\n>>>>>>> B',
    ),
    9,
    /merge conflict/,
  ],
];
for (const [text, line, message] of broken) {
  test(`lock: ${message.source} in line ${line}`, () => {
    const [first] = parseLock(text).problems;
    assert.equal(first?.line, line);
    assert.match(first?.message ?? '', message);
  });
}

test('a conflict is one problem', () => {
  const both = '<<<<<<< A\n  slots 1-24-5*10000\n=======\n  slots 1-25-2*10000\n>>>>>>> B';
  assert.equal(parseLock(canonical.replace('  slots 1-24-5*10000', both)).problems.length, 1);
});
