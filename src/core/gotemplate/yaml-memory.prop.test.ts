// Reading with a memory gives what reading without one gives, whatever was read before: the same value or the same error.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { itemMemory, readYaml } from './index.ts';

const scalars = fc.constantFrom(
  '1',
  'a b',
  '"q"',
  "'s'",
  '|',
  '|-',
  '>',
  '{x: 1}',
  '[y]',
  '&a 1',
  '*a',
  '#c',
  '',
  '.nan',
);
const contents = fc.oneof(
  scalars,
  fc.tuple(fc.constantFrom('k', 'l'), scalars).map(([key, value]) => `${key}: ${value}`),
);
const lines = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.nat(3), fc.constantFrom('- ', '- - ', '', '-'), contents) },
  { weight: 1, arbitrary: fc.constantFrom('', '---', '...', '\t', '# c', ' \r').map((text) => [0, '', text] as const) },
);
const documents = fc
  .array(lines, { maxLength: 8 })
  .map((all) => `list:\n${all.map(([depth, dash, text]) => `${'  '.repeat(depth)}${dash}${text}`).join('\n')}\n`);

test('a memory changes no result', () => {
  const memory = itemMemory();
  fc.assert(
    fc.property(documents, (text) => {
      const plain = outcome(() => readYaml(text));
      assert.deepEqual(
        outcome(() => readYaml(text, memory)),
        plain,
      );
      assert.deepEqual(
        outcome(() => readYaml(text, memory)),
        plain,
      );
    }),
    { numRuns: 3000 },
  );
  assert.ok(memory.size > 20);
});

test('a memory is bounded', () => {
  const memory = itemMemory();
  for (let i = 0; i < 5000; i++) readYaml(`- name: n${i}\n- name: same\n  value: v${i}\n- end\n`, memory);
  assert.ok(memory.size <= 2000);
  assert.deepEqual(readYaml('- name: n1\n- end\n', memory), [{ name: 'n1' }, 'end']);
});

function outcome(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch (error) {
    return { error: String(error) };
  }
}
