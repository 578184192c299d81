import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteText } from './bytes.ts';
import { findForbidden, isForbidden } from './forbidden.ts';
import { transformStream } from './stream.ts';

test('what is forbidden: controls but tab and line ends, and DEL', () => {
  const allowed = Array.from({ length: 256 }, (_, code) => code).filter((code) => !isForbidden(code));
  assert.deepEqual(allowed.slice(0, 4), [9, 10, 13, 32]);
  assert.equal(allowed.includes(127), false);
  assert.equal(allowed.length, 3 + 256 - 32 - 1);
  assert.equal(findForbidden(new Uint8Array([97, 10, 0, 127]), 0, 4), 2);
  assert.equal(findForbidden(new Uint8Array([97, 10, 0, 127]), 3, 3), -1);
});

const places = [
  '@a: 1\n',
  'a@b: 1\n',
  'a@: 1\n',
  'a:@1\n',
  'a: @1\n',
  'a: 1@\n',
  'a: 1 @2\n',
  'a: one\n  @two\n',
  'a: "@"\n',
  "a: '@'\n",
  '"a@": 1\n',
  "'a@': 1\n",
  '- @a\n',
  '- a\n@\n',
  'a: {b@: 1}\n',
  'a: {b: 1@}\n',
  'a: [@]\n',
  'a: [1, # @\n  2]\n',
  '{"a": "@"}\n',
  '{"a": 1@}\n',
  'a: |\n  b@c\n',
  'a: |\n  b\n @\n',
  'a: | # @\n  b\n',
  'a: >-\n  b\n  @\n',
  'a: 1 # @\n',
  '# @\n',
  '\n@\n',
  '--- # @\na: 1\n',
  '---@\na: 1\n',
  'a: 1\n... @\nb: 1\n',
  '... # @\n',
  'a: 1\n--- @\n',
  'a: &b@ 1\n',
  'a: &b @1\n',
  'a: &b 1\nc: *b@\n',
  'a: !t @\n',
  '%YAML @\n---\na: 1\n',
];
for (const place of places) {
  test(`wherever it stands: ${JSON.stringify(place)}`, () => {
    for (const code of [0, 1, 8, 11, 12, 14, 27, 31, 127]) {
      const text = `k: v\n---\n${place}---\nk: v\n`.replace('@', String.fromCharCode(code));
      const { problems } = transformStream(byteText(text), () => []);
      assert.deepEqual(
        problems.map((problem) => problem.code),
        ['control-character'],
        JSON.stringify(text),
      );
      assert.match(problems[0]?.message ?? '', new RegExp(`0x${code.toString(16).padStart(2, '0')} `));
    }
  });
}
