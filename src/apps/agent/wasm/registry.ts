// A module out of an OCI image: the manifest, whom the registry asks for, the layer. Owns the order of the requests; what they mean is in
// core/wasm.
import { base64 } from '../../../core/std/base64.ts';
import { sha256Hex } from '../../../core/std/sha256.ts';
import { utf8 } from '../../../core/std/utf8.ts';
import {
  type Challenge,
  type Credential,
  credentialIn,
  type ImageReference,
  isSafeRealm,
  layerOf,
  manifestTypes,
  parseChallenge,
  parseImage,
} from '../../../core/wasm/index.ts';
import { type Answer, type Downloaded, type Downloads, download } from './download.ts';

export interface Pull {
  /** Without `oci://`. */
  readonly image: string;
  readonly pullSecret: string | undefined;
  readonly untilMs: number;
}

export type Manifest =
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'manifest'; readonly sha256: string; readonly layer: () => Promise<LayerBytes> };

export type LayerBytes =
  | { readonly kind: 'failed'; readonly problem: string }
  | { readonly kind: 'layer'; readonly bytes: Uint8Array };

/** The manifest; its layer is downloaded only where it is asked for. */
export async function pull(downloads: Downloads, wanted: Pull): Promise<Manifest> {
  const reference = parseImage(wanted.image);
  if (reference === undefined) return failed(`${wanted.image} is no reference of an image`);
  const registry = registryOf(downloads, reference, wanted);
  const answer = await registry(`manifests/${reference.identifier}`, manifestTypes);
  if (answer.kind === 'failed') return answer;
  const sha256 = sha256Hex(answer.body);
  if (reference.identifier.includes(':') && reference.identifier !== `sha256:${sha256}`)
    return failed(`the manifest has digest sha256:${sha256} instead of ${reference.identifier}`);
  const layer = layerOf(new TextDecoder().decode(answer.body));
  if (typeof layer === 'string') return failed(layer);
  return {
    kind: 'manifest',
    sha256,
    layer: async () => {
      const blob = await registry(`blobs/${layer.digest}`, '*/*');
      if (blob.kind === 'failed') return blob;
      const found = `sha256:${sha256Hex(blob.body)}`;
      return found === layer.digest
        ? { kind: 'layer', bytes: blob.body }
        : failed(`the layer ${layer.digest} has digest ${found}`);
    },
  };
}

type Get = (path: string, accept: string) => Promise<Answer | { readonly kind: 'failed'; readonly problem: string }>;

/** Asks again once, with what the registry wants to be shown; that holds for what follows too. */
function registryOf(downloads: Downloads, { registry, repository }: ImageReference, wanted: Pull): Get {
  const base = `${isPlain(registry) ? 'http' : 'https'}://${registry}/v2/${repository}`;
  let authorization: string | undefined;
  return async (path, accept) => {
    const get = (): Promise<Downloaded> =>
      download(downloads, {
        url: `${base}/${path}`,
        headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
        untilMs: wanted.untilMs,
      });
    let answer = await get();
    if (answer.kind === 'answer' && answer.status === 401) {
      const shown = await authorizationFor(downloads, wanted, { registry, answer });
      if (shown.kind === 'failed') return shown;
      authorization = shown.value;
      answer = await get();
    }
    return answer.kind === 'failed' || answer.status === 200
      ? answer
      : failed(`${base}/${path}: status ${answer.status}`);
  };
}

/** Registries of the machine itself speak plain HTTP, as for Docker; TLS of a registry that is named as insecure is not verified. */
function isPlain(registry: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(registry);
}

interface Refused {
  readonly registry: string;
  readonly answer: Answer;
}

async function authorizationFor(
  downloads: Downloads,
  { pullSecret = '', untilMs }: Pull,
  { registry, answer }: Refused,
): Promise<{ readonly kind: 'shown'; readonly value: string } | { readonly kind: 'failed'; readonly problem: string }> {
  const challenge = parseChallenge(String(answer.headers['www-authenticate'] ?? ''));
  if (challenge === undefined) return failed(`${registry} asks for a credential in a way that is not known`);
  const basic = basicOf(credentialIn(pullSecret, registry));
  if (challenge.scheme === 'basic')
    return basic === undefined ? failed(`no credential for ${registry}`) : { kind: 'shown', value: basic };
  if (!isSafeRealm(challenge.realm)) return failed(`${registry} sends to ${challenge.realm}: not followed`);
  const headers = basic === undefined ? {} : { authorization: basic };
  const token = await download(downloads, { url: tokenUrl(challenge), headers, untilMs });
  if (token.kind === 'failed') return token;
  const told = tokenIn(new TextDecoder().decode(token.body));
  return token.status === 200 && told !== undefined
    ? { kind: 'shown', value: `Bearer ${told}` }
    : failed(`${challenge.realm}: status ${token.status}, and no token`);
}

function basicOf(credential: Credential | undefined): string | undefined {
  if (credential === undefined) return undefined;
  return `Basic ${credential.kind === 'encoded' ? credential.text : base64(utf8(`${credential.user}:${credential.password}`))}`;
}

function tokenUrl({ realm, service, scope }: Challenge): string {
  const url = new URL(realm);
  if (service !== '') url.searchParams.set('service', service);
  if (scope !== '') url.searchParams.set('scope', scope);
  return url.href;
}

function tokenIn(text: string): string | undefined {
  try {
    const { token, access_token: access } = JSON.parse(text) as {
      readonly token?: unknown;
      readonly access_token?: unknown;
    };
    const found = token ?? access;
    return typeof found === 'string' && found !== '' ? found : undefined;
  } catch {
    return undefined;
  }
}

function failed(problem: string): { readonly kind: 'failed'; readonly problem: string } {
  return { kind: 'failed', problem };
}
