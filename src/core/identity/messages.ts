// The messages of the secret discovery service and of Istio's certificate service, between bytes and values. Field numbers are those of
// envoy.service.discovery.v3, envoy.extensions.transport_sockets.tls.v3 and istio.v1.auth (security/v1alpha1/ca.proto).
import { utf8 } from '../std/utf8.ts';
import { encode, type Message, readMessage } from '../wire/index.ts';
import { type KeyProvider, keyProviderMessage } from './key-provider.ts';
import type { SecretRequest, StreamForm } from './stream.ts';

export const secretType = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret';
export const secretService = 'envoy.service.secret.v3.SecretDiscoveryService';
export const certificateService = 'istio.v1.auth.IstioCertificateService';

/** A secret as Envoy takes it. */
export type Secret =
  | { readonly kind: 'pair'; readonly chain: string; readonly key: string; readonly provider?: KeyProvider }
  /** `crlFile`: a list of revoked certificates that Envoy reads itself. */
  | { readonly kind: 'roots'; readonly pem: string; readonly crlFile: string | undefined };

export interface NamedSecret {
  readonly name: string;
  readonly version: string;
  readonly secret: Secret;
}

/** Undefined: these bytes are no request. */
export function readSecretRequest(form: StreamForm, bytes: Uint8Array): SecretRequest | undefined {
  const message = readMessage(bytes);
  if (message === undefined) return undefined;
  return form === 'delta'
    ? {
        names: message.texts(3),
        dropped: message.texts(4),
        known: knownVersions(message),
        nonce: message.text(6),
        refusal: refusalOf(message, 7),
      }
    : {
        names: message.texts(3),
        dropped: [],
        known: new Map(),
        nonce: message.text(5),
        refusal: refusalOf(message, 6),
      };
}

/** Entries of a map field are messages: 1 the key, 2 the value. */
function knownVersions(message: Message): ReadonlyMap<string, string> {
  const entries = message.all(5).flatMap((entry) => readMessage(entry) ?? []);
  return new Map(entries.map((entry) => [entry.text(1), entry.text(2)]));
}

function refusalOf(message: Message, field: number): string | undefined {
  return message.bytes(field) === undefined ? undefined : (message.message(field)?.text(2) ?? '');
}

export interface SecretAnswer {
  readonly version: string;
  readonly nonce: string;
  readonly secrets: readonly NamedSecret[];
}

export function secretResponse(form: StreamForm, { version, nonce, secrets }: SecretAnswer): Uint8Array {
  if (form === 'whole') {
    const resources = secrets.map((secret) => [2, anyOf(secret)] as const);
    return encode([1, version], ...resources, [4, secretType], [5, nonce]);
  }
  const resources = secrets.map((secret) => {
    const resource = encode([1, secret.version], [2, anyOf(secret)], [3, secret.name]);
    return [2, resource] as const;
  });
  return encode([1, version], ...resources, [4, secretType], [5, nonce]);
}

function anyOf({ name, secret }: NamedSecret): Uint8Array {
  return encode([1, secretType], [2, encode([1, name], contentOf(secret))]);
}

function contentOf(secret: Secret): readonly [number, Uint8Array] {
  if (secret.kind === 'pair') return [2, pairMessage(secret)];
  const crl = secret.crlFile === undefined ? undefined : encode([1, secret.crlFile]);
  return [4, encode([1, inline(secret.pem)], [7, crl])];
}

function pairMessage({ chain, key, provider }: Extract<Secret, { kind: 'pair' }>): Uint8Array {
  const signing =
    provider === undefined ? ([2, inline(key)] as const) : ([6, keyProviderMessage(provider, inline(key))] as const);
  return encode([1, inline(chain)], signing);
}

/** A DataSource with the bytes themselves. */
function inline(pem: string): Uint8Array {
  return encode([2, utf8(pem)]);
}

export interface CertificateOrder {
  /** PEM. */
  readonly csr: string;
  readonly lifeSeconds: number;
  /** Which signer of several the CA shall use; empty: its own. */
  readonly signer: string;
}

/** IstioCertificateRequest; the signer travels as a field of a google.protobuf.Struct. */
export function certificateOrder({ csr, lifeSeconds, signer }: CertificateOrder): Uint8Array {
  const value = encode([3, utf8(signer)]);
  const metadata = encode([1, encode([1, 'CertSigner'], [2, value])]);
  return encode([1, csr], [3, Math.floor(lifeSeconds)], [4, metadata]);
}

/** IstioCertificateResponse: the workload's certificate first, the root last. Undefined: malformed, or fewer than the two. */
export function certificateChain(bytes: Uint8Array): readonly string[] | undefined {
  const chain = readMessage(bytes)?.texts(1);
  return chain === undefined || chain.length < 2 ? undefined : chain;
}
