import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textMemory } from './text-memory.ts';

test('what came twice is held, what came once is not', () => {
  const memory = textMemory<number>(16);
  memory.remember('a', 1);
  assert.equal(memory.recall('a'), undefined);
  memory.remember('a', 2);
  assert.equal(memory.recall('a'), 2);
  assert.equal(memory.recall('b'), undefined);
});

test('two texts with one hash are two texts', () => {
  const memory = textMemory<number>(16);
  for (const _twice of [1, 2]) memory.remember('Aa', 1);
  assert.equal(memory.recall('BB'), undefined);
  memory.remember('BB', 2);
  assert.deepEqual([memory.recall('BB'), memory.recall('Aa')], [2, undefined]);
});

test('the least used of many goes', () => {
  const memory = textMemory<number>(16);
  for (let i = 0; i < 100; i++) {
    for (const _twice of [1, 2]) memory.remember(`text ${i}`, i);
    memory.recall('text 0');
  }
  const held = Array.from({ length: 100 }, (_, i) => memory.recall(`text ${i}`)).filter((each) => each !== undefined);
  assert.equal(held.length, 16);
  assert.deepEqual([held[0], held.at(-1)], [0, 99]);
});
