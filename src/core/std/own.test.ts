import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStringOneByteRepresentation } from 'node:v8';
import { ownJson, ownText } from './own.ts';

const wide = '– and then: a text, long enough to be a slice, 0123456789';
const slice = wide.slice(2);

test('a part of a wide text becomes narrow', () => {
  assert.equal(isStringOneByteRepresentation(slice), false);
  assert.equal(ownText(slice), slice);
  assert.equal(isStringOneByteRepresentation(ownText(slice)), true);
});

test('a wide text, a lone surrogate and a line separator stay what they are', () => {
  for (const text of [wide, 'a\ud800b', 'a\u2028b', '']) assert.equal(ownText(text), text);
});

test('JSON data keeps its values, and a key that is called __proto__', () => {
  const value = { list: [slice, 1, null, true, Number.NaN], ['__proto__']: { a: slice } };
  assert.deepEqual(ownJson(value), value);
});
