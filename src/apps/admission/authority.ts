// A small certificate authority of the server's own: one root for years, leaves for weeks, ECDSA P-256. Issues and parses; keeps nothing.
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Certificate } from './server.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' } as const;
/** Clocks of other machines may be behind. */
export const backMs = 300_000;

export interface Life {
  readonly nowMs: number;
  readonly lifeMs: number;
}

/** A new root. */
export async function newAuthority({ nowMs, lifeMs }: Life): Promise<Certificate> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `O=fairway, CN=fairway-admission-ca-${nowMs}`,
    serialNumber: serial(),
    notBefore: new Date(nowMs - backMs),
    notAfter: new Date(nowMs + lifeMs),
    signingAlgorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pem(root), key: await privatePem(keys.privateKey) };
}

/** A server's certificate for some DNS names, signed by the authority. Never outlives it. */
export async function issue(
  authority: Certificate,
  dnsNames: readonly string[],
  { nowMs, lifeMs }: Life,
): Promise<Certificate> {
  const root = new X509Certificate(authority.cert);
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const leaf = await X509CertificateGenerator.create({
    subject: `CN=${dnsNames[0] ?? 'fairway-admission'}`,
    issuer: root.subject,
    serialNumber: serial(),
    notBefore: new Date(nowMs - backMs),
    notAfter: new Date(Math.min(nowMs + lifeMs, root.notAfter.getTime())),
    signingAlgorithm,
    signingKey: await signingKey(authority.key),
    publicKey: keys.publicKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value }))),
    ],
  });
  return { cert: pem(leaf), key: await privatePem(keys.privateKey) };
}

/** Positive, and random enough that two replicas never give the same. */
function serial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), PemConverter.PrivateKeyTag)}\n`;
}

async function signingKey(text: string): Promise<webcrypto.CryptoKey> {
  const [bytes] = PemConverter.decode(text);
  if (bytes === undefined) throw new Error('no private key');
  return crypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']);
}
