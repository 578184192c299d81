// Keys and certificates as readable texts, for tests: a key is a number, a certificate tells whose it is and until when.
import type { HostKeys } from '../../ports/keys.ts';

export function fakeKeys(): HostKeys {
  let made = 0;
  return {
    make: (kind) => {
      const key = String(++made);
      return Promise.resolve({ kind, pem: key, publicKey: Uint8Array.of(made), sign: () => new Uint8Array(0) });
    },
    certificate: (pem) => {
      const until = / until (\d+)/.exec(pem)?.[1];
      return until === undefined ? undefined : { expiresMs: Number(until) };
    },
    pairProblem: (chain, key) =>
      chain.includes(`of ${key} until`) ? undefined : 'the key is not the one of the certificate',
  };
}

/** A certificate that the fake keys can read. */
export function fakeCertificate(key: string, untilMs: number): string {
  return `-----BEGIN CERTIFICATE-----\nof ${key} until ${untilMs}\n-----END CERTIFICATE-----\n`;
}
