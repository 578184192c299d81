// From an HTTP request to an answer: finds the route, reads the body, calls the reviewer, writes the review, counts and logs it.
import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { writeReview } from '../../core/admission/index.ts';
import { parseBody, type Request, readBody } from './body.ts';
import type { Metrics } from './metrics.ts';
import type { Circumstances, Remembered, ReviewMemory } from './review-memory.ts';
import type { Reviewed } from './reviewed.ts';

export type Response = ServerResponse | Http2ServerResponse;

export interface Reviewer {
  readonly review: (body: unknown) => Reviewed;
  /** What the answer depends on beside the body; for reviewers of a route that remembers. */
  readonly circumstances?: Circumstances;
}

export interface Route {
  readonly prefix: string;
  readonly label: string;
  /** How deep a body may nest, for reviewers that walk all of it; the parser itself takes any depth. */
  readonly deepest?: number;
  /** For reviewers whose answers depend on nothing but the body and their circumstances. */
  readonly memory?: ReviewMemory;
  /** A reviewer for the rest of the path behind the prefix, or undefined for a path that it does not serve. */
  readonly reviewer: (rest: string) => Reviewer | undefined;
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
  const path = pathOf(request);
  if (path === undefined) return refuse(response, { status: 400, message: 'the path is wrongly encoded' }, world);
  const found = find(world.routes, path);
  if (found === undefined) return refuse(response, { status: 404, message: `nothing is served at ${path}` }, world);
  if (request.method !== 'POST')
    return refuse(response, { status: 405, message: 'only POST', headers: { allow: 'POST' } }, world);
  const body = await readBody(request);
  if (body.kind === 'gone') return;
  if (body.kind === 'refused') return refuse(response, body, world);
  const started = performance.now();
  const outcome = recall(found, body.text) ?? reviewText(found, body.text);
  if ('status' in outcome) return refuse(response, outcome, world);
  const { reviewed, text } = outcome;
  send(response, { type: 'application/json', text }, world);
  const { label } = found.route;
  world.metrics.seconds.observe({ path: label }, (performance.now() - started) / 1000);
  world.metrics.reviews.inc({
    path: label,
    verdict: reviewed.verdict,
    because: reviewed.because,
    dry_run: String(reviewed.dryRun),
  });
  reviewed.afterwards?.();
}

/** Decoded, as Istio's injector reads it: a URL's parameters may hold anything. Undefined: it cannot be. */
function pathOf({ url = '' }: Request): string | undefined {
  const [path = ''] = url.split('?');
  try {
    return path.includes('%') ? decodeURIComponent(path) : path;
  } catch {
    return undefined;
  }
}

interface Found {
  readonly route: Route;
  readonly reviewer: Reviewer;
}

function find(routes: readonly Route[], path: string): Found | undefined {
  for (const route of routes) {
    const { prefix } = route;
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    const reviewer = route.reviewer(path.slice(prefix.length + 1));
    if (reviewer !== undefined) return { route, reviewer };
  }
  return undefined;
}

function recall({ route, reviewer }: Found, body: string): Remembered | undefined {
  return reviewer.circumstances === undefined ? undefined : route.memory?.recall(body, reviewer.circumstances);
}

function reviewText({ route, reviewer }: Found, body: string): Remembered | Refusal {
  const parsed = parseBody(body, route.deepest);
  if (parsed.kind === 'refused') return parsed;
  const reviewed = reviewer.review(parsed.value);
  if (reviewed.kind === 'malformed') return { status: 400, message: reviewed.message };
  const outcome = { reviewed, text: JSON.stringify(writeReview(reviewed.answer, base64)) };
  if (reviewer.circumstances !== undefined) route.memory?.remember(body, reviewer.circumstances, outcome);
  return outcome;
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
