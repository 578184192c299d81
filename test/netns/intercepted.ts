// Where connections go in a namespace whose traffic is intercepted: listeners in place of the proxy and of an application, and a look from each side.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Namespace, namespace, podAddress } from './namespace.ts';

const connector = fileURLToPath(new URL('connector.ts', import.meta.url));
export const proxyUser = '1337';
export const all = [
  '-p',
  '15001',
  '-z',
  '15006',
  '-u',
  proxyUser,
  '-m',
  'REDIRECT',
  '-i',
  '*',
  '-x',
  '',
  '-b',
  '*',
  '-d',
  '15090,15021,15020',
];

export async function listen(ns: Namespace, address: string, port: number, name: string): Promise<void> {
  const child = ns.start(process.execPath, connector, 'listen', address, String(port), name);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
}

export function connectFrom(ns: Namespace, address: string, port: number, user = ''): string {
  return ns.run(process.execPath, connector, 'connect', address, String(port), ...(user === '' ? [] : [user])).output;
}

/** Listeners in place of the proxy and of an application. */
export async function intercepted(t: TestContext, ...more: readonly string[]): Promise<Namespace> {
  const ns = namespace(t);
  assert.equal(ns.iptables(...all, ...more).status, 0);
  await Promise.all([
    listen(ns, '0.0.0.0', 15_001, 'outbound'),
    listen(ns, '0.0.0.0', 15_006, 'inbound'),
    listen(ns, '0.0.0.0', 8080, 'app'),
  ]);
  return ns;
}

/** Outbound, inbound, the application to itself, probes, the proxy. */
export function assertWhere(ns: Namespace): void {
  const rows: readonly (readonly [who: string, address: string, port: number, answer: RegExp])[] = [
    ['', '203.0.113.7', 80, /^outbound from/],
    ['', '127.0.0.1', 8080, /^app from/],
    ['', podAddress.v4, 8080, /^app from/],
    [proxyUser, podAddress.v4, 8080, /^inbound from/],
    [proxyUser, '127.0.0.1', 8080, /^app from/],
    [proxyUser, '203.0.113.7', 80, /time-out|EHOSTUNREACH|ENETUNREACH/],
    [proxyUser, podAddress.v4, 15_008, /ECONNREFUSED/],
  ];
  for (const [who, address, port, answer] of rows)
    assert.match(connectFrom(ns, address, port, who), answer, `${who} → ${address}:${port}`);
}
