// What lies in some bytes, by hand; wire.prop.test.ts compares with another implementation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from './encode.ts';
import { readMessage } from './message.ts';
import { scan } from './scan.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'));

const scans: readonly (readonly [bytes: string, end: string, fields: readonly unknown[]])[] = [
  ['', 'whole', []],
  ['08 96 01', 'whole', [{ number: 1, kind: 'varint', value: 150n }]],
  ['12 02 68 69', 'whole', [{ number: 2, kind: 'bytes', bytes: hex('6869') }]],
  ['0d 01 00 00 80', 'whole', [{ number: 1, kind: 'fixed32', value: 0x8000_0001 }]],
  ['09 01 00 00 00 00 00 00 80', 'whole', [{ number: 1, kind: 'fixed64', value: 0x8000_0000_0000_0001n }]],
  ['08 ff ff ff ff ff ff ff ff ff 01', 'whole', [{ number: 1, kind: 'varint', value: 2n ** 64n - 1n }]],
  ['08', 'cut', []],
  ['08 80', 'cut', []],
  ['0d 01 00', 'cut', []],
  ['12', 'cut', []],
  ['12 05 68 69', 'cut', [{ number: 2, kind: 'bytes', bytes: hex('6869') }]],
  ['08 01 0b', 'malformed', [{ number: 1, kind: 'varint', value: 1n }]], // a group
  ['00 01', 'malformed', []], // number 0
  ['08 ff ff ff ff ff ff ff ff ff ff 01', 'malformed', []], // eleven bytes
  ['12 80 80 80 80 08', 'malformed', []], // longer than a message may be
  ['f8 ff ff ff 7f 00', 'malformed', []], // a number beyond 2^29 - 1
];
for (const [bytes, end, fields] of scans) {
  test(`scan: ${bytes === '' ? 'nothing' : bytes}`, () => assert.deepEqual(scan(hex(bytes)), { fields, end }));
}

test('a message: the last one counts, defaults, repeated fields, another kind is none', () => {
  const message = readMessage(
    encode([1, 'one'], [1, 'two'], [2, 7], [2, -1], [3, true], [4, encode([1, 'within'])], [5, new Uint8Array(0)]),
  );
  assert.ok(message !== undefined);
  assert.deepEqual(
    [message.text(1), message.texts(1), message.integer(2), message.integer(3), message.message(4)?.text(1)],
    ['two', ['one', 'two'], -1, 1, 'within'],
  );
  assert.deepEqual(
    [message.bytes(5), message.bytes(6), message.text(6), message.integer(6)],
    [hex(''), undefined, '', 0],
  );
  assert.deepEqual([message.text(2), message.integer(1), message.message(6)?.text(1)], ['', 0, '']);
  assert.equal(message.message(1), undefined, '"two" is no message');
  assert.equal(readMessage(hex('12 05 68')), undefined);
});

test('fields are views, and defaults are not written', () => {
  const bytes = encode([1, ''], [2, 0], [3, false], [4, undefined], [5, hex('0102')]);
  assert.deepEqual(bytes, hex('2a 02 01 02'));
  assert.equal(readMessage(bytes)?.bytes(5)?.buffer, bytes.buffer);
});
