import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findForbidden } from './forbidden.ts';

test('each byte alone, at each offset, beside each kind of neighbour', () => {
  for (const neighbour of [0x61, 0x0a, 0xff, 0x20]) {
    for (let code = 0; code < 256; code++) {
      for (let at = 0; at < 9; at++) {
        const bytes = new Uint8Array(12).fill(neighbour);
        bytes[at] = code;
        const forbidden = code === 0x7f || (code < 0x20 && ![9, 10, 13].includes(code));
        assert.equal(findForbidden(bytes.subarray(at % 3)), forbidden ? at - (at % 3) : -1, `${code} at ${at}`);
      }
    }
  }
});
