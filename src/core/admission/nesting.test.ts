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
  test(`nesting of ${text} beyond ${limit}: ${beyond}`, () =>
    assert.equal(nestsBeyond(Buffer.from(text), limit), beyond));

test('a string that is all quotes and backslashes costs linear time', () => {
  const started = performance.now();
  nestsBeyond(Buffer.from(`"${'\\'.repeat(2_000_000)}"`), 10);
  assert.ok(performance.now() - started < 1000);
});
