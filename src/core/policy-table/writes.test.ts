import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shards } from './shards.ts';
import type { PolicyTable } from './table.ts';
import { missingWrites, type StoredTable, type Write } from './writes.ts';

const table = (revisions: Readonly<Record<string, string>>): PolicyTable => ({
  revisions,
  unlabelled: {},
  tags: { stable: '' },
  selecting: {},
});
const many = (count: number, revision = 'b-2'): PolicyTable =>
  table(Object.fromEntries(Array.from({ length: count }, (_, i) => [`namespace-${i}`, revision])));

/** Carries writes out, as a cluster would. */
function carryOut(stored: readonly StoredTable[], writes: readonly Write[]): readonly StoredTable[] {
  const byName = new Map(stored.map((each) => [each.name, each]));
  for (const write of writes) {
    if (write.kind === 'delete') byName.delete(write.name);
    else byName.set(write.name, { name: write.name, resourceVersion: '2', spec: write.spec });
  }
  return [...byName.values()];
}

const entries = (stored: readonly StoredTable[]): Map<string, string> =>
  new Map(stored.flatMap(({ spec }) => Object.entries((spec as PolicyTable).revisions)));

test('a table beyond a mebibyte becomes several below it, and each namespace is in one', () => {
  const whole = many(60_000);
  assert.ok(JSON.stringify(whole).length > 2 ** 20);
  const parts = shards(whole);
  assert.ok(parts.length > 1 && parts.every((part) => JSON.stringify(part).length < 2 ** 20));
  assert.equal(parts.flatMap(({ revisions }) => Object.keys(revisions)).length, 60_000);
  assert.ok(parts.every(({ tags }) => tags['stable'] === ''));
});

test('what goes together stays together', () => {
  const whole = { ...many(200), unlabelled: { 'namespace-7': '' }, selecting: { 'namespace-7/ReplicaSet/web': '' } };
  const part = shards(whole, 2000).find(({ revisions }) => revisions['namespace-7'] !== undefined);
  assert.deepEqual([part?.unlabelled, part?.selecting], [{ 'namespace-7': '' }, { 'namespace-7/ReplicaSet/web': '' }]);
});

test('an empty table is one table', () => assert.equal(shards(table({})).length, 1));

test('created, replaced where something changed, and then nothing', () => {
  const first = missingWrites(shards(table({ a: 'b-2' })), []);
  assert.deepEqual(first, [{ kind: 'create', name: 'krispr-1-0', spec: table({ a: 'b-2' }) }]);
  const stored = carryOut([], first);
  assert.deepEqual(missingWrites(shards(table({ a: 'b-2' })), stored), []);
  for (const changed of [table({ a: 'c-3' }), table({ a: 'b-2', b: 'b-2' }), table({ b: 'b-2' }), table({})])
    assert.deepEqual(
      missingWrites([changed], stored).map(({ kind }) => kind),
      ['replace'],
    );
  assert.deepEqual(
    missingWrites([table({ a: 'b-2' })], [{ name: 'krispr-1-0', resourceVersion: '7', spec: undefined }]),
    [{ kind: 'replace', name: 'krispr-1-0', spec: table({ a: 'b-2' }), resourceVersion: '7' }],
  );
});

test('an edit of one namespace writes one table of many', () => {
  const before = many(500);
  const stored = carryOut([], missingWrites(shards(before, 4000), []));
  const after = table({ ...before.revisions, 'namespace-3': 'c-3' });
  assert.equal(missingWrites(shards(after, 4000), stored).length, 1);
});

test('with another number of tables no namespace is ever without its entry', () => {
  let stored = carryOut([], missingWrites(shards(many(500), 8000), []));
  for (const limit of [2000, 16_000]) {
    const wanted = shards(many(500), limit);
    for (let round = 0; ; round++) {
      const writes = missingWrites(wanted, stored);
      if (writes.length === 0) break;
      assert.ok(round < 3, 'it ends');
      for (const write of writes) {
        stored = carryOut(stored, [write]);
        assert.equal(entries(stored).size, 500);
      }
    }
    assert.equal(stored.length, wanted.length);
  }
});
