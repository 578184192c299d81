import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { textOfUtf8, utf8 } from './utf8.ts';

test('utf8 agrees with TextEncoder on every text', () => {
  const texts = fc.string({ unit: 'binary' });
  fc.assert(fc.property(texts, (text) => assert.deepEqual(utf8(text), new TextEncoder().encode(text))));
  assert.deepEqual([...utf8('\ud800x')], [0xef, 0xbf, 0xbd, 0x78]);
});

test('textOfUtf8 agrees with TextDecoder where the bytes are a text, and always gives one', () => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = new TextEncoder().encode(text);
      assert.equal(textOfUtf8(bytes), decoder.decode(bytes));
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => assert.ok(textOfUtf8(bytes).length <= bytes.length)));
  for (const bytes of [
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf5, 0x80],
    [0xe2, 0x82],
    [0xf4, 0x90, 0x80, 0x80],
  ])
    assert.equal(textOfUtf8(Uint8Array.from(bytes)), '\ufffd'.repeat(bytes.length));
});
