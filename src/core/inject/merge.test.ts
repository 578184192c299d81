import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../std/json.ts';
import { strategicMerge } from './merge.ts';
import { wholePod } from './schema/schema.ts';

const rows: readonly (readonly [name: string, original: JsonObject, patch: JsonObject, merged: JsonObject])[] = [
  [
    'maps merge',
    { metadata: { labels: { a: '1', b: '2' } } },
    { metadata: { labels: { b: '3' } } },
    { metadata: { labels: { a: '1', b: '3' } } },
  ],
  ['null deletes', { metadata: { labels: { a: '1' } } }, { metadata: { labels: null } }, { metadata: {} }],
  [
    'null within what is new is nothing',
    {},
    { spec: { volumes: [{ name: 'v', emptyDir: null }] } },
    { spec: { volumes: [{ name: 'v' }] } },
  ],
  [
    'what only the patch has comes first',
    { spec: { containers: [{ name: 'app' }, { name: 'proxy', image: 'old' }] } },
    { spec: { containers: [{ name: 'new' }, { name: 'proxy', image: 'i' }] } },
    { spec: { containers: [{ name: 'new' }, { name: 'app' }, { name: 'proxy', image: 'i' }] } },
  ],
  [
    'a list without a key is replaced',
    { spec: { containers: [{ name: 'a', args: ['x'] }] } },
    { spec: { containers: [{ name: 'a', args: ['y'] }] } },
    { spec: { containers: [{ name: 'a', args: ['y'] }] } },
  ],
  [
    'ports merge by their number',
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'x' }] }] } },
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }] }] } },
    { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'x', protocol: 'TCP' }] }] } },
  ],
  [
    '$patch: replace takes a map whole',
    { metadata: { labels: { a: '1' } } },
    { metadata: { $patch: 'replace', labels: { b: '2' } } },
    { metadata: { labels: { b: '2' } } },
  ],
  [
    '$patch: delete empties a map',
    { metadata: { labels: { a: '1' } } },
    { metadata: { labels: { $patch: 'delete' } } },
    { metadata: { labels: {} } },
  ],
  [
    '$patch: delete takes an item',
    { spec: { containers: [{ name: 'a' }, { name: 'b' }] } },
    { spec: { containers: [{ name: 'a', $patch: 'delete' }] } },
    { spec: { containers: [{ name: 'b' }] } },
  ],
  [
    '$patch: replace takes a list whole',
    { spec: { containers: [{ name: 'a' }] } },
    { spec: { containers: [{ $patch: 'replace' }, { name: 'b' }] } },
    { spec: { containers: [{ name: 'b' }] } },
  ],
  [
    '$retainKeys',
    { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
    { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] } },
    { spec: { volumes: [{ name: 'v', secret: { secretName: 's' } }] } },
  ],
  [
    'scalars of a merged list',
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { finalizers: ['c', 'a'] } },
    { metadata: { finalizers: ['c', 'a', 'b'] } },
  ],
  [
    '$deleteFromPrimitiveList',
    { metadata: { finalizers: ['a', 'b'] } },
    { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    { metadata: { finalizers: ['b'] } },
  ],
];
for (const [name, original, patch, merged] of rows) {
  test(`merge: ${name}`, () =>
    assert.deepEqual(strategicMerge(wholePod(), structuredClone(original), structuredClone(patch)), merged));
}

const refused: readonly (readonly [name: string, patch: JsonObject, message: RegExp])[] = [
  ['an item without its key', { spec: { containers: [{ image: 'x' }] } }, /does not contain its merge key name/],
  ['an unknown directive', { metadata: { $patch: 'twist' } }, /unknown patch directive/],
  ['an element order', { spec: { '$setElementOrder/containers': [] } }, /is not supported/],
  [
    'keys that are not retained',
    { metadata: { $retainKeys: ['labels'], name: 'x' } },
    /\$retainKeys does not name name/,
  ],
];
for (const [name, patch, message] of refused) {
  test(`merge refuses ${name}`, () => {
    const original = { metadata: {}, spec: { containers: [{ name: 'a' }] } };
    assert.throws(() => strategicMerge(wholePod(), original, structuredClone(patch)), message);
  });
}
