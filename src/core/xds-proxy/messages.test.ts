// What is seen of messages, whole and cut, in both variants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from '../wire/index.ts';
import {
  anchorsIn,
  readRequest,
  readResponse,
  typeOfResponse,
  type Variant,
  valueOf,
  variantOf,
  writeRequest,
} from './messages.ts';

const node = encode([1, 'sidecar~10.0.0.7~a.b~b.svc'], [2, 'a.b']);
const any = (typeUrl: string, text: string): Uint8Array => encode([1, typeUrl], [2, new TextEncoder().encode(text)]);
const resource = (inside: Uint8Array): Uint8Array => encode([1, 'v'], [2, inside], [3, 'name']);

test('the methods of ADS', () => {
  const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';
  assert.equal(variantOf(`${service}/StreamAggregatedResources`), 'sotw');
  assert.equal(variantOf(`${service}/DeltaAggregatedResources`), 'delta');
  assert.equal(variantOf('/envoy.service.cluster.v3.ClusterDiscoveryService/StreamClusters'), undefined);
});

const requests: readonly (readonly [variant: Variant, bytes: Uint8Array, typeUrl: string, version: string])[] = [
  ['sotw', encode([1, '7'], [2, node], [3, 'x'], [4, 't'], [5, 'n']), 't', '7'],
  ['sotw', encode([2, node], [4, 't']), 't', ''],
  ['delta', encode([1, node], [2, 't'], [3, 'x'], [6, 'n']), 't', ''],
  ['delta', new Uint8Array(0), '', ''],
  ['sotw', Uint8Array.of(0xff), '', ''],
];
for (const [variant, bytes, typeUrl, version] of requests) {
  test(`a request (${variant}) of type "${typeUrl}" and version "${version}"`, () =>
    assert.deepEqual(readRequest(variant, bytes), { typeUrl, version }));
}

const big = 'x'.repeat(1000);
const typesOfResponses: readonly (readonly [what: string, Variant, Uint8Array, string | undefined])[] = [
  ['whole', 'sotw', encode([1, '1'], [2, any('a', 'x')], [4, 'b'], [5, 'n']), 'b'],
  ['whole, no resource', 'delta', encode([1, '1'], [4, 'b'], [5, 'n']), 'b'],
  ['whole, told nowhere', 'delta', encode([1, '1']), undefined],
  [
    'cut in the second resource',
    'sotw',
    encode([2, any('a', 'x')], [2, any('a', big)], [4, 'b']).subarray(0, 100),
    'a',
  ],
  ['cut in the first resource', 'sotw', encode([2, any('a', big)], [4, 'b']).subarray(0, 100), 'a'],
  ['cut in the first resource', 'delta', encode([2, resource(any('a', big))], [4, 'b']).subarray(0, 100), 'a'],
  ['cut in the type of the first resource', 'sotw', encode([2, any(big, 'x')]).subarray(0, 100), undefined],
  ['cut in its own type', 'sotw', encode([4, big]).subarray(0, 100), undefined],
  ['no message', 'sotw', Uint8Array.of(0xff, 0xff), undefined],
];
for (const [what, variant, bytes, typeUrl] of typesOfResponses) {
  test(`the type of a response, ${what} (${variant})`, () => assert.equal(typeOfResponse(variant, bytes), typeUrl));
}

test('a whole response', () => {
  const inside = any('a', 'one');
  const head = { typeUrl: 'a', version: '3', nonce: 'n' };
  const sotw = readResponse('sotw', encode([1, '3'], [2, inside], [2, any('a', 'two')], [4, 'a'], [5, 'n']));
  assert.deepEqual(sotw, { ...head, resources: [inside, any('a', 'two')] });
  const delta = readResponse('delta', encode([1, '3'], [2, resource(inside)], [4, 'a'], [5, 'n'], [6, 'gone']));
  assert.deepEqual(delta, { ...head, resources: [inside] });
  assert.equal(new TextDecoder().decode(valueOf(inside)), 'one');
  assert.equal(readResponse('delta', Uint8Array.of(0x12, 0x05)), undefined);
});

test('own requests: as they are read by the other end', () => {
  const request = { typeUrl: 't', version: '3', nonce: 'n' };
  assert.deepEqual(writeRequest('sotw', request), encode([1, '3'], [4, 't'], [5, 'n']));
  assert.deepEqual(writeRequest('delta', request), encode([2, 't'], [6, 'n']));
  const error = encode([1, 13], [2, 'bad']);
  assert.deepEqual(writeRequest('sotw', { typeUrl: 't', problem: 'bad' }), encode([4, 't'], [6, error]));
  assert.deepEqual(writeRequest('delta', { typeUrl: 't', problem: '' }), encode([2, 't'], [7, encode([1, 13])]));
});

test("a mesh's trust anchors", () => {
  assert.equal(anchorsIn(encode([4, 'ignored'], [34, 'a'], [34, 'b\n'])), 'a\nb\n');
  assert.equal(anchorsIn(encode()), '');
  assert.equal(anchorsIn(Uint8Array.of(0xff)), undefined);
});
