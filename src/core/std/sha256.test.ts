import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { sha256Hex, sha256Prefix } from './sha256.ts';

test('SHA-256 equals another implementation for every length around the block borders', () => {
  for (let length = 0; length <= 200; length++) {
    const message = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 0xff);
    const expected = createHash('sha256').update(message).digest();
    assert.equal(sha256Hex(message), expected.toString('hex'), `length ${length}`);
    assert.equal(sha256Prefix(message), expected.readUInt32BE(0), `length ${length}`);
  }
});
