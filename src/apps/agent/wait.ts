// `wait`: a postStart hook that holds the application's start until the proxy is ready. Sleeps before each look, as upstream.
import type { Host } from '../../ports/host.ts';
import { count, text } from './kinds.ts';
import { readTable } from './table.ts';

const bounds = [0, 2 ** 31] as const;

export const waitTable = {
  url: text('http://localhost:15021/healthz/ready', { flag: 'url', doc: 'what must answer 200' }),
  periodMs: count('500', { flag: 'periodMillis', doc: 'milliseconds before each look' }, bounds),
  requestTimeoutMs: count('500', { flag: 'requestTimeoutMillis', doc: 'milliseconds for one look' }, bounds),
  timeoutSeconds: count('60', { flag: 'timeoutSeconds', doc: 'seconds in all' }, bounds),
};

/** 0 when ready; 69 when not within the time; 2 for a wrong call. */
export async function runWait(args: readonly string[], host: Host): Promise<number> {
  const { values, errors: ofFlags } = readTable(waitTable, args, {});
  const errors = URL.canParse(values.url) ? ofFlags : [...ofFlags, `--url ${values.url}: not a URL`];
  for (const error of errors) host.complain(`error: ${error}`);
  if (errors.length > 0) return 2;
  const url = new URL(values.url);
  const endMs = host.clock.nowMs() + values.timeoutSeconds * 1000;
  let last = 'not looked yet';
  while (host.clock.nowMs() + values.periodMs <= endMs) {
    await new Promise<void>((resolve) => host.clock.after(values.periodMs, resolve));
    const answer = await host.net.fetch({
      method: 'GET',
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || 80,
      path: `${url.pathname}${url.search}`,
      timeoutMs: values.requestTimeoutMs,
    });
    if (answer.kind === 'answer' && answer.status === 200) return 0;
    last = answer.kind === 'failed' ? answer.problem : `status ${answer.status}`;
  }
  host.complain(`error: the proxy is not ready within ${values.timeoutSeconds} s: ${last}`);
  return 69;
}
