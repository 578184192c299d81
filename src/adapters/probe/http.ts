// httpGet for probes and hooks. A probe passes with 200–399, follows up to ten redirects of the same host name and takes one to
// another host as a success with a warning; a hook passes with any answer. Certificates are not verified.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { dialError } from './dial.ts';
import type { Address, Verdict } from './verdict.ts';

export interface HttpGet {
  readonly path?: string | undefined;
  readonly scheme?: 'HTTP' | 'HTTPS' | undefined;
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[] | undefined;
}

const redirectLimit = 10;
const bodyLimitBytes = 10 * 1024;

export async function getForProbe(action: HttpGet, address: Address, timeoutMs: number): Promise<Verdict> {
  const signal = AbortSignal.timeout(timeoutMs);
  let url = urlOf(action, address);
  const first = url;
  try {
    for (let hops = 0; hops <= redirectLimit; hops++) {
      const { status, location } = await get(url, action, signal);
      const next = location === undefined ? undefined : new URL(location, url);
      if (status < 300 || status >= 400 || next === undefined) return verdictOf(status);
      if (next.hostname !== first.hostname) {
        return { result: 'warning', message: `Probe terminated redirects, Response body: ${next.href}` };
      }
      url = next;
    }
    return { result: 'failure', message: `Get "${first.href}": stopped after ${redirectLimit} redirects` };
  } catch (error) {
    return { result: 'failure', message: `Get "${first.href}": ${getError(address, error, signal)}` };
  }
}

export async function getForHook(action: HttpGet, address: Address, signal: AbortSignal): Promise<void> {
  const url = urlOf(action, address);
  try {
    await get(url, action, signal);
  } catch (error) {
    if (url.protocol !== 'https:' || !isPlainAnswer(error)) throw error;
    await get(urlOf({ ...action, scheme: 'HTTP' }, address), action, signal);
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
}

function get(url: URL, action: HttpGet, signal: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const own = Object.fromEntries((action.httpHeaders ?? []).map(({ name, value }) => [name.toLowerCase(), value]));
  const headers = { 'user-agent': 'kube-probe/1.37', accept: '*/*', connection: 'close', ...own };
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const sent = request(url, { headers, signal, agent: false, rejectUnauthorized: false }, (response) =>
    readAnswer(response, resolve, reject),
  );
  sent.on('error', reject);
  sent.end();
  return promise;
}

/** The body is read up to a limit and thrown away: a server that is cut off too early may count an error. */
function readAnswer(
  response: IncomingMessage,
  resolve: (answer: Answer) => void,
  reject: (error: Error) => void,
): void {
  let left = bodyLimitBytes;
  const end = () => resolve({ status: response.statusCode ?? 0, location: response.headers.location });
  response.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left > 0) return;
    end();
    response.destroy();
  });
  response.on('end', end);
  response.on('error', reject);
}

function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 400) return { result: 'success', message: '' };
  return { result: 'failure', message: `HTTP probe failed with statuscode: ${status}` };
}

function urlOf(action: HttpGet, address: Address): URL {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  const path = action.path ?? '/';
  return new URL(
    `${(action.scheme ?? 'HTTP').toLowerCase()}://${host}:${address.port}${path.startsWith('/') ? '' : '/'}${path}`,
  );
}

function getError(address: Address, error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  return error instanceof Error ? dialError(address, error) : String(error);
}

function isPlainAnswer(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPROTO' || error.code === 'ERR_SSL_WRONG_VERSION_NUMBER')
  );
}
