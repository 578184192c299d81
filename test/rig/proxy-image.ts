// Images of a sidecar: an Envoy from the package registry, an agent, and the iptables that `istio-init` calls, each with the libraries
// that it is linked with. Nothing of it is Istio's own image, so filters that only Istio's Envoy has are missing.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EnvoyVersion, envoyBinary, envoyVersions } from '../envoy/parts.ts';
import { busybox, goSource, goTools } from './build.ts';
import { importImage } from './image.ts';
import { put, withLibraries } from './root-folder.ts';
import { sh } from './shell.ts';

export interface ProxyParts {
  readonly envoy: EnvoyVersion;
  /** A program that is called as pilot-agent is; absent: pilot-agent itself. */
  readonly agent?: string | undefined;
}

/** The version, if it is one that this project knows the checksum of. */
export function envoyVersion(text: string): EnvoyVersion {
  const known = envoyVersions.find((version) => version === text);
  if (known === undefined) throw new Error(`Envoy ${text} is not one of ${envoyVersions.join(', ')}`);
  return known;
}

/** Puts a proxy image on the node; its entrypoint is the agent. */
export function importProxyImage(name: string, { envoy, agent }: ProxyParts): void {
  const root = mkdtempSync(join(tmpdir(), 'rig-proxy-'));
  try {
    withLibraries(root, envoyBinary(envoy), '/usr/local/bin/envoy');
    withLibraries(root, agent ?? join(goTools('istio'), 'pilot-agent'), '/usr/local/bin/pilot-agent');
    put(root, busybox(), '/bin/busybox');
    for (const applet of ['sh', 'sleep', 'cat', 'ls', 'kill', 'ps', 'wget', 'nc'])
      symlinkSync('busybox', join(root, 'bin', applet));
    const bootstrap = 'tools/packaging/common/envoy_bootstrap.json';
    put(root, join(goSource('istio', 'istio.io/istio'), bootstrap), '/var/lib/istio/envoy/envoy_bootstrap_tmpl.json');
    putIptables(root);
    for (const folder of ['etc', 'tmp', 'run']) mkdirSync(join(root, folder), { recursive: true });
    chmodSync(join(root, 'tmp'), 0o1777);
    importImage(name, root, ['/usr/local/bin/pilot-agent']);
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** Both variants under the names that callers try; which of them the kernel has is for them to find out. */
function putIptables(root: string): void {
  for (const variant of ['legacy', 'nft']) withLibraries(root, `/usr/sbin/xtables-${variant}-multi`);
  for (const family of ['iptables', 'ip6tables'])
    for (const verb of ['', '-save', '-restore'])
      for (const [kind, variant] of [
        ['', 'legacy'],
        ['-legacy', 'legacy'],
        ['-nft', 'nft'],
      ])
        symlinkSync(`xtables-${variant}-multi`, join(root, 'usr', 'sbin', `${family}${kind}${verb}`));
  const extensions = sh('sh', ['-c', 'echo /usr/lib/*/xtables']).trim();
  cpSync(extensions, join(root, extensions), { recursive: true });
}
