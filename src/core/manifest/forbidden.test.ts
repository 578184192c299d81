import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspectBytes } from './forbidden.ts';

test('each byte alone, at each offset, beside each kind of neighbour', () => {
  for (const neighbour of [0x61, 0x0a, 0xff, 0x20]) {
    for (let code = 0; code < 256; code++) {
      for (let at = 0; at < 9; at++) {
        const bytes = new Uint8Array(12).fill(neighbour);
        bytes[at] = code;
        const forbidden = code === 0x7f || (code < 0x20 && ![9, 10, 13].includes(code));
        const facts = inspectBytes(bytes.subarray(at % 3));
        assert.equal(facts.forbidden, forbidden ? at - (at % 3) : -1, `${code} at ${at}`);
        if (!forbidden) assert.equal(facts.ascii, neighbour < 0x80 && code < 0x80, `${code} at ${at}`);
      }
    }
  }
});

test('the last byte of many', () => {
  const bytes = new Uint8Array(100_001).fill(0x61);
  assert.deepEqual(inspectBytes(bytes), { forbidden: -1, ascii: true });
  for (const at of [20_000, 99_999, 100_000]) {
    bytes[at] = 0;
    assert.equal(inspectBytes(bytes).forbidden, at);
    bytes[at] = 0xc3;
    assert.deepEqual(inspectBytes(bytes), { forbidden: -1, ascii: false });
    bytes[at] = 0x61;
  }
});
