// Which files make which TLS: a writer who is half done is told, and never half shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeHost } from './fake-host.ts';
import { fakeCertificate } from './fake-keys.ts';
import { tlsFrom } from './grpc-tls.ts';

const nowMs = 1_000_000_000_000;
const root = fakeCertificate('root', nowMs);
const chain = fakeCertificate('1', nowMs + 1);
const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const asked = { serverName: 'istiod', rootFile: '/r', clientFiles: { chain: '/c', key: '/k' } };

const good = { '/r': root, '/c': chain, '/k': '1' };
const bare = { roots: root, serverName: 'istiod' };
for (const [what, files, expected] of [
  ['all there', good, { ...bare, client: { chain, key: '1' } }],
  ['no key', { '/r': root, '/c': chain }, bare],
  ['a certificate that has ended', { ...good, '/c': fakeCertificate('1', nowMs) }, bare],
  ['an ended one, its key replaced', { ...good, '/c': fakeCertificate('1', nowMs), '/k': '2' }, bare],
  ['the key of the next certificate', { ...good, '/k': '2' }, /^\/c and \/k cannot be shown: the key is not/],
  ['half a certificate', { ...good, '/c': chain.slice(0, 30) }, /^\/c and \/k cannot be shown/],
  ['half a key', { ...good, '/k': '' }, /^\/c and \/k cannot be shown/],
  ['no root', { '/c': chain, '/k': '1' }, /^the root is missing: \/r$/],
  ['half a root', { ...good, '/r': root.slice(0, 40) }, /^no certificate can be read in the root: \/r$/],
  ['an empty root', { ...good, '/r': '' }, /^no certificate can be read/],
  ['one root of two', { '/r': `${broken}${root}` }, bare],
] as const) {
  test(`${what}: ${expected instanceof RegExp ? 'a problem' : 'client' in expected ? 'shown' : 'the token has to do'}`, () => {
    const tls = tlsFrom(asked, fakeHost({ files }));
    if (expected instanceof RegExp) assert.match(typeof tls === 'string' ? tls : '', expected);
    else assert.deepEqual(tls, expected);
  });
}

test('without files: what the machine trusts', () => {
  assert.deepEqual(tlsFrom({ serverName: 'a', rootFile: undefined, clientFiles: undefined }, fakeHost()), {
    roots: undefined,
    serverName: 'a',
  });
});
