// One file by HTTP: redirects followed, a certificate checked unless the host is named as insecure, again after failures that may pass.
// Bounded in bytes and in time. Owns nothing of what the file is.
import type { Fetched, Host } from '../../../ports/host.ts';

export interface Downloads {
  readonly host: Pick<Host, 'net' | 'clock'>;
  readonly insecure: (host: string) => boolean;
  readonly requestTimeoutMs: number;
  readonly attempts: number;
  readonly maxBytes: number;
}

export interface Wanted {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** By the host's clock; nothing is begun after it. */
  readonly untilMs: number;
}

export type Answer = Extract<Fetched, { readonly kind: 'answer' }>;
export type Downloaded = Answer | { readonly kind: 'failed'; readonly problem: string };

const redirectsAtMost = 10;
const firstPauseMs = 500;

/** The last answer, whatever its status; failed where there was none. */
export async function download(downloads: Downloads, wanted: Wanted): Promise<Downloaded> {
  const { clock } = downloads.host;
  let pauseMs = firstPauseMs;
  for (let attempt = 1; ; attempt++) {
    const answer = await follow(downloads, wanted);
    const isLast = attempt >= downloads.attempts || clock.nowMs() + pauseMs >= wanted.untilMs;
    if (!mayPass(answer) || isLast) return answer;
    await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    pauseMs *= 2;
  }
}

/** What a server says for good is not asked again: 501, 505 and 511, as Istio's agent. */
function mayPass(answer: Downloaded): boolean {
  return answer.kind === 'failed' || (answer.status >= 500 && ![501, 505, 511].includes(answer.status));
}

async function follow(downloads: Downloads, wanted: Wanted): Promise<Downloaded> {
  let { url, headers = {} } = wanted;
  for (let redirects = 0; redirects <= redirectsAtMost; redirects++) {
    const answer = await request(downloads, { ...wanted, url, headers });
    const location =
      answer.kind === 'answer' && answer.status >= 300 && answer.status < 400 && answer.headers['location'];
    if (typeof location !== 'string') return answer;
    const next = URL.parse(location, url);
    if (next === null) return { kind: 'failed', problem: `a redirect to nowhere: ${location}` };
    // What tells who we are is for the first host only.
    if (next.host !== new URL(url).host) headers = {};
    url = next.href;
  }
  return { kind: 'failed', problem: `more than ${redirectsAtMost} redirects` };
}

async function request(downloads: Downloads, { url, headers = {}, untilMs }: Wanted): Promise<Downloaded> {
  const { host, insecure, requestTimeoutMs, maxBytes } = downloads;
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol))
    return { kind: 'failed', problem: `${url} is no address of HTTP` };
  const tls = parsed.protocol === 'https:';
  const leftMs = untilMs - host.clock.nowMs();
  if (leftMs <= 0) return { kind: 'failed', problem: 'no time is left' };
  const answer = await host.net.fetch({
    method: 'GET',
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? (tls ? 443 : 80) : Number(parsed.port),
    path: `${parsed.pathname}${parsed.search}`,
    headers: { host: parsed.host, ...headers },
    tls,
    verify: !insecure(parsed.host) && !insecure(parsed.hostname),
    timeoutMs: Math.min(requestTimeoutMs, leftMs),
    maxBytes,
  });
  if (answer.kind === 'answer' && answer.cut) return { kind: 'failed', problem: `more than ${maxBytes} bytes` };
  return answer;
}
