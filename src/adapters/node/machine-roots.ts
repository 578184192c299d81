// The certificates that this machine trusts.
import { getCACertificates, rootCertificates } from 'node:tls';

/** A machine without any trusts those that the runtime carries. */
export function machineRoots(): string[] {
  const roots = getCACertificates('system');
  return roots.length > 0 ? roots : [...rootCertificates];
}
