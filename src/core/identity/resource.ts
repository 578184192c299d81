// What the name of a secret asks for. Names are Istio's (pkg/security/security.go): control planes of every revision send them.

export type Resource =
  /** The workload's own certificate and key. */
  | { readonly kind: 'workload' }
  /** The roots by which the workload trusts its peers. */
  | { readonly kind: 'roots' }
  | { readonly kind: 'key-pair'; readonly certificate: string; readonly key: string }
  | { readonly kind: 'root-file'; readonly path: string }
  /** The roots that the operating system trusts. */
  | { readonly kind: 'system-roots' }
  /** A name of files that names no files. */
  | { readonly kind: 'malformed'; readonly problem: string };

export const workloadName = 'default';
export const rootsName = 'ROOTCA';
const pairPrefix = 'file-cert:';
const rootPrefix = 'file-root:';

/** Every other name asks for the workload's certificate, as Istio's agent answers it: `default` is only the usual one. */
export function resourceOf(name: string): Resource {
  if (name === rootsName) return { kind: 'roots' };
  if (name === `${rootPrefix}system`) return { kind: 'system-roots' };
  if (name.startsWith(rootPrefix)) return rootFile(name.slice(rootPrefix.length));
  if (name.startsWith(pairPrefix)) return keyPair(name.slice(pairPrefix.length));
  return { kind: 'workload' };
}

function rootFile(path: string): Resource {
  return path === '' || path.includes('~')
    ? { kind: 'malformed', problem: `${rootPrefix}${path}: one path is wanted` }
    : { kind: 'root-file', path };
}

function keyPair(paths: string): Resource {
  const [certificate = '', key = '', ...more] = paths.split('~');
  return certificate === '' || key === '' || more.length > 0
    ? {
        kind: 'malformed',
        problem: `${pairPrefix}${paths}: wanted are the paths of certificate and key, with ~ between`,
      }
    : { kind: 'key-pair', certificate, key };
}
