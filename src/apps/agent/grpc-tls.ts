// TLS to the control plane as the files are at this moment: roots, and a certificate to show while it is valid. Read anew for each
// connection, because all of them are rotated.
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
  const chain = clientFiles === undefined ? undefined : files.read(clientFiles.chain);
  const key = clientFiles === undefined ? undefined : files.read(clientFiles.key);
  const expiresMs = chain === undefined ? 0 : (keys.certificate(chain)?.expiresMs ?? 0);
  // Without a certificate that holds, the token has to do.
  const isShown = chain !== undefined && key !== undefined && expiresMs > clock.wallMs();
  return { roots, serverName, ...(isShown ? { client: { chain, key } } : {}) };
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
