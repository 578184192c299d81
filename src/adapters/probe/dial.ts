// The words in which Go tells that a connection failed: they are what users of kubectl know.
import type { Address } from './verdict.ts';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by peer',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
};

export function dialError(address: Address, error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  return `dial tcp ${address.host}:${address.port}: connect: ${words[code] ?? error.message}`;
}
