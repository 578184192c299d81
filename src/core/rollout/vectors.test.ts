import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { handOver, layOut, ownerOf, type Run } from './hand-over.ts';
import { handOverNames } from './resolver.ts';
import { slots } from './slot.ts';
import { compareRevisions } from './version-order.ts';

type Shares = readonly (readonly [string, number])[];
type Names = readonly (readonly [string, string])[];

function read(file: string): string {
  return readFileSync(new URL(`../../../test/vectors/${file}`, import.meta.url), 'utf8');
}

const assignments = JSON.parse(read('assignment.json')) as {
  salt: string;
  name: string;
  slot: number;
  shares: Shares;
  revision: string;
}[];
const handovers = JSON.parse(read('handover.json')) as {
  slots: { path: Shares[]; locks: string[] }[];
  names: { salt: string; shares: Shares; before: Names; after: Names }[];
  order: string[][];
};

test(`vectors: ${assignments.length} assignments`, () => {
  assert.ok(assignments.length >= 200);
  for (const { salt, name, slot, shares, revision } of assignments) {
    assert.equal(slots(salt)(name), slot, name);
    assert.equal(ownerOf(layOut(new Map(shares)), slot), revision, name);
  }
});

test(`vectors: ${handovers.slots.length} paths of edits`, () => {
  for (const { path, locks } of handovers.slots) {
    let runs: readonly Run[] = layOut(new Map(path[0]));
    for (const [index, shares] of path.entries()) {
      runs = handOver(runs, new Map(shares));
      assert.equal(runs.map(({ revision, from, to }) => `${revision}*${to - from}`).join(' '), locks[index]);
    }
  }
});

test('vectors: names of exact buckets', () => {
  for (const { salt, shares, before, after } of handovers.names) {
    const bucket = { name: 'b', shares: new Map(shares), mode: 'exact', line: 1, column: 1 } as const;
    assert.deepEqual(handOverNames(new Map(before), bucket, slots(salt)), new Map(after));
  }
});

test('vectors: the order of revisions', () => {
  for (const row of handovers.order) assert.deepEqual([...row].toReversed().sort(compareRevisions), row);
});

/** Rows published so far, and the digest of their lines: published rows never change. Add a row here after adding vectors. */
const published: readonly (readonly [file: string, lines: number, digest: string])[] = [
  ['assignment.json', 250, '1f9fb34523bfa1f39415a69623fb1637fc9d513bee08f3358f31c1fd19fe1b5e'],
  ['handover.json', 44, '237c728f659903c0beacb68286c3156bfaa008759b15fcf04969206c710d20f5'],
];
for (const [file, lines, digest] of published) {
  test(`vectors: the first ${lines} rows of ${file} are as published`, () => {
    const rows = read(file)
      .split('\n')
      .slice(1, lines + 1)
      .map((row) => row.replace(/,$/, ''));
    assert.equal(createHash('sha256').update(rows.join('\n')).digest('hex'), digest);
  });
}
