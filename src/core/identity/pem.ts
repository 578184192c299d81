// PEM texts as lists of certificates: split, merged, joined. Refuses to look inside a certificate; the platform's crypto does that.
import { base64 } from '../std/base64.ts';
import { compareCodePoints } from '../std/order.ts';

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The certificates of a text, each without what is around it. */
export function pemCertificates(text: string): readonly string[] {
  return text.match(certificate) ?? [];
}

/** Certificates as one file: each on lines of its own. */
export function pemFile(certificates: readonly string[]): string {
  return certificates.map((each) => `${each.trim()}\n`).join('');
}

/** All certificates of some texts, each once and in order: the same set gives the same text, whoever came first. */
export function mergeRoots(texts: readonly string[]): string {
  return pemFile([...new Set(texts.flatMap(pemCertificates))].sort(compareCodePoints));
}

/** Bytes in their PEM armour. */
export function pem(label: string, bytes: Uint8Array): string {
  const lines = base64(bytes).match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
