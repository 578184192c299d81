// Laws against @bufbuild/protobuf, which the agent does not carry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { AnySchema, DurationSchema } from '@bufbuild/protobuf/wkt';
import * as fc from 'fast-check';
import { encode, encodeFields } from './encode.ts';
import { readMessage } from './message.ts';
import { rewrite } from './rewrite.ts';
import { type Field, scan } from './scan.ts';

/** Plain objects, so that they can be compared. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;
const number = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 0x1fff_ffff }));
const field: fc.Arbitrary<Field> = fc.oneof(
  record({ number, kind: fc.constant('varint' as const), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
  record({ number, kind: fc.constant('fixed64' as const), value: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }),
  record({ number, kind: fc.constant('fixed32' as const), value: fc.nat({ max: 2 ** 32 - 1 }) }),
  record({ number, kind: fc.constant('bytes' as const), bytes: fc.uint8Array() }),
);

function written(fields: readonly Field[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const each of fields) {
    if (each.kind === 'varint') writer.tag(each.number, WireType.Varint).uint64(each.value);
    else if (each.kind === 'fixed64') writer.tag(each.number, WireType.Bit64).fixed64(each.value);
    else if (each.kind === 'fixed32') writer.tag(each.number, WireType.Bit32).fixed32(each.value);
    else writer.tag(each.number, WireType.LengthDelimited).bytes(each.bytes);
  }
  return writer.finish();
}

test('what the other one writes is scanned, field by field', () => {
  fc.assert(
    fc.property(fc.array(field), (fields) => assert.deepEqual(scan(written(fields)), { fields, end: 'whole' })),
  );
});

test('fields are written as the other one writes them, and one that is rewritten is the only one that changes', () => {
  fc.assert(
    fc.property(fc.array(field), number, fc.uint8Array(), (fields, at, bytes) => {
      const message = written(fields);
      assert.deepEqual(encodeFields(fields), message);
      assert.deepEqual(
        rewrite(message, at, () => undefined),
        written(fields.filter((each) => each.number !== at || each.kind !== 'bytes')),
      );
      const changed = fields.map((each) => (each.number === at && each.kind === 'bytes' ? { ...each, bytes } : each));
      assert.deepEqual(
        rewrite(message, at, () => bytes),
        written(changed),
      );
    }),
  );
});

test('the beginning of a message gives the beginning of its fields', () => {
  fc.assert(
    fc.property(fc.array(field, { minLength: 1 }), fc.nat(), (fields, cut) => {
      const bytes = written(fields);
      const { fields: seen, end } = scan(bytes.subarray(0, cut % bytes.length));
      assert.notEqual(end, 'malformed');
      const isCutWithin = (at: number): boolean =>
        end === 'cut' && at === seen.length - 1 && fields[at]?.kind === 'bytes';
      for (const [at, each] of seen.entries()) if (!isCutWithin(at)) assert.deepEqual(each, fields[at]);
    }),
  );
});

test('any bytes have a result', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void [scan(bytes), readMessage(bytes)?.message(1)?.text(1)]));
});

test('what is written here is read there, and the other way round', () => {
  const texts = fc.record({ typeUrl: fc.string({ unit: 'grapheme' }), value: fc.uint8Array() });
  fc.assert(
    fc.property(texts, ({ typeUrl, value }) => {
      const any = fromBinary(AnySchema, encode([1, typeUrl], [2, value]));
      assert.deepEqual([any.typeUrl, any.value], [typeUrl, value]);
      const message = readMessage(toBinary(AnySchema, create(AnySchema, { typeUrl, value })));
      assert.deepEqual([message?.text(1), message?.bytes(2) ?? new Uint8Array(0)], [typeUrl, value]);
    }),
  );
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.integer(), (seconds, nanos) => {
      const duration = fromBinary(DurationSchema, encode([1, seconds], [2, nanos]));
      assert.deepEqual([duration.seconds, duration.nanos], [BigInt(seconds), nanos]);
      const message = readMessage(
        toBinary(DurationSchema, create(DurationSchema, { seconds: BigInt(seconds), nanos })),
      );
      assert.deepEqual([message?.integer(1), message?.integer(2)], [seconds, nanos]);
    }),
  );
});
