import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNamespaces } from './namespaces.ts';

const rows: readonly (readonly [text: string, names: string])[] = [
  ['a\nb\n\n# c\nd # why\na\n', 'a b d'],
  ['\uFEFFnamespace/a\r\nnamespace/b\r\n', 'a b'],
  ['constructor\n__proto__\n', 'constructor __proto__'],
  [
    'apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {x: y}}\n---\nkind: Pod\nmetadata: {name: p}\n',
    'a[x=y]',
  ],
  ['{"kind":"List","items":[{"kind":"Namespace","metadata":{"name":"a"}}]}', 'a'],
  ['["a","b"]', 'a b'],
];
for (const [text, expected] of rows) {
  test(`namespaces: ${JSON.stringify(text.slice(0, 50))}`, () => {
    const read = parseNamespaces(text);
    assert.ok(read.kind === 'valid', JSON.stringify(read.problems));
    const shown = read.value.map(
      ({ name, labels }) => name + Array.from(labels, ([key, value]) => `[${key}=${value}]`).join(''),
    );
    assert.equal(shown.join(' '), expected);
  });
}

for (const [text, line] of [
  ['a\nb c\n', 2],
  ['kind: Pod\n', 1],
  ['{"a"\n', 2],
] as const) {
  test(`namespaces: ${JSON.stringify(text)} is refused`, () => {
    const [problem] = parseNamespaces(text, { file: 'names' }).problems;
    assert.deepEqual([problem?.line, problem?.file], [line, 'names']);
  });
}
