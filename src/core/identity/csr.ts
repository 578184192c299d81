// A certificate request (RFC 2986) for a SPIFFE identity. Owns its form; keys and signatures are the platform's.
import { bits, nothing, octets, oid, sequence, set, smallInteger, tagged, taggedText, yes } from './der.ts';
import { pem } from './pem.ts';

/** RSA with SHA-256; ECDSA with the hash that fits the curve. */
export type KeyKind = 'rsa-2048' | 'rsa-3072' | 'rsa-4096' | 'ecdsa-p256' | 'ecdsa-p384';

export interface Signer {
  readonly kind: KeyKind;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** The signature of some bytes; of ECDSA in DER. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
}

/** Who a workload is to its peers. */
export interface Identity {
  readonly trustDomain: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** The identity as the URI that certificates carry. */
export function spiffeId({ trustDomain, namespace, serviceAccount }: Identity): string {
  return `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount}`;
}

/** A request for that identity, in PEM. The subject is empty, so the alternative name must be critical (RFC 5280, 4.2.1.6). */
export function certificateRequest(identity: Identity, signer: Signer): string {
  const information = sequence(smallInteger(0), sequence(), signer.publicKey, tagged(0, alternativeName(identity)));
  const request = sequence(information, algorithm(signer.kind), bits(signer.sign(information)));
  return pem('CERTIFICATE REQUEST', request);
}

function alternativeName(identity: Identity): Uint8Array {
  const uri = sequence(taggedText(6, spiffeId(identity)));
  const extension = sequence(oid(oids.subjectAltName), yes, octets(uri));
  return sequence(oid(oids.extensionRequest), set(sequence(extension)));
}

function algorithm(kind: KeyKind): Uint8Array {
  switch (kind) {
    case 'ecdsa-p256':
      return sequence(oid(oids.ecdsaWithSha256));
    case 'ecdsa-p384':
      return sequence(oid(oids.ecdsaWithSha384));
    default:
      return sequence(oid(oids.sha256WithRsa), nothing);
  }
}

const oids = {
  extensionRequest: '1.2.840.113549.1.9.14',
  subjectAltName: '2.5.29.17',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  ecdsaWithSha384: '1.2.840.10045.4.3.3',
} as const;
