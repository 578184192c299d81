import assert from 'node:assert/strict';
import { test } from 'node:test';
import { narrowing } from './narrow.ts';

const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `n${index % 10}`, index }));

test('a short list is answered as it is', () => {
  const list = named(16);
  assert.equal(narrowing(({ name }: { name: string }) => name)(list, 'n3'), list);
});

test('of a long list only the entries with the key are answered, in order; the second question as the first', () => {
  const ofName = narrowing(({ name }: { name: string; index: number }) => name);
  const list = named(30);
  for (const _ of [1, 2])
    assert.deepEqual(
      ofName(list, 'n3').map(({ index }) => index),
      [3, 13, 23],
    );
  assert.deepEqual(ofName(list, 'nope'), []);
});
