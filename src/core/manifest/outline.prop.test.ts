import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { byteText } from './bytes.ts';
import { outlineComplete } from './complete.ts';
import { outlineFast } from './fast.ts';
import { findForbidden } from './forbidden.ts';
import { newTape, resetTape, sameTape } from './tape.ts';

/** Pieces of YAML, put together without sense: most texts are broken, and that is the point. */
const pieces = [
  'a',
  'b: ',
  'c:',
  '- ',
  '-',
  ': ',
  '"x"',
  "'y'",
  '{',
  '}',
  '[',
  ']',
  ',',
  '#z',
  ' # z',
  '|',
  '>-',
  '|2',
  '\n',
  '\n',
  '\n  ',
  '\n    ',
  ' ',
  '\r\n',
  '\r',
  '\t',
  '&q ',
  '*q',
  '!t ',
  '? ',
  '<<: ',
  '"',
  "'",
  '\\',
  'null',
  '1',
  '{{',
  '...',
  '---x',
  '%',
  '\x01',
  '\x7f',
] as const;

test('what the fast path accepts, the complete path outlines as the same tape', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), (parts) => {
      const source = byteText(parts.join(''));
      const [one, two] = [newTape(), newTape()];
      resetTape(one, source);
      if (!outlineFast(one, 0, source.text.length)) return;
      accepted++;
      assert.equal(findForbidden(source.bytes, 0, source.text.length), -1, JSON.stringify(source.text));
      resetTape(two, source);
      assert.equal(outlineComplete(two, 0, source.text.length), undefined, JSON.stringify(source.text));
      assert.ok(sameTape(one, two), JSON.stringify(source.text));
    }),
    { numRuns: 4000 },
  );
  assert.ok(accepted > 100, `${accepted}`);
});
