// Signing by hardware (Intel's CryptoMB and QAT): the key is handed to Envoy inside a provider's configuration instead of beside the
// certificate. Chosen by ProxyConfig's `privateKeyProvider`; only Envoys that are built with the provider take it.
import { parseDurationMs } from '../std/duration.ts';
import { encode } from '../wire/index.ts';

export interface KeyProvider {
  readonly name: 'cryptomb' | 'qat';
  readonly pollDelayNs: number;
  /** Whether Envoy may sign by itself where the hardware is missing. */
  readonly fallback: boolean;
}

/** From ProxyConfig as JSON; undefined: Envoy signs by itself. */
export function keyProviderOf(config: Readonly<Record<string, unknown>>): KeyProvider | undefined {
  const chosen = objectIn(config, 'privateKeyProvider');
  for (const name of ['cryptomb', 'qat'] as const) {
    const settings = chosen && objectIn(chosen, name);
    if (settings !== undefined)
      return { name, pollDelayNs: nanoseconds(settings['pollDelay']), fallback: settings['fallback'] === true };
  }
  return undefined;
}

const types = {
  cryptomb: 'cryptomb.v3alpha.CryptoMbPrivateKeyMethodConfig',
  qat: 'qat.v3alpha.QatPrivateKeyMethodConfig',
};

/** envoy.extensions.transport_sockets.tls.v3.PrivateKeyProvider; `key` is a DataSource. */
export function keyProviderMessage({ name, pollDelayNs, fallback }: KeyProvider, key: Uint8Array): Uint8Array {
  const delay = encode([1, Math.floor(pollDelayNs / 1e9)], [2, pollDelayNs % 1e9]);
  const type = `type.googleapis.com/envoy.extensions.private_key_providers.${types[name]}`;
  return encode([1, name], [3, encode([1, type], [2, encode([1, key], [2, delay])])], [4, fallback]);
}

function objectIn(
  from: Readonly<Record<string, unknown>>,
  name: string,
): Readonly<Record<string, unknown>> | undefined {
  const value = from[name];
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}

function nanoseconds(text: unknown): number {
  return Math.round((typeof text === 'string' ? (parseDurationMs(text) ?? 0) : 0) * 1e6);
}
