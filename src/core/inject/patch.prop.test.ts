import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { applyPatch, diff, escapeToken, type JsonValue, unescapeToken } from './index.ts';

const keys = fc.oneof(
  fc.constantFrom('a', 'b', 'a/b', '~', '~1', '', 'é/😀', '__proto__'),
  fc.string({ maxLength: 3 }),
);
const json = fc
  .letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonValue>(null, true, 0, 1, 'x', ''),
      fc.array(tie('value'), { maxLength: 4 }) as fc.Arbitrary<JsonValue>,
      fc.dictionary(keys, tie('value'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<JsonValue>,
      fc.array(fc.record({ name: fc.constantFrom('p', 'q', 'r'), value: tie('value') }), {
        maxLength: 4,
      }) as fc.Arbitrary<JsonValue>,
    ),
  }))
  .value.map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);

test('a difference applied to the one value makes the other', () => {
  fc.assert(
    fc.property(json, json, (from, to) => {
      const operations = structuredClone(diff(from, to));
      assert.deepEqual(applyPatch(structuredClone(from), operations), to);
    }),
    { numRuns: 400 },
  );
});

test('no difference, no operations', () => {
  fc.assert(
    fc.property(json, (value) => assert.deepEqual(diff(value, structuredClone(value)), [])),
    { numRuns: 100 },
  );
});

test('a container put in front of others is one operation', () => {
  const [a, b] = [{ name: 'a' }, { name: 'b' }];
  assert.deepEqual(diff({ list: [a, b] }, { list: [{ name: 'x' }, a, b] }), [
    { op: 'add', path: '/list/0', value: { name: 'x' } },
  ]);
});

const tokens: readonly (readonly [key: string, token: string])[] = [
  ['istio.io/rev', 'istio.io~1rev'],
  ['a~b', 'a~0b'],
  ['a~1b', 'a~01b'],
  ['~/', '~0~1'],
  ['', ''],
  ['é/😀', 'é~1😀'],
];
for (const [key, token] of tokens)
  test(`the token of ${JSON.stringify(key)} is ${token}`, () => assert.equal(escapeToken(key), token));

test('a token read back is the key', () => {
  fc.assert(fc.property(fc.string(), (key) => assert.equal(unescapeToken(escapeToken(key)), key)));
});
