import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainValue } from './located.ts';
import { readSpecFile } from './read.ts';

const rows: readonly (readonly [text: string, problems: string])[] = [
  ['a: 1\n', ''],
  ['', '1:1 yaml-empty'],
  ['---\n---\n', '2:1 yaml-documents, 1:1 yaml-empty'],
  ['a: 1\n---\nb: 2\n', '2:1 yaml-documents'],
  ['a: 1\nb: 1\na: 2\n', '3:1 yaml-duplicate-key'],
  ['1: a\n"1": b\n', '2:1 yaml-duplicate-key'],
  ['a: &x {b: *x}\n', '1:11 yaml-alias'],
  ['a: *x\n', '1:4 yaml-alias'],
  ['a: &x {b: 1}\nc: {<<: *x}\n', '2:5 yaml-merge-key'],
  ['"<<": 1\n', ''],
  ['? [a]\n: 1\n', '1:3 yaml-key'],
  ['a: !other 1\n', '1:4 yaml-syntax'],
  ['a: [1\n', '2:1 yaml-syntax'],
  ['a: 1\rb: 2\r', '1:1 yaml-syntax'],
  ['a: 1\r\nb: 2\r\n', ''],
  [`${'['.repeat(200)}${']'.repeat(200)}`, '1:101 yaml-nesting'],
  [`${'- '.repeat(200)}a`, '1:201 yaml-nesting'],
];
for (const [text, expected] of rows) {
  test(`spec file: ${JSON.stringify(text.slice(0, 40))}: ${expected}`, () => {
    const found = readSpecFile(text).problems.map(({ line, column, code }) => `${line}:${column} ${code}`);
    assert.equal([...new Set(found)].slice(0, 2).join(', '), expected);
  });
}

test('spec file: a small file cannot become a large one', () => {
  const levels = Array.from({ length: 60 }, (_, level) => `a${level + 1}: &a${level + 1} [*a${level}, *a${level}]\n`);
  const { root, problems } = readSpecFile(`a0: &a0 [x]\n${levels.join('')}`);
  assert.deepEqual(problems, []);
  assert.ok(root !== undefined);
  assert.equal(Object.keys(plainValue(root) as object).length, 61);
});

test('spec file: what is broken everywhere is said some times, without a stack trace', () => {
  const { problems } = readSpecFile('['.repeat(20_000));
  assert.ok(problems.length > 0 && problems.length <= 20);
});

test('spec file: conflict markers are one problem, in words', () => {
  const { problems } = readSpecFile('a: 1\n<<<<<<< HEAD\nb: {x: 1}\n=======\nb: {x: 2}\n>>>>>>> edit\n');
  assert.deepEqual(
    problems.map(({ line, message }) => `${line} ${message}`),
    ['2 conflict markers of a merge stand in the file'],
  );
});

test('spec file: no key is special', () => {
  const { root } = readSpecFile('__proto__: {a: 1}\nconstructor: 2\n');
  assert.ok(root !== undefined);
  const value = plainValue(root) as Record<string, unknown>;
  assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
  assert.equal(({} as Record<string, unknown>)['a'], undefined);
});

test('a thousand lists in one another are told as such', () => {
  const { root, problems } = readSpecFile('['.repeat(100_000));
  assert.equal(root, undefined);
  assert.match(problems[0]?.message ?? '', /nested too deeply/);
});
