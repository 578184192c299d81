import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseQuantity } from './quantity.ts';

const nano = 1_000_000_000n;
const rows: readonly (readonly [text: string, expected: bigint | undefined])[] = [
  ['0', 0n],
  ['1', nano],
  ['100m', nano / 10n],
  ['0.1', nano / 10n],
  ['1.5Gi', 3n * 1024n ** 3n * (nano / 2n)],
  ['2e3', 2000n * nano],
  ['1k', 1000n * nano],
  ['-5', -5n * nano],
  ['.5', nano / 2n],
  ['0.1n', 1n],
  ['1e-9', 1n],
  ['', undefined],
  ['1kk', undefined],
  ['1 Gi', undefined],
  ['1e99', undefined],
  ['five', undefined],
];

for (const [text, expected] of rows) {
  test(`quantity ${JSON.stringify(text)}`, () => assert.equal(parseQuantity(text), expected));
}
