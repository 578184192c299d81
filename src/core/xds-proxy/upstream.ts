// How the agent reaches the control plane: address, roots, the certificate that it shows, metadata. Owns the order in which Istio's
// agent looks for files (pkg/istio-agent/agent.go: FindRootCAForXDS, GetKeyCertsForXDS). Refuses to read them.

export interface UpstreamSettings {
  /** host:port. */
  readonly discoveryAddress: string;
  /** ProxyConfig's: NONE is plain text, also where its canonical form has left the zero of the enumeration out. */
  readonly controlPlaneAuthPolicy: string | undefined;
  /** XDS_ROOT_CA: a file, or SYSTEM. */
  readonly xdsRootCa: string;
  readonly provCert: string;
  readonly fileMountedCerts: boolean;
  readonly pilotCertProvider: string;
  readonly istiodSan: string;
  readonly clusterId: string;
  readonly proxyMetadata: Readonly<Record<string, string>>;
}

export type Upstream =
  | { readonly kind: 'problem'; readonly problem: string }
  | {
      readonly kind: 'upstream';
      readonly host: string;
      readonly port: number;
      readonly tls: UpstreamTls | undefined;
    };

export interface UpstreamTls {
  /** A file; undefined: what the machine trusts. */
  readonly rootFile: string | undefined;
  /** Files of a certificate to show; shown only while it is valid. */
  readonly clientFiles: { readonly chain: string; readonly key: string } | undefined;
  readonly serverName: string;
}

const legacyRoot = './etc/certs/root-cert.pem';
const meshRoot = './var/run/secrets/istio/root-cert.pem';

/** `exists` is asked for files. */
export function upstreamOf(settings: UpstreamSettings, exists: (path: string) => boolean): Upstream {
  const address = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:]+)):(?<port>\d+)$/.exec(settings.discoveryAddress)?.groups;
  const host = address?.['v6'] ?? address?.['name'];
  if (host === undefined)
    return { kind: 'problem', problem: `discovery address "${settings.discoveryAddress}" is not host:port` };
  const at = { kind: 'upstream', host, port: Number(address?.['port']) } as const;
  if ((settings.controlPlaneAuthPolicy ?? 'NONE') === 'NONE') return { ...at, tls: undefined };
  const root = rootOf(settings, exists);
  if (root.kind === 'problem') return root;
  return {
    ...at,
    tls: { rootFile: root.file, clientFiles: clientOf(settings), serverName: serverNameOf(settings, host) },
  };
}

function rootOf(
  { xdsRootCa, provCert, fileMountedCerts, pilotCertProvider, proxyMetadata }: UpstreamSettings,
  exists: (path: string) => boolean,
): { readonly kind: 'root'; readonly file: string | undefined } | Extract<Upstream, { readonly kind: 'problem' }> {
  if (xdsRootCa !== '') return { kind: 'root', file: xdsRootCa === 'SYSTEM' ? undefined : xdsRootCa };
  if (exists(legacyRoot)) return { kind: 'root', file: legacyRoot };
  if (provCert !== '') return { kind: 'root', file: `${provCert}/root-cert.pem` };
  if (!fileMountedCerts && pilotCertProvider === 'none')
    return { kind: 'problem', problem: 'PILOT_CERT_PROVIDER is none, and XDS_ROOT_CA names no root' };
  const file = fileMountedCerts ? (proxyMetadata['ISTIO_META_TLS_CLIENT_ROOT_CERT'] ?? '') : meshRoot;
  return exists(file) ? { kind: 'root', file } : { kind: 'problem', problem: `the root for xDS is not there: ${file}` };
}

function clientOf({ provCert, fileMountedCerts, proxyMetadata }: UpstreamSettings): UpstreamTls['clientFiles'] {
  if (provCert !== '') return { chain: `${provCert}/cert-chain.pem`, key: `${provCert}/key.pem` };
  const chain = proxyMetadata['ISTIO_META_TLS_CLIENT_CERT_CHAIN'] ?? '';
  const key = proxyMetadata['ISTIO_META_TLS_CLIENT_KEY'] ?? '';
  return fileMountedCerts && chain !== '' && key !== '' ? { chain, key } : undefined;
}

/** Behind a forwarded port istiod is called localhost, and its certificate never names that. */
function serverNameOf({ istiodSan }: UpstreamSettings, host: string): string {
  if (istiodSan !== '') return istiodSan;
  return host.includes('localhost') ? 'istiod.istio-system.svc' : host;
}

/** What is sent along with each stream. Without a token only a certificate can tell who the agent is. */
export function metadataOf(given: {
  readonly clusterId: string;
  /** Undefined: the file is not there. */
  readonly token: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Readonly<Record<string, string>> {
  const prefix = 'XDS_HEADER_';
  const headers = Object.entries(given.env).flatMap(([name, value]) =>
    name.startsWith(prefix) && value !== undefined ? [[name.slice(prefix.length).toLowerCase(), value] as const] : [],
  );
  const token = given.token?.trim() ?? '';
  return {
    ...Object.fromEntries(headers),
    clusterid: given.clusterId,
    ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
  };
}
