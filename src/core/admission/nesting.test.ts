import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nestsBeyond } from './nesting.ts';

const rows: readonly (readonly [text: string, limit: number, beyond: boolean])[] = [
  ['', 1, false],
  ['{}', 0, true],
  ['{}', 1, false],
  ['[[]]', 1, true],
  ['[[],[],[]]', 2, false],
  ['{"a":{"b":[1]}}', 2, true],
  ['["[[[["]', 1, false],
  ['["\\"[[[[\\\\"]', 1, false],
  ['["\\\\",[[]]]', 2, true],
  ['"never ends [[', 0, false],
  [']]]][[', 1, false],
];
for (const [text, limit, beyond] of rows)
  test(`nesting of ${text} beyond ${limit}: ${beyond}`, () => assert.equal(nestsBeyond(text, limit), beyond));

test('a string of two million backslashes is read once', () =>
  assert.equal(nestsBeyond(`"${'\\'.repeat(2_000_000)}"[[`, 1), true));
