// Where a workload's identity comes from: a CA, files that somebody else keeps, or another server of secrets; and with which roots and
// credentials the CA is asked. Owns the precedences of Istio's agent (pkg/istio-agent/agent.go, pilot-agent/options/security.go);
// refuses to read files: whether one exists is an argument.
import type { Problem } from '../std/errors.ts';

export interface SourceSettings {
  /** Empty: the discovery address. */
  readonly caAddress: string;
  readonly discoveryAddress: string;
  /** The name to expect of istiod's certificate; of CAs with an address of their own it is not used. */
  readonly istiodSan: string;
  /** `SYSTEM`, a path, or empty. */
  readonly caRootCa: string;
  readonly caProvider: string;
  readonly pilotCertProvider: string;
  /** A folder with key, certificate and root for the call to the CA, on a VM. */
  readonly provCert: string;
  readonly outputCerts: string;
  readonly fileMountedCerts: boolean;
  readonly socketFile: string;
  readonly credentialFetcher: string;
}

export interface PairFiles {
  readonly chain: string;
  readonly key: string;
}

/** What serves `default` and `ROOTCA`. */
export type IdentitySource =
  /** Another server is there; ours serves files alone. */
  { readonly kind: 'external'; readonly path: string } | OwnSource;

export interface OwnSource {
  readonly kind: 'own';
  /** Undefined: from the CA. */
  readonly pair: PairFiles | undefined;
  /** A file of roots; undefined: from the CA. */
  readonly roots: string | undefined;
  /** Undefined: nothing of it is needed. */
  readonly ca: CaTarget | undefined;
}

export interface CaTarget {
  readonly host: string;
  readonly port: number;
  /** Undefined: in the clear, on a network that protects itself. */
  readonly tls: CaTls | undefined;
}

export interface CaTls {
  readonly serverName: string;
  /** Undefined: what the operating system trusts. */
  readonly rootFile: string | undefined;
  readonly clientFiles: PairFiles | undefined;
}

export const socketFolder = './var/run/secrets/workload-spiffe-uds';
export const ownSocket = `${socketFolder}/socket`;
/** Our server's socket where another one serves identities. */
export const filesSocket = './var/run/secrets/credential-uds/files-socket';
export const tokenFile = './var/run/secrets/tokens/istio-token';
export const crlFile = '/var/run/secrets/istio/crl/ca-crl.pem';
const certsFolder = './etc/certs';
const credentialsFolder = './var/run/secrets/workload-spiffe-credentials';
const istioRoot = './var/run/secrets/istio/root-cert.pem';

/** What the machine holds. */
export interface Facts {
  /** Whether there is a file, followed through links. */
  readonly exists: (path: string) => boolean;
  /** Whether a live server listens on the socket that was asked for. */
  readonly socketIsServed: boolean;
}

export type Sourced = { readonly source: IdentitySource | undefined; readonly problems: readonly Problem[] };

/** The source, or everything that is wrong at once. */
export function identitySource(settings: SourceSettings, facts: Facts): Sourced {
  const problems = wrongSettings(settings);
  const path = `${socketFolder}/${settings.socketFile}`;
  if (facts.socketIsServed && problems.length === 0) return { source: { kind: 'external', path }, problems };
  if (path !== ownSocket && !facts.socketIsServed && problems.length === 0)
    problems.push(problem(`WORKLOAD_IDENTITY_SOCKET_FILE: nobody serves ${path}`));
  const own = ownSource(settings, facts, problems);
  return { source: problems.length > 0 ? undefined : own, problems };
}

/** Files in the well-known place win over the CA, each for itself, unless it is the agent that writes them. */
function ownSource(settings: SourceSettings, facts: Facts, problems: Problem[]): OwnSource {
  const mounted = mountedFiles(settings, facts);
  if (mounted !== undefined) return { kind: 'own', pair: mounted, roots: mounted.root, ca: undefined };
  const found = filesIn(certsFolder);
  const own = sameFolder(settings.outputCerts, certsFolder);
  const pair = !own && facts.exists(found.chain) && facts.exists(found.key) ? found : undefined;
  const roots = !own && facts.exists(found.root) ? found.root : undefined;
  const needsCa = pair === undefined || roots === undefined;
  return { kind: 'own', pair, roots, ca: needsCa ? caTarget(settings, facts, problems) : undefined };
}

