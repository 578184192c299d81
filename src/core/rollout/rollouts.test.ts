import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRollouts } from './rollouts.ts';

const base = 'production: {1-24-5: 100}\n';

const rows: readonly (readonly [text: string, problems: readonly string[]])[] = [
  [base, []],
  ['web: {1-24-5: 100}\n', ['1:1 no-default-bucket']],
  [`${base}a: {1-24-5: 50, 1-25-2: 49.99}\n`, ['2:1 share-sum']],
  [
    `${base}a: {1-24-5: 50, 1-25-2: 50.5, c: x}\nb: {}\n(: {1: 100}\n`,
    ['2:34 share-invalid', '3:4 rollouts-type', '4:1 pattern-invalid'],
  ],
  [
    `${base}a: {y: 50, No: 25, 'null': 25}\n`,
    ['2:5 revision-invalid', '2:12 revision-invalid', '2:20 revision-invalid'],
  ],
  [`${base}a: {Upper: 100}\n`, ['2:5 revision-invalid']],
  [`${base}a: {1-2: 100}\na: {1-2: 100}\n`, ['3:1 yaml-duplicate-key']],
  [`${base}a*: {1-2: 100}\n`, ['2:1 pattern-glob']],
  [`${base}a: {1-2: 33.333}\n`, ['2:10 share-invalid']],
  [`${base}a: {1-2: 0x64}\n`, ['2:10 share-invalid']],
  [`${base}a: {1-2: 1_00}\n`, ['2:10 share-invalid']],
  [`${base}a: {1-2: 1e9}\n`, ['2:10 share-invalid']],
  [`${base}a: {1-2: [100]}\n`, ['2:10 share-invalid']],
  [`${base}a: {1-2: 100, *b : 0}\n`, ['2:15 yaml-alias', '2:15 revision-invalid']],
  [`${base}"(a)\\\\1": {1-2: 100}\n`, ['2:1 pattern-invalid']],
  [`${base}? ${'a'.repeat(1025)}\n: {1-2: 100}\n`, ['2:3 pattern-invalid']],
];
for (const [text, expected] of rows) {
  test(`rollouts: ${JSON.stringify(text.slice(0, 90))} has ${expected.length} problems`, () => {
    const found = parseRollouts(text).problems.map(({ line, column, code }) => `${line}:${column} ${code}`);
    assert.deepEqual(found, expected);
  });
}

const percents: readonly (readonly [text: string, share: number])[] = [
  ['1e2', 10_000],
  ['100.0', 10_000],
  ['+100', 10_000],
  ['1000e-1', 10_000],
  ['100.00000', 10_000],
];
for (const [text, share] of percents) {
  test(`rollouts: ${text} is a share of ${share}`, () => {
    const read = parseRollouts(`production: {1-2: ${text}, b: 0}\n`);
    assert.ok(read.kind === 'valid', JSON.stringify(read.problems));
    assert.deepEqual(
      [...read.value.defaultBucket.shares],
      [
        ['1-2', share],
        ['b', 0],
      ],
    );
  });
}

test('rollouts: a revision keeps the text that stands in the file', () => {
  const read = parseRollouts('production: {1e3: 25, 125: 25, 1-25: 25, "0x1": 25}\n');
  assert.ok(read.kind === 'valid', JSON.stringify(read.problems));
  assert.deepEqual([...read.value.defaultBucket.shares.keys()], ['1e3', '125', '1-25', '0x1']);
});

test('rollouts: keys of objects are patterns like any other', () => {
  const read = parseRollouts(`${base}constructor: {1-2: 100}\n__proto__: {1-2: 100}\ntoString: {1-2: 100}\n`);
  assert.ok(read.kind === 'valid', JSON.stringify(read.problems));
  assert.deepEqual(
    read.value.buckets.map(({ name }) => name),
    ['constructor', '__proto__', 'toString'],
  );
});

test('rollouts: more buckets or larger patterns than the limits are refused before they cost time', () => {
  const refusals = (keys: readonly string[]): readonly string[] =>
    parseRollouts(`production: {1-2: 100}\n${keys.map((key) => `"${key}": {1-2: 100}\n`).join('')}`).problems.map(
      ({ code }) => code,
    );
  assert.deepEqual(refusals(Array.from({ length: 10_000 }, (_, index) => `n${index}`)), ['too-many-buckets']);
  const large = Array.from({ length: 1000 }, (_, index) => `x${index}[a-z]{0,1000}[b-y]{0,1000}`);
  assert.deepEqual(refusals(large), ['patterns-too-large']);
});
