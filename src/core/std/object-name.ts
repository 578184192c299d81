// What Kubernetes' objects may be called: a namespace by a DNS-1123 label, most others by a DNS-1123 subdomain (apimachinery, IsDNS1123Label and
// IsDNS1123Subdomain).

/** A DNS-1123 label: namespaces, and revisions. */
export const dnsLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export const namespaceRule = 'lower-case letters, digits and dashes, at most 63, no dash at either end';
export const objectRule = 'lower-case letters, digits, dashes and dots, at most 253, a letter or digit around each dot';

export function isNamespaceName(text: string): boolean {
  return dnsLabel.test(text);
}

export function isObjectName(text: string): boolean {
  return /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text);
}
