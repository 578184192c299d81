// References of OCI images, manifests, and what a registry answers to whom it does not know: read, nothing is asked. After
// github.com/google/go-containerregistry and the OCI distribution specification.
import { isObject, objectsAt, parseObject, textAt } from '../std/json.ts';

export interface ImageReference {
  /** host[:port]. */
  readonly registry: string;
  readonly repository: string;
  /** A tag, or `sha256:…`. */
  readonly identifier: string;
}

/** `registry/repository[:tag][@digest]`; without a registry it is Docker's. Undefined: no reference. */
export function parseImage(text: string): ImageReference | undefined {
  const [, path = '', tag, digest] = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text) ?? [];
  const [first = '', ...rest] = path.split('/');
  const hasRegistry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  const repository = hasRegistry ? rest.join('/') : rest.length === 0 ? `library/${first}` : path;
  if (!/^[a-z0-9]+(?:[._\-/]+[a-z0-9]+)*$/.test(repository)) return undefined;
  const registry = !hasRegistry || first === 'docker.io' ? 'index.docker.io' : first;
  return { registry, repository, identifier: digest ?? tag ?? 'latest' };
}

export interface Layer {
  readonly digest: string;
  readonly kind: 'archive' | 'module';
}

const archives = ['application/vnd.docker.image.rootfs.diff.tar.gzip', 'application/vnd.oci.image.layer.v1.tar+gzip'];
const moduleType = 'application/vnd.module.wasm.content.layer.v1+wasm';

/** The layer with the module, by the variants of the Wasm image specification; or why there is none. */
export function layerOf(manifest: string): Layer | string {
  const data = parseObject(manifest);
  if (data === undefined) return 'the manifest is no JSON';
  const layers = objectsAt(data, 'layers').map((layer) => ({
    digest: textAt(layer, 'digest') ?? '',
    mediaType: textAt(layer, 'mediaType') ?? '',
  }));
  const module = layers.find(({ mediaType }) => mediaType === moduleType);
  const last = layers.at(-1);
  if (last !== undefined && archives.includes(last.mediaType)) return { digest: last.digest, kind: 'archive' };
  if (module !== undefined) return { digest: module.digest, kind: 'module' };
  return `no layer of the image is a Wasm module: ${layers.map(({ mediaType }) => mediaType).join(', ') || 'it has none'}`;
}

export const manifestTypes = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
].join(', ');

export interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly realm: string;
  readonly service: string;
  readonly scope: string;
}

/** Of a WWW-Authenticate header; undefined: none that can be met. */
export function parseChallenge(header: string): Challenge | undefined {
  const scheme = /^\s*(basic|bearer)\b/i.exec(header)?.[1]?.toLowerCase();
  if (scheme !== 'basic' && scheme !== 'bearer') return undefined;
  const part = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(header)?.[1] ?? '';
  return { scheme, realm: part('realm'), service: part('service'), scope: part('scope') };
}

/** A registry must not send the agent, and a secret with it, to the machine itself, its network, or the cloud's metadata. */
export function isSafeRealm(realm: string): boolean {
  const [, host = ''] = /^https?:\/\/(?:[^/@]*@)?(\[[^\]]+\]|[^:/?#]+)/i.exec(realm) ?? [];
  if (host === '' || /^(?:localhost|metadata\.google\.internal)$/i.test(host)) return false;
  if (host.startsWith('[')) return !/^\[(?:::1|f[cd]|fe[89ab]|::ffff:)/i.test(host);
  return !/^(?:10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\./.test(host);
}

/** User and password for a registry from the text of a pull secret (`.dockerconfigjson`), as `user:password` in base64. */
export function credentialIn(secret: string, registry: string): Credential | undefined {
  const auths = parseObject(secret)?.['auths'];
  if (!isObject(auths)) return undefined;
  const bare = (name: string): string => name.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  const found = Object.entries(auths).find(([name]) => bare(name) === registry)?.[1];
  if (!isObject(found)) return undefined;
  const auth = textAt(found, 'auth');
  if (auth !== undefined) return { kind: 'encoded', text: auth };
  return { kind: 'plain', user: textAt(found, 'username') ?? '', password: textAt(found, 'password') ?? '' };
}

export type Credential =
  | { readonly kind: 'encoded'; readonly text: string }
  | { readonly kind: 'plain'; readonly user: string; readonly password: string };
