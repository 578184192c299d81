import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { prng } from '../std/prng.ts';
import {
  answer,
  cutReply,
  isAnswerTo,
  lookupTable,
  type NamedHost,
  placeOf,
  readNameTable,
  readQuery,
} from './index.ts';
import { isName, readName, writeName } from './name.ts';
import { queryBytes, readMessageText } from './plain-message.ts';
import { writeReply } from './reply.ts';

const label = fc
  .uint8Array({ minLength: 1, maxLength: 63 })
  .map((bytes) => String.fromCharCode(...bytes).replace(/[.\\]/g, '\\$&'));
const name = fc
  .array(label, { maxLength: 5 })
  .map((labels) => (labels.length === 0 ? '.' : labels.map((each) => `${each}.`).join('')))
  .filter(isName);
const few = { numRuns: 300 };

test('a name that is written is read again, alone or with others before it', () => {
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
      const out: number[] = [];
      const pointers = new Map<string, number>();
      const starts = names.map((each) => {
        const at = out.length;
        writeName(out, each, pointers);
        return at;
      });
      const bytes = Uint8Array.from(out);
      assert.deepEqual(
        starts.map((at) => readName(bytes, at)?.name),
        names,
      );
    }),
    few,
  );
});

const host: NamedHost = {
  addresses: ['10.0.0.1', 'fd00::1'],
  registry: 'External',
  shortName: '',
  namespace: '',
  otherNames: [],
};
const table = lookupTable(new Map([['*.a', host]]), placeOf('n', 'n.svc', ['n.svc']));
const hostile = fc.oneof(
  fc.uint8Array({ maxLength: 80 }),
  // A header that promises little, so that what follows it is looked at.
  fc
    .tuple(fc.nat(0xffff), fc.nat(3), fc.nat(2), fc.uint8Array({ maxLength: 80 }))
    .map(([id, answers, extras, rest]) =>
      Uint8Array.from([id >> 8, id & 255, 1, 0, 0, 1, 0, answers, 0, 0, 0, extras, ...rest]),
    ),
  // Pointers everywhere.
  fc
    .array(fc.constantFrom(0xc0, 0xff, 0, 1, 12, 13), { maxLength: 80 })
    .map((rest) => Uint8Array.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...rest])),
);

test('no bytes throw or loop; what is answered fits, and can be read', () => {
  fc.assert(
    fc.property(hostile, (bytes) => {
      const received = readQuery(bytes);
      if (received.kind === 'refused') assert.ok(readMessageText(received.reply));
      readNameTable(bytes);
      cutReply(bytes, 20);
      if (received.kind !== 'query') return;
      isAnswerTo(received, bytes);
      const decision = answer({ table, beforeTable: 'refuse', prng: prng(1) }, received, 512);
      if (decision.kind === 'forward') return;
      assert.ok(decision.bytes.length <= 512);
      assert.ok(isAnswerTo(received, decision.bytes));
      assert.ok(readMessageText(decision.bytes));
    }),
    { numRuns: 2000 },
  );
});

test('whatever the room, a cut answer fits, can be read, and holds the first records', () => {
  const record = fc.tuple(name, fc.constantFrom(4, 16)).map(([owner, length]) => ({
    kind: 'address' as const,
    owner,
    ttlSeconds: 30,
    bytes: new Uint8Array(length).fill(length),
  }));
  fc.assert(
    fc.property(
      name,
      fc.array(record, { maxLength: 20 }),
      fc.integer({ min: 512, max: 1500 }),
      (asked, records, room) => {
        const query = readQuery(queryBytes({ name: asked }));
        assert.ok(query.kind === 'query');
        const whole = writeReply({ query, code: 0, authoritative: false, records, bytesAtMost: 65_535 });
        for (const cut of [
          cutReply(whole, room),
          writeReply({ query, code: 0, authoritative: false, records, bytesAtMost: room }),
        ]) {
          const [got, all] = [readMessageText(cut), readMessageText(whole)];
          assert.ok(cut.length <= room && got !== undefined && all !== undefined);
          assert.deepEqual(got.answers, all.answers.slice(0, got.answers.length));
          assert.equal(got.flags.includes('TC'), got.answers.length < records.length);
        }
      },
    ),
    few,
  );
});
