import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { eventQueue } from './queue.ts';

const operations = fc.array(fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 3 }), {
  maxLength: 300,
});

test('an event queue gives entries by time, and of one time in the order of putting', () => {
  fc.assert(
    fc.property(operations, (steps) => {
      const queue = eventQueue<number>();
      const model: { readonly atMs: number; readonly value: number }[] = [];
      steps.forEach((atMs, value) => {
        if (atMs !== undefined) {
          queue.put(atMs, value);
          model.push({ atMs, value });
          model.sort((a, b) => a.atMs - b.atMs || a.value - b.value);
          return;
        }
        assert.equal(queue.nextMs, model[0]?.atMs ?? Number.POSITIVE_INFINITY);
        assert.equal(queue.take(), model.shift()?.value);
      });
      assert.equal(queue.size, model.length);
    }),
    { numRuns: 200 },
  );
});
