// The messages against bytes that Envoy's and Istio's own protobuf wrote or would read; field numbers are the published ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode, readMessage } from '../wire/index.ts';
import { keyProviderOf } from './key-provider.ts';
import { certificateChain, certificateOrder, readSecretRequest, secretResponse, secretType } from './messages.ts';

test('a request of the form `whole`', () => {
  const bytes = encode([1, 'v1'], [3, 'default'], [3, 'ROOTCA'], [4, secretType], [5, 'n1']);
  assert.deepEqual(readSecretRequest('whole', bytes), {
    names: ['default', 'ROOTCA'],
    dropped: [],
    known: new Map(),
    nonce: 'n1',
    refusal: undefined,
  });
  const refused = encode([3, 'default'], [5, 'n1'], [6, encode([1, 13], [2, 'no key'])]);
  assert.equal(readSecretRequest('whole', refused)?.refusal, 'no key');
  assert.equal(readSecretRequest('whole', encode([6, encode()]))?.refusal, '');
  assert.equal(readSecretRequest('whole', Uint8Array.of(0x0a, 9)), undefined);
});

test('a request of the form `delta`', () => {
  const known = encode([1, 'default'], [2, 'v7']);
  const bytes = encode([2, secretType], [3, 'default'], [4, 'ROOTCA'], [5, known], [6, 'n1'], [7, encode([2, 'bad'])]);
  assert.deepEqual(readSecretRequest('delta', bytes), {
    names: ['default'],
    dropped: ['ROOTCA'],
    known: new Map([['default', 'v7']]),
    nonce: 'n1',
    refusal: 'bad',
  });
});

const answer = {
  version: 'v',
  nonce: 'n',
  secrets: [
    { name: 'default', version: 'a', secret: { kind: 'pair', chain: 'CHAIN', key: 'KEY' } },
    { name: 'ROOTCA', version: 'b', secret: { kind: 'roots', pem: 'ROOTS', crlFile: '/crl' } },
  ],
} as const;

/** Type, name, and the texts that lie in the data sources. */
function secretIn(any: Uint8Array | undefined): readonly string[] {
  const message = readMessage(any ?? new Uint8Array(0));
  const secret = message?.message(2);
  const pair = secret?.message(2);
  const roots = secret?.message(4);
  return [
    message?.text(1) ?? '',
    secret?.text(1) ?? '',
    pair?.message(1)?.text(2) ?? '',
    pair?.message(2)?.text(2) ?? '',
    roots?.message(1)?.text(2) ?? '',
    roots?.message(7)?.text(1) ?? '',
  ];
}

const secrets = [
  [secretType, 'default', 'CHAIN', 'KEY', '', ''],
  [secretType, 'ROOTCA', '', '', 'ROOTS', '/crl'],
];

test('an answer of the form `whole`', () => {
  const message = readMessage(secretResponse('whole', answer));
  assert.deepEqual([message?.text(1), message?.text(4), message?.text(5)], ['v', secretType, 'n']);
  assert.deepEqual(message?.all(2).map(secretIn), secrets);
});

const providers: readonly (readonly [provider: string, type: string])[] = [
  ['cryptomb', 'cryptomb.v3alpha.CryptoMbPrivateKeyMethodConfig'],
  ['qat', 'qat.v3alpha.QatPrivateKeyMethodConfig'],
];
for (const [name, type] of providers)
  test(`a key for ${name}`, () => {
    const provider = keyProviderOf({ privateKeyProvider: { [name]: { pollDelay: '1.02s', fallback: true } } });
    assert.ok(provider !== undefined);
    const secret = { kind: 'pair', chain: 'CHAIN', key: 'KEY', provider } as const;
    const bytes = secretResponse('whole', {
      version: 'v',
      nonce: 'n',
      secrets: [{ name: 'default', version: 'a', secret }],
    });
    const pair = readMessage(bytes)?.message(2)?.message(2)?.message(2);
    assert.deepEqual([pair?.message(1)?.text(2), pair?.bytes(2)], ['CHAIN', undefined]);
    const given = pair?.message(6);
    assert.deepEqual([given?.text(1), given?.integer(4)], [name, 1]);
    const config = given?.message(3);
    assert.equal(config?.text(1), `type.googleapis.com/envoy.extensions.private_key_providers.${type}`);
    const delay = config?.message(2)?.message(2);
    assert.deepEqual([delay?.integer(1), delay?.integer(2)], [1, 20_000_000]);
    assert.equal(config?.message(2)?.message(1)?.text(2), 'KEY');
  });

test('no provider', () => {
  for (const config of [{}, { privateKeyProvider: {} }, { privateKeyProvider: 'qat' }])
    assert.equal(keyProviderOf(config), undefined);
});

test('an answer of the form `delta`', () => {
  const message = readMessage(secretResponse('delta', answer));
  assert.deepEqual([message?.text(1), message?.text(4), message?.text(5)], ['v', secretType, 'n']);
  const resources = message?.all(2).map((bytes) => readMessage(bytes)) ?? [];
  assert.deepEqual(
    resources.map((each) => [each?.text(1), each?.text(3)]),
    [
      ['a', 'default'],
      ['b', 'ROOTCA'],
    ],
  );
  assert.deepEqual(
    resources.map((each) => secretIn(each?.bytes(2))),
    secrets,
  );
});

test('an order at the CA', () => {
  const message = readMessage(certificateOrder({ csr: 'CSR', lifeSeconds: 86_400.7, signer: 'clusterissuers.x' }));
  assert.deepEqual([message?.text(1), message?.integer(3)], ['CSR', 86_400]);
  const field = message?.message(4)?.message(1);
  assert.deepEqual([field?.text(1), field?.message(2)?.text(3)], ['CertSigner', 'clusterissuers.x']);
});

test('the CA’s answer: at least the certificate and its root', () => {
  assert.deepEqual(certificateChain(encode([1, 'leaf'], [1, 'root'])), ['leaf', 'root']);
  assert.equal(certificateChain(encode([1, 'leaf'])), undefined);
  assert.equal(certificateChain(encode()), undefined);
  assert.equal(certificateChain(Uint8Array.of(0x0a)), undefined);
});