function wrongSettings(settings: SourceSettings): Problem[] {
  const { caProvider, credentialFetcher, provCert, fileMountedCerts, socketFile } = settings;
  const wrong: Problem[] = [];
  if (socketFile === '' || socketFile.includes('/'))
    wrong.push(problem(`WORKLOAD_IDENTITY_SOCKET_FILE "${socketFile}" is not the name of a file`));
  if (caProvider !== 'Citadel' && caProvider !== gkeProvider)
    wrong.push(problem(`CA_PROVIDER "${caProvider}" is none of Citadel, ${gkeProvider}`));
  if (!['', 'JWT'].includes(credentialFetcher))
    wrong.push(problem(`CREDENTIAL_FETCHER_TYPE "${credentialFetcher}" is not JWT`));
  if (provCert !== '' && (fileMountedCerts || caProvider === gkeProvider))
    wrong.push(problem('PROV_CERT is for a CA, FILE_MOUNTED_CERTS is for none: only one can be set'));
  return wrong;
}

const gkeProvider = 'GkeWorkloadCertificate';

interface IdentityFiles extends PairFiles {
  readonly root: string;
}

/** Files that stand for a CA: mounted ones, by provider, by their presence, or by FILE_MOUNTED_CERTS. */
function mountedFiles({ caProvider, fileMountedCerts }: SourceSettings, { exists }: Facts): IdentityFiles | undefined {
  const present = filesIn(credentialsFolder);
  if ([present.chain, present.key, present.root].every(exists)) return present;
  if (caProvider === gkeProvider)
    return {
      chain: `${credentialsFolder}/certificates.pem`,
      key: `${credentialsFolder}/private_key.pem`,
      root: `${credentialsFolder}/ca_certificates.pem`,
    };
  return fileMountedCerts ? filesIn(certsFolder) : undefined;
}

function filesIn(folder: string): IdentityFiles {
  return { chain: `${folder}/cert-chain.pem`, key: `${folder}/key.pem`, root: `${folder}/root-cert.pem` };
}

function caTarget(settings: SourceSettings, facts: Facts, problems: Problem[]): CaTarget | undefined {
  const { caAddress, discoveryAddress, provCert } = settings;
  const address = caAddress === '' ? discoveryAddress : caAddress;
  const { host, port } = splitAddress(address);
  if (host === '' || port === undefined) {
    problems.push(problem(`CA_ADDR "${address}" is not host:port`));
    return undefined;
  }
  // Istio's convention: 15010 is in the clear, for networks that protect themselves.
  if (port === 15_010) return { host, port, tls: undefined };
  const rootFile = caRoot(settings, facts, problems);
  const serverName = caAddress === '' && settings.istiodSan !== '' ? settings.istiodSan : expectedName(host);
  const clientFiles = provCert === '' ? undefined : filesIn(provCert);
  return { host, port, tls: { serverName, rootFile, clientFiles } };
}

/** A CA that is reached through a forwarded port shows istiod's name. */
function expectedName(host: string): string {
  return host.includes('localhost') ? 'istiod.istio-system.svc' : host;
}

/** The first that applies counts; a VM's root may come later, so only that one need not exist. */
function caRoot(settings: SourceSettings, { exists }: Facts, problems: Problem[]): string | undefined {
  const { caRootCa, pilotCertProvider, provCert } = settings;
  if (caRootCa === 'SYSTEM') return undefined;
  if (caRootCa === '' && pilotCertProvider !== 'custom') {
    if (provCert !== '') return `${provCert}/root-cert.pem`;
    if (pilotCertProvider === 'none') {
      problems.push(problem('PILOT_CERT_PROVIDER is none, but a CA is asked: CA_ROOT_CA tells its root'));
      return undefined;
    }
  }
  const path = caRootCa !== '' ? caRootCa : pilotCertProvider === 'custom' ? `${certsFolder}/root-cert.pem` : istioRoot;
  if (!exists(path)) problems.push(problem(`the CA's root is missing: ${path}`));
  return path;
}

/** `host:port`, `[::1]:port`. */
function splitAddress(address: string): { readonly host: string; readonly port: number | undefined } {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  return { host: bracketed ?? plain ?? '', port: port > 0 && port <= 65_535 ? port : undefined };
}

function sameFolder(a: string, b: string): boolean {
  const plain = (path: string): string => path.replace(/^\.\//, '').replace(/\/+$/, '');
  return plain(a) === plain(b);
}

function problem(message: string): Problem {
  return { code: 'usage', severity: 'error', message };
}
