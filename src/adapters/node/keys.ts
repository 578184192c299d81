// Keys and certificates by node:crypto, which Bun has too.
import { createPrivateKey, generateKeyPair, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyKind } from '../../core/identity/index.ts';
import type { HostKeys } from '../../ports/keys.ts';

const generate = promisify(generateKeyPair);

export const nodeKeys: HostKeys = {
  make: async (kind, form) => {
    const { publicKey, privateKey } = await newPair(kind);
    const traditional = kind.startsWith('rsa') ? 'pkcs1' : 'sec1';
    const hash = kind === 'ecdsa-p384' ? 'sha384' : 'sha256';
    return {
      kind,
      pem: String(privateKey.export({ type: form === 'pkcs8' ? 'pkcs8' : traditional, format: 'pem' })),
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      sign: (bytes) => sign(hash, bytes, privateKey),
    };
  },
  certificate: (pem) => {
    try {
      return { expiresMs: Date.parse(new X509Certificate(pem).validTo) };
    } catch {
      return undefined;
    }
  },
  pairProblem: (chain, key) => {
    try {
      const fits = new X509Certificate(chain).checkPrivateKey(createPrivateKey(key));
      return fits ? undefined : 'the key is not the one of the certificate';
    } catch (error) {
      return String(error);
    }
  },
};

function newPair(kind: KeyKind): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  switch (kind) {
    case 'ecdsa-p256':
      return generate('ec', { namedCurve: 'P-256' });
    case 'ecdsa-p384':
      return generate('ec', { namedCurve: 'P-384' });
    case 'rsa-2048':
      return generate('rsa', { modulusLength: 2048 });
    case 'rsa-3072':
      return generate('rsa', { modulusLength: 3072 });
    case 'rsa-4096':
      return generate('rsa', { modulusLength: 4096 });
  }
}
