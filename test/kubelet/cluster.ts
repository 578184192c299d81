// The rig's API server as a test needs it: requests with the administrator's token, and a watch that calls back with each change.
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { layout } from '../rig/layout.ts';

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: unknown;
}

/** One request; rejects with what the server said when it refuses. */
export async function ask(method: string, path: string, body?: unknown): Promise<string> {
  const response = await send(method, path, body);
  const said = await text(response);
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${said}`);
  return said;
}

/** Resolves once the watch is on; `stop` ends it. */
export async function watch(path: string, onChange: (change: Change) => void): Promise<() => void> {
  const response = await send('GET', `${path}?watch=true`);
  createInterface({ input: response }).on('line', (line) => onChange(JSON.parse(line) as Change));
  response.on('error', () => undefined); // it is ended by us
  return () => response.destroy();
}

function send(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
  const { clusters, users } = JSON.parse(readFileSync(layout.kubeconfig, 'utf8')) as Kubeconfig;
  const { server, 'certificate-authority-data': ca } = clusters[0].cluster;
  const headers = { authorization: `Bearer ${users[0].user.token}`, 'content-type': 'application/json' };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent = request(`${server}${path}`, { method, headers, ca: Buffer.from(ca, 'base64'), agent: false }, resolve);
  sent.on('error', reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
