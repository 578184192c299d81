import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatProblem } from './errors.ts';
import { visible } from './visible.ts';

const rows: readonly (readonly [text: string, shown: string])[] = [
  ['web', 'web'],
  ['Straße 支付 🚀', 'Straße 支付 🚀'],
  ['a\n::error::b', 'a\\u000a::error::b'],
  ['a\r\tb', 'a\\u000d\\u0009b'],
  ['\u001b[31mred\u009b', '\\u001b[31mred\\u009b'],
  ['a\u2028b\u0085c', 'a\\u2028b\\u0085c'],
  ['\u202egnp.exe\u2066', '\\u202egnp.exe\\u2066'],
];
for (const [text, shown] of rows) test(`visible: ${shown}`, () => assert.equal(visible(text), shown));

test('a problem has one line, and its hint one', () => {
  const evil = 'x\n::error::y';
  const shown = formatProblem({ code: 'c', severity: 'error', file: evil, path: evil, message: evil, hint: evil });
  assert.equal(shown.split('\n').length, 2);
  assert.doesNotMatch(shown, /^::/m);
});
