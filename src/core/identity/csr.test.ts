// A request is judged by another library: it parses, its signature holds, it asks for the identity and for nothing else.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { test } from 'node:test';
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from '@peculiar/x509';
import { certificateRequest, type KeyKind, type Signer, spiffeId } from './csr.ts';
import { oid } from './der.ts';

const identity = { trustDomain: 'cluster.local', namespace: 'shop', serviceAccount: 'cart' };

function pairOf(kind: KeyKind): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  if (kind === 'ecdsa-p256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (kind === 'ecdsa-p384') return generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

function signerOf(kind: KeyKind): Signer {
  const { publicKey, privateKey } = pairOf(kind);
  const hash = kind === 'ecdsa-p384' ? 'sha384' : 'sha256';
  return {
    kind,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    sign: (bytes) => sign(hash, bytes, privateKey),
  };
}

for (const kind of ['rsa-2048', 'ecdsa-p256', 'ecdsa-p384'] as const)
  test(`a request by ${kind}`, async () => {
    const signer = signerOf(kind);
    const request = new Pkcs10CertificateRequest(certificateRequest(identity, signer));
    assert.equal(await request.verify(), true);
    assert.equal(request.subject, '');
    assert.deepEqual(Buffer.from(request.publicKey.rawData), Buffer.from(signer.publicKey));
    const [name, ...more] = request.extensions;
    assert.ok(name instanceof SubjectAlternativeNameExtension);
    assert.deepEqual(more, []);
    assert.equal(name.critical, true);
    assert.deepEqual(
      name.names.items.map(({ type, value }) => [type, value]),
      [['url', 'spiffe://cluster.local/ns/shop/sa/cart']],
    );
  });

test('a long identity needs lengths of more than a byte', () => {
  const long = { ...identity, serviceAccount: 'x'.repeat(253), trustDomain: 'y'.repeat(60_000) };
  const request = new Pkcs10CertificateRequest(certificateRequest(long, signerOf('ecdsa-p256')));
  const [name] = request.extensions;
  assert.ok(name instanceof SubjectAlternativeNameExtension);
  assert.equal(name.names.items[0]?.value, spiffeId(long));
});

const oids: readonly (readonly [dotted: string, hex: string])[] = [
  ['2.5.29.17', '0603551d11'],
  ['1.2.840.113549.1.9.14', '06092a864886f70d01090e'],
];
for (const [dotted, hex] of oids)
  test(`object identifier ${dotted}`, () => assert.equal(Buffer.from(oid(dotted)).toString('hex'), hex));
