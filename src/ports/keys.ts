// What the agent asks of the platform's cryptography: keys, signatures, and what a certificate says. Nothing here keeps a key.
import type { KeyKind, Signer } from '../core/identity/index.ts';

export interface HostKeys {
  /** Off the main thread: an RSA key takes a tenth of a second and more. `traditional`: PKCS#1 or SEC 1, as Istio writes them. */
  readonly make: (kind: KeyKind, form: 'traditional' | 'pkcs8') => Promise<PrivateKey>;
  /** What the first certificate of a PEM text says; undefined: it is none. */
  readonly certificate: (pem: string) => CertificateFacts | undefined;
  /** Undefined: they belong together; else what is wrong with them. The first certificate counts. */
  readonly pairProblem: (chain: string, key: string) => string | undefined;
}

export interface PrivateKey extends Signer {
  readonly pem: string;
}

export interface CertificateFacts {
  readonly expiresMs: number;
}
