import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { utf8 } from './utf8.ts';

test('utf8 agrees with TextEncoder on every text', () => {
  const texts = fc.string({ unit: 'binary' });
  fc.assert(fc.property(texts, (text) => assert.deepEqual(utf8(text), new TextEncoder().encode(text))));
  assert.deepEqual([...utf8('\ud800x')], [0xef, 0xbf, 0xbd, 0x78]);
});
