// All secrets by their names: each name leads to the workload's certificate, to roots, or to files. Owns which name is whose; the
// sources keep what they hold.
import {
  crlFile,
  type KeyProvider,
  type NamedSecret,
  type OwnSource,
  type Resource,
  resourceOf,
  type Secret,
} from '../../../core/identity/index.ts';
import { sha256Hex } from '../../../core/std/sha256.ts';
import { utf8 } from '../../../core/std/utf8.ts';
import type { Host } from '../../../ports/host.ts';
import type { FileSecrets } from './files.ts';
import type { Workload } from './workload.ts';

export interface Secrets {
  /** Undefined: not there yet, or no such secret. */
  readonly get: (name: string) => NamedSecret | undefined;
}

export interface SecretSources {
  readonly host: Host;
  readonly files: FileSecrets;
  /** Undefined: another server has the identity. */
  readonly own: OwnSource | undefined;
  /** Undefined: Envoy signs by itself. */
  readonly keyProvider: KeyProvider | undefined;
  /** Undefined: nothing comes from a CA. */
  readonly workload: () => Workload | undefined;
}

export function secretsFrom(sources: SecretSources): Secrets {
  return {
    get: (name) => {
      const secret = withProvider(sources, secretOf(sources, resourceOf(name)));
      return secret === undefined ? undefined : { name, version: versionOf(secret), secret };
    },
  };
}

function withProvider({ keyProvider }: SecretSources, secret: Secret | undefined): Secret | undefined {
  return secret?.kind === 'pair' && keyProvider !== undefined ? { ...secret, provider: keyProvider } : secret;
}

function secretOf(sources: SecretSources, resource: Resource): Secret | undefined {
  switch (resource.kind) {
    case 'workload':
      return ownPair(sources);
    case 'roots':
      return ownRoots(sources);
    case 'key-pair':
      return sources.files.pair({ chain: resource.certificate, key: resource.key });
    case 'root-file':
      return withCrl(sources, sources.files.roots(resource.path));
    case 'system-roots':
      return systemRoots(sources);
    case 'malformed':
      return undefined;
  }
}

function ownPair({ own, files, workload }: SecretSources): Secret | undefined {
  if (own === undefined) return undefined;
  if (own.pair !== undefined) return files.pair(own.pair);
  const held = workload()?.held();
  return held === undefined ? undefined : { kind: 'pair', chain: held.chain, key: held.key };
}

function ownRoots(sources: SecretSources): Secret | undefined {
  const { own, files, workload } = sources;
  if (own === undefined) return undefined;
  if (own.roots !== undefined) return withCrl(sources, files.roots(own.roots));
  const pem = workload()?.roots();
  return pem === undefined ? undefined : withCrl(sources, { kind: 'roots', pem, crlFile: undefined });
}

/** A CA that revokes puts its list there; Envoy reads it itself. */
function withCrl({ host }: SecretSources, secret: Secret | undefined): Secret | undefined {
  if (secret?.kind !== 'roots' || !host.files.exists(crlFile)) return secret;
  return { ...secret, crlFile };
}

/** Where distributions keep them, the common ones first. */
const systemFiles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
  '/usr/local/etc/ssl/cert.pem',
  '/etc/ssl/certs/ca-certificates',
];

function systemRoots(sources: SecretSources): Secret | undefined {
  const path = systemFiles.find((file) => sources.host.files.exists(file));
  return path === undefined ? undefined : withCrl(sources, sources.files.roots(path));
}

/** Nobody can read a key from it: a key has no part in it, and never changes without its certificate. */
function versionOf(secret: Secret): string {
  const text = secret.kind === 'pair' ? secret.chain : `${secret.crlFile ?? ''}\n${secret.pem}`;
  return sha256Hex(utf8(text)).slice(0, 16);
}
