// Merged metrics: the agent's own, Envoy's, the application's last, since its `# EOF` may end the text. Concatenated, not
// parsed; a part that fails is left out and counted, the answer stays 200. Source: sidecar.md 2.8.
import type { ScrapeTarget } from '../../../core/proxy/index.ts';
import type { Answer, Asked, Fetched, Handler, Host, Opened } from '../../../ports/host.ts';
import type { Log } from '../log.ts';

interface Merging {
  readonly host: Host;
  readonly log: Log;
  readonly targets: readonly ScrapeTarget[];
  /** Where Envoy and the application are asked. */
  readonly loopback: string;
  /** 0: Envoy's metrics are left out. */
  readonly envoyPort: number;
  readonly startedAfterMs: () => number | undefined;
}

type Part = 'application' | 'envoy';

const targetBytesAtMost = 10 * 2 ** 20;
const defaultTimeoutMs = 10_000;
const plainText = 'text/plain; version=0.0.4; charset=utf-8';

/** Answers `/metrics` and `/stats/prometheus`. */
export function metricsHandler(merging: Merging): Handler {
  const failures: Record<Part, number> = { application: 0, envoy: 0 };
  let scrapes = 0;
  return async (asked) => {
    scrapes++;
    const failed = (part: Part, problem: string): void => {
      failures[part]++;
      merging.log('warn', 'a part of the metrics is missing', { part, problem });
    };
    const [envoy, apps] = await Promise.all([openEnvoy(merging, asked), fetchApps(merging, asked)]);
    const bodies = apps.flatMap((answer) => (isGood(answer) ? [answer] : []));
    for (const answer of apps) if (!isGood(answer)) failed('application', problemOf(answer));
    if (envoy !== undefined && !isGood(envoy)) failed('envoy', problemOf(envoy));
    const own = ownMetrics(merging, scrapes, failures);
    const body = concatenated(own, envoy !== undefined && isGood(envoy) ? envoy : undefined, bodies, failed);
    return { status: 200, headers: { 'content-type': contentType(bodies) }, body } satisfies Answer;
  };
}

type Good<T> = Extract<T, { kind: 'answer' }>;

function isGood<T extends Fetched | Opened>(answer: T): answer is Good<T> {
  return answer.kind === 'answer' && answer.status === 200 && !('cut' in answer && answer.cut);
}

function problemOf(answer: Fetched | Opened): string {
  if (answer.kind === 'failed') return answer.problem;
  return answer.status === 200 ? `more than ${targetBytesAtMost} bytes` : `status ${answer.status}`;
}

async function openEnvoy({ host, loopback, envoyPort }: Merging, asked: Asked): Promise<Opened | undefined> {
  if (envoyPort === 0) return undefined;
  const path = `/stats/prometheus${asked.query === '' ? '' : `?${asked.query}`}`;
  return host.net.open({ method: 'GET', host: loopback, port: envoyPort, path, ...asking(asked, 'text/plain') });
}

function fetchApps({ host, loopback, targets }: Merging, asked: Asked): Promise<Fetched[]> {
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
  return Promise.all(
    targets.map(({ port, path }) =>
      host.net.fetch({
        method: 'GET',
        host: loopback,
        port,
        path,
        maxBytes: targetBytesAtMost,
        ...asking(asked, accept),
      }),
    ),
  );
}

/** Prometheus tells how long it waits; its name is passed on, so that an application can tell scrapes apart. */
function asking(
  { headers }: Asked,
  accept: string,
): { readonly headers: Record<string, string>; readonly timeoutMs: number } {
  const seconds = headers['x-prometheus-scrape-timeout-seconds'];
  const agent = headers['user-agent'];
  const ms = Number(seconds) * 1000;
  return {
    headers: {
      accept,
      ...(typeof seconds === 'string' ? { 'x-prometheus-scrape-timeout-seconds': seconds } : {}),
      ...(typeof agent === 'string' ? { 'user-agent': agent } : {}),
    },
    timeoutMs: ms > 0 ? ms : defaultTimeoutMs,
  };
}

async function* concatenated(
  own: string,
  envoy: Good<Opened> | undefined,
  apps: readonly Good<Fetched>[],
  failed: (part: Part, problem: string) => void,
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(own);
  try {
    if (envoy !== undefined) yield* envoy.body;
  } catch (error) {
    failed('envoy', String(error));
    yield encoder.encode('\n'); // what came so far may end within a line
  }
  const single = apps.length === 1 || sameOpenMetrics(apps) !== undefined;
  for (const [i, { body }] of apps.entries()) yield i === apps.length - 1 && single ? body : withoutEof(body);
}

/** One `# EOF` at most, at the very end, and only where every part is of one OpenMetrics format. */
function withoutEof(body: Uint8Array): Uint8Array {
  return new TextEncoder().encode(new TextDecoder().decode(body).replace(/# EOF\s*$/, ''));
}

function contentType(apps: readonly Good<Fetched>[]): string {
  const [only] = apps;
  if (apps.length === 1 && only !== undefined) return typeOf(only) ?? plainText;
  return sameOpenMetrics(apps) ?? plainText;
}

function sameOpenMetrics(apps: readonly Good<Fetched>[]): string | undefined {
  const [first] = apps;
  const type = first === undefined ? undefined : typeOf(first);
  return type?.startsWith('application/openmetrics-text') === true && apps.every((app) => typeOf(app) === type)
    ? type
    : undefined;
}

/** Only the two formats of Prometheus are passed on as a type. */
function typeOf({ headers }: Good<Fetched>): string | undefined {
  const type = headers['content-type'];
  return typeof type === 'string' && /^(?:text\/plain|application\/openmetrics-text)\b/.test(type) ? type : undefined;
}

function ownMetrics(
  { host, startedAfterMs }: Merging,
  scrapes: number,
  failures: Readonly<Record<Part, number>>,
): string {
  const ready = startedAfterMs();
  const lines = [
    '# TYPE istio_agent_scrapes_total counter',
    `istio_agent_scrapes_total ${scrapes}`,
    '# TYPE istio_agent_scrape_failures_total counter',
    ...Object.entries(failures).map(([part, n]) => `istio_agent_scrape_failures_total{type="${part}"} ${n}`),
    '# TYPE istio_agent_process_resident_memory_bytes gauge',
    `istio_agent_process_resident_memory_bytes ${host.processes.residentBytes()}`,
  ];
  if (ready !== undefined)
    lines.push(
      '# TYPE istio_agent_startup_duration_seconds gauge',
      `istio_agent_startup_duration_seconds ${ready / 1000}`,
    );
  return `${lines.join('\n')}\n`;
}
