// Certificates for tests, as a mesh has them: a root, servers by DNS name, workloads by SPIFFE identity. ECDSA P-256, a day long.
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

/** PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** PEM. */
  readonly root: string;
  readonly issue: (...names: readonly JsonGeneralName[]) => Promise<KeyPair>;
}

export async function newAuthority(name = 'test'): Promise<Authority> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    ...life(),
    signingAlgorithm,
    keys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return { root: pemOf(root), issue: (...names) => issued(root.subject, keys.privateKey, names) };
}

async function issued(
  issuer: string,
  signingKey: webcrypto.CryptoKey,
  names: readonly JsonGeneralName[],
): Promise<KeyPair> {
  const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const leaf = await X509CertificateGenerator.create({
    subject: '',
    issuer,
    ...life(),
    signingAlgorithm,
    signingKey,
    publicKey: own.publicKey,
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([...names], true),
    ],
  });
  return { cert: pemOf(leaf), key: await privatePem(own.privateKey) };
}

function life(): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}
