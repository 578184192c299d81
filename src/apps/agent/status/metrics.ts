// Merged metrics: the agent's own, Envoy's, the application's last, since its `# EOF` may end the text. Concatenated, not
// parsed; a part that fails is left out and counted, the answer stays 200. Source: Istio's pilot/cmd/pilot-agent/status/server.go.
import {
  acceptFor,
  commonFormat,
  isOpenMetrics,
  type MetricsPart,
  type ScrapeTarget,
} from '../../../core/proxy/index.ts';
import type { Asked, Fetched, Handler, Host, HttpRequest, Opened } from '../../../ports/host.ts';
import type { Log } from '../log.ts';

interface Merging {
  readonly host: Host;
  readonly log: Log;
  readonly targets: readonly ScrapeTarget[];
  /** Where Envoy and the application are asked. */
  readonly loopback: string;
  /** 0: Envoy's metrics are left out. */
  readonly envoyPort: number;
  /** The agent's own, as text, from how often was scraped and how often a part failed. */
  readonly own: (scrapes: Scrapes) => string;
}

export interface Scrapes {
  readonly total: number;
  readonly failures: Readonly<Record<MetricsPart, number>>;
}

type Failed = (part: MetricsPart, problem: string) => void;

/** A part of the text. */
interface Piece {
  readonly part: MetricsPart;
  readonly body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const targetBytesAtMost = 10 * 2 ** 20;
const defaultTimeoutMs = 10_000;

/** Answers `/metrics` and `/stats/prometheus`. */
export function metricsHandler(merging: Merging): Handler {
  const failures: Record<MetricsPart, number> = { application: 0, envoy: 0 };
  let total = 0;
  return async (asked) => {
    total++;
    const failed: Failed = (part, problem) => {
      failures[part]++;
      merging.log('warn', 'a part of the metrics is missing', { part, problem });
    };
    const [envoy, apps] = await Promise.all([
      envoyPiece(merging, asked, failed),
      merging.targets.length > 1 ? severalApps(merging, asked, failed) : oneApp(merging, asked, failed),
    ]);
    const own = merging.own({ total, failures });
    const body = concatenated(own, [...envoy, ...apps.pieces], failed);
    return { status: 200, headers: { 'content-type': apps.format }, body };
  };
}

async function envoyPiece(merging: Merging, asked: Asked, failed: Failed): Promise<readonly Piece[]> {
  const { host, loopback, envoyPort: port } = merging;
  if (port === 0) return [];
  const path = `/stats/prometheus${asked.query === '' ? '' : `?${asked.query}`}`;
  const answer = await host.net.open({ ...asking(asked, 'envoy'), host: loopback, port, path });
  if (isGood(answer)) return [{ part: 'envoy', body: answer.body }];
  failed('envoy', problemOf(answer));
  return [];
}

interface Apps {
  readonly pieces: readonly Piece[];
  readonly format: string;
}

/** The usual one is never held: its end is its own. */
async function oneApp({ host, loopback, targets: [target] }: Merging, asked: Asked, failed: Failed): Promise<Apps> {
  if (target === undefined) return { pieces: [], format: commonFormat([]) };
  const answer = await host.net.open({ ...asking(asked, 'application'), host: loopback, ...target });
  if (isGood(answer))
    return { pieces: [{ part: 'application', body: answer.body }], format: commonFormat([typeOf(answer)]) };
  failed('application', problemOf(answer));
  return { pieces: [], format: commonFormat([]) };
}

/** Several are held, because each may end the text, and only the last one may. */
async function severalApps({ host, loopback, targets }: Merging, asked: Asked, failed: Failed): Promise<Apps> {
  const request = { ...asking(asked, 'application'), host: loopback, maxBytes: targetBytesAtMost };
  const answers = await Promise.all(targets.map((target) => host.net.fetch({ ...request, ...target })));
  for (const answer of answers) if (!isGood(answer)) failed('application', problemOf(answer));
  const good = answers.filter(isGood);
  const format = commonFormat(good.map(typeOf));
  const end = isOpenMetrics(format) ? [encoder.encode('# EOF\n')] : [];
  const body = [...good.map((answer) => withoutEnd(answer.body)), ...end];
  return { pieces: [{ part: 'application', body }], format };
}

type Good<T> = Extract<T, { kind: 'answer' }>;

function isGood<T extends Fetched | Opened>(answer: T): answer is Good<T> {
  return answer.kind === 'answer' && answer.status === 200 && !('cut' in answer && answer.cut);
}

function problemOf(answer: Fetched | Opened): string {
  if (answer.kind === 'failed') return answer.problem;
  return answer.status === 200 ? `more than ${targetBytesAtMost} bytes` : `status ${answer.status}`;
}

function typeOf({ headers }: Good<Fetched | Opened>): string | undefined {
  const type = headers['content-type'];
  return typeof type === 'string' ? type : undefined;
}

/** Prometheus tells how long it waits; its name is passed on, so that an application can tell scrapes apart. */
function asking({ headers }: Asked, part: MetricsPart): Pick<HttpRequest, 'method' | 'headers' | 'timeoutMs'> {
  const { accept, 'user-agent': agent, 'x-prometheus-scrape-timeout-seconds': seconds } = headers;
  const ms = Number(seconds) * 1000;
  return {
    method: 'GET',
    headers: {
      accept: acceptFor(typeof accept === 'string' ? accept : undefined, part),
      ...(typeof seconds === 'string' ? { 'x-prometheus-scrape-timeout-seconds': seconds } : {}),
      ...(typeof agent === 'string' ? { 'user-agent': agent } : {}),
    },
    timeoutMs: ms > 0 ? ms : defaultTimeoutMs,
  };
}

const encoder = new TextEncoder();

async function* concatenated(own: string, pieces: readonly Piece[], failed: Failed): AsyncIterable<Uint8Array> {
  yield encoder.encode(own);
  for (const { part, body } of pieces) {
    try {
      yield* body;
    } catch (error) {
      failed(part, String(error));
      yield encoder.encode('\n'); // what came so far may end within a line
    }
  }
}

const eof = encoder.encode('# EOF');
const lineFeed = 10;

/** Without `# EOF` at its end, and ending in a line break. */
function withoutEnd(body: Uint8Array): Uint8Array {
  let end = body.length;
  while (end > 0 && ' \t\r\n'.includes(String.fromCharCode(body[end - 1] ?? 0))) end--;
  const start = end - eof.length;
  const isEof = start >= 0 && eof.every((byte, i) => body[start + i] === byte);
  const kept = isEof ? body.subarray(0, start) : body;
  if (kept.length === 0 || kept.at(-1) === lineFeed) return kept;
  const ended = new Uint8Array(kept.length + 1);
  ended.set(kept);
  ended[kept.length] = lineFeed;
  return ended;
}
