import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { mergeRoots, pem, pemCertificates, pemFile } from './pem.ts';

const of = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}\n-----END CERTIFICATE-----`;

const rows: readonly (readonly [name: string, texts: readonly string[], merged: readonly string[]])[] = [
  ['nothing', [], []],
  ['no certificate', ['-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----'], []],
  ['twice the same', [of('a'), `${of('a')}\n`], ['a']],
  ['in order', [of('b'), of('a')], ['a', 'b']],
  ['several in one text, comments between', [`# b\n${of('b')}\n\n# a\n${of('a')}`, of('c')], ['a', 'b', 'c']],
  ['one that ends early', [`${of('a')}\n-----BEGIN CERTIFICATE-----\nb`], ['a']],
];
for (const [name, texts, merged] of rows)
  test(`roots: ${name}`, () => assert.equal(mergeRoots(texts), pemFile(merged.map(of))));

test('the same set gives the same text, and merging again changes nothing', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 });
  fc.assert(
    fc.property(names, names, (one, other) => {
      const merged = mergeRoots([...one, ...other].map(of));
      assert.equal(mergeRoots([pemFile(other.map(of)), pemFile(one.map(of))]), merged);
      assert.equal(mergeRoots([merged]), merged);
      assert.equal(pemCertificates(merged).length, new Set([...one, ...other]).size);
    }),
  );
});

test('the armour is what Node writes', () => {
  for (const length of [1, 2, 3, 47, 48, 49, 500]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37) % 256);
    const lines = Buffer.from(bytes)
      .toString('base64')
      .replaceAll(/.{64}(?=.)/g, '$&\n');
    assert.equal(pem('X', bytes), `-----BEGIN X-----\n${lines}\n-----END X-----\n`);
  }
});
