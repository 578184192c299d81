// TLS to the control plane as the files are at this moment: roots, and a certificate to show while it is valid. Read anew for each
// connection, because all of them are rotated.
import type { GrpcTls } from '../../ports/grpc.ts';
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
