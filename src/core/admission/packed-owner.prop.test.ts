// A record comes out as it went in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { packOwner, unpackOwner } from './packed-owner.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const timeMs = fc.nat();
const record = fc.record(
  {
    group: text,
    kind: text,
    namespace: text,
    name: text,
    uid: text,
    createdMs: timeMs,
    controller: fc.record({ group: text, kind: text, name: text, uid: text }, { noNullPrototype: true }),
    stamp: fc.record({ atMs: timeMs, writtenMs: timeMs }, { requiredKeys: ['atMs'], noNullPrototype: true }),
    specWrittenMs: timeMs,
    selectsRevision: fc.constant(true),
  },
  { requiredKeys: ['group', 'kind', 'namespace', 'name', 'uid', 'createdMs'], noNullPrototype: true },
);

test('what is packed is unpacked as it was', () => {
  fc.assert(
    fc.property(record, (each) => {
      assert.deepEqual(unpackOwner(each.uid, packOwner(each)), each);
    }),
    { numRuns: 300 },
  );
});
