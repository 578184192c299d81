// TLS to the control plane as the files are at this moment: roots, and a certificate to show while it is valid. Read anew for each
// connection, because all of them are rotated; a writer who is half done is told by the files' names, and the next connection tries again.
import { pemCertificates, pemFile } from '../../core/identity/index.ts';
import type { GrpcTls, TlsLimits } from '../../ports/grpc.ts';
import type { Host } from '../../ports/host.ts';

export interface TlsFiles {
  readonly serverName: string;
  /** Undefined: what the machine trusts. */
  readonly rootFile: string | undefined;
  readonly clientFiles: { readonly chain: string; readonly key: string } | undefined;
}

/** Or what is missing for it. */
export function tlsFrom(
  { serverName, rootFile, clientFiles }: TlsFiles,
  host: Pick<Host, 'files' | 'keys' | 'clock'>,
): GrpcTls | string {
  const { files, keys, clock } = host;
  const roots = rootFile === undefined ? undefined : files.read(rootFile);
  if (rootFile !== undefined && roots === undefined) return `the root is missing: ${rootFile}`;
  const trusted = roots === undefined ? [] : readable(roots, keys);
  if (roots !== undefined && trusted.length === 0) return `no certificate can be read in the root: ${rootFile}`;
  const chain = clientFiles === undefined ? undefined : files.read(clientFiles.chain);
  const key = clientFiles === undefined ? undefined : files.read(clientFiles.key);
  const tls = { roots: roots === undefined ? undefined : pemFile(trusted), serverName };
  // Without a certificate that holds, the token has to do.
  if (clientFiles === undefined || chain === undefined || key === undefined) return tls;
  if ((keys.certificate(chain)?.expiresMs ?? Infinity) <= clock.wallMs()) return tls;
  const wrong = keys.pairProblem(chain, key);
  return wrong === undefined
    ? { ...tls, client: { chain, key } }
    : `${clientFiles.chain} and ${clientFiles.key} cannot be shown: ${wrong}`;
}

/** The certificates of a file that can be read, each by itself. */
export function readable(pem: string, keys: Host['keys']): readonly string[] {
  return pemCertificates(pem).filter((each) => keys.certificate(each) !== undefined);
}

/** Of TLS 1.2, in Envoy's connections by gRPC too. */
export const fipsCiphers =
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384';

/** What each COMPLIANCE_POLICY allows (istio/istio pkg/model/fips.go). */
const limitsOf: Readonly<Record<'fips-140-2' | 'fips-140-3', TlsLimits>> = {
  'fips-140-2': { maxVersion: 'TLSv1.2', ciphers: fipsCiphers, ecdhCurve: 'P-256' },
  'fips-140-3': {
    maxVersion: 'TLSv1.3',
    ciphers: `TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:${fipsCiphers}`,
    ecdhCurve: 'P-256:P-384',
  },
};

/** The same host, whose connections by gRPC keep to a policy: to the control plane and to the CA. */
export function compliant(host: Host, policy: '' | keyof typeof limitsOf): Host {
  if (policy === '') return host;
  const limits = limitsOf[policy];
  return {
    ...host,
    grpc: {
      ...host.grpc,
      connect: ({ tls, ...target }) =>
        host.grpc.connect({ ...target, tls: tls === undefined ? undefined : { ...tls, limits } }),
    },
  };
}
