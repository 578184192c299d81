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
const minuteMs = 60_000;

/** PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** PEM. */
  readonly root: string;
  readonly issue: (...names: readonly JsonGeneralName[]) => Promise<KeyPair>;
  /** A certificate for somebody else's key. PEM. */
  readonly sign: (wish: Wish) => Promise<string>;
}

export interface Wish {
  readonly publicKey: X509Certificate['publicKey'] | webcrypto.CryptoKey;
  readonly names: readonly JsonGeneralName[];
  /** From a minute ago on; a day unless told. */
  readonly lifeMs?: number;
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
  const sign = (wish: Wish): Promise<string> => signed(root.subject, keys.privateKey, wish);
  return { root: pemOf(root), sign, issue: (...names) => issued(sign, names) };
}

async function issued(sign: Authority['sign'], names: readonly JsonGeneralName[]): Promise<KeyPair> {
  const own = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return { cert: await sign({ publicKey: own.publicKey, names }), key: await privatePem(own.privateKey) };
}

async function signed(
  issuer: string,
  signingKey: webcrypto.CryptoKey,
  { publicKey, names, lifeMs }: Wish,
): Promise<string> {
  const leaf = await X509CertificateGenerator.create({
    subject: '',
    issuer,
    ...life(lifeMs),
    signingAlgorithm,
    signingKey,
    publicKey,
    extensions: [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new SubjectAlternativeNameExtension([...names], true),
    ],
  });
  return pemOf(leaf);
}

function life(lifeMs = dayMs): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - minuteMs), notAfter: new Date(Date.now() + lifeMs) };
}

function pemOf(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}
