// From an HTTP request to an answer: finds the route, reads the body, calls the reviewer, writes the review, counts and logs it.
import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { type Answer, writeReview } from '../../core/admission/index.ts';
import { type Request, readBody } from './body.ts';
import type { Metrics } from './metrics.ts';

export type Response = ServerResponse | Http2ServerResponse;

/** What a reviewer says of one body. */
export type Reviewed =
  | { readonly kind: 'malformed'; readonly message: string }
  | {
      readonly kind: 'answered';
      readonly answer: Answer;
      readonly verdict: string;
      readonly because: string;
      readonly dryRun: boolean;
      /** Done after the answer is sent. */
      readonly afterwards?: () => void;
    };

/** A reviewer for the rest of the path behind its prefix, or undefined for a path that it does not serve. */
export interface Route {
  readonly prefix: string;
  readonly label: string;
  /** How deep a body may nest, for reviewers that walk all of it; the parser itself takes any depth. */
  readonly deepest?: number;
  readonly reviewer: (rest: string) => ((body: unknown) => Reviewed) | undefined;
}

export interface RouteWorld {
  readonly routes: readonly Route[];
  readonly metrics: Metrics;
  readonly isDraining: () => boolean;
  readonly onError: (error: unknown) => void;
}

/** Answers one request; never rejects. */
export async function answerRequest(request: Request, response: Response, world: RouteWorld): Promise<void> {
  world.metrics.inFlight.inc();
  try {
    await answer(request, response, world);
  } catch (error) {
    world.onError(error);
    refuse(response, { status: 500, message: 'internal error' }, world);
  } finally {
    world.metrics.inFlight.dec();
  }
}

async function answer(request: Request, response: Response, world: RouteWorld): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const found = find(world.routes, path);
  if (found === undefined) return refuse(response, { status: 404, message: `nothing is served at ${path}` }, world);
  if (request.method !== 'POST')
    return refuse(response, { status: 405, message: 'only POST', headers: { allow: 'POST' } }, world);
  const body = await readBody(request, found.deepest);
  if (body.kind === 'gone') return;
  if (body.kind === 'refused') return refuse(response, body, world);
  const started = performance.now();
  const reviewed = found.review(body.value);
  if (reviewed.kind === 'malformed') return refuse(response, { status: 400, message: reviewed.message }, world);
  send(response, { type: 'application/json', text: JSON.stringify(writeReview(reviewed.answer, base64)) }, world);
  const { label } = found;
  world.metrics.seconds.observe({ path: label }, (performance.now() - started) / 1000);
  world.metrics.reviews.inc({
    path: label,
    verdict: reviewed.verdict,
    because: reviewed.because,
    dry_run: String(reviewed.dryRun),
  });
  reviewed.afterwards?.();
}

interface Found {
  readonly review: (body: unknown) => Reviewed;
  readonly label: string;
  readonly deepest: number | undefined;
}

function find(routes: readonly Route[], path: string): Found | undefined {
  for (const { prefix, label, deepest, reviewer } of routes) {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    const review = reviewer(path.slice(prefix.length + 1));
    if (review !== undefined) return { review, label, deepest };
  }
  return undefined;
}

interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What was not read is not waited for: the connection ends with the answer. */
function refuse(response: Response, { status, message, headers }: Refusal, world: RouteWorld): void {
  world.metrics.refused.inc({ status: String(status) });
  if (response.headersSent) return;
  if (response.req.httpVersionMajor === 1) response.setHeader('connection', 'close');
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  response.statusCode = status;
  send(response, { type: 'text/plain; charset=utf-8', text: `${message}\n` }, world);
}

interface Content {
  readonly type: string;
  readonly text: string;
}

function send(response: Response, { type, text }: Content, { isDraining }: RouteWorld): void {
  const bytes = Buffer.from(text);
  // HTTP/1.1 has no other way to ask a client to go elsewhere; HTTP/2 sessions are told by the server.
  if (isDraining() && response.req.httpVersionMajor === 1) response.setHeader('connection', 'close');
  response.setHeader('content-type', type);
  response.setHeader('content-length', bytes.length);
  response.end(bytes);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
