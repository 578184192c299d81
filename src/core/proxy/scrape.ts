// Where the application's metrics are: ISTIO_PROMETHEUS_ANNOTATIONS, written by the injector from the pod's annotations.
// Owns the defaults and which ports may not be scraped, because the answer would contain itself. Source: Istio's pilot/cmd/pilot-agent/status/server.go.
import type { Problem } from '../std/errors.ts';

export interface ScrapeTarget {
  readonly port: number;
  readonly path: string;
}

/** Ports of Envoy, the agent and its DNS server. */
const reserved: ReadonlySet<number> = new Set([15_000, 15_001, 15_006, 15_008, 15_020, 15_021, 15_053, 15_090]);

/** The targets in their order; none where scraping is off. */
export function parseScrapeTargets(
  text: string,
  statusPort: number,
): { readonly targets: readonly ScrapeTarget[]; readonly problems: readonly Problem[] } {
  if (text.trim() === '') return { targets: [], problems: [] };
  const given = parse(text);
  if (given === undefined)
    return { targets: [], problems: [problem('ISTIO_PROMETHEUS_ANNOTATIONS is not a JSON map')] };
  if (given['scrape'] === 'false') return { targets: [], problems: [] };
  const listed = Array.isArray(given['targets']) ? (given['targets'] as readonly unknown[]) : [];
  const wanted = (listed.length > 0 ? listed : [given]).map(targetOf);
  const refused = wanted.filter(({ port }) => !isScrapable(port, statusPort));
  return {
    targets: wanted.filter(({ port }) => isScrapable(port, statusPort)),
    problems: refused.map(({ port }) => problem(`port ${port} cannot be scraped: no port, or one of the proxy's own`)),
  };
}

function isScrapable(port: number, statusPort: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536 && port !== statusPort && !reserved.has(port);
}

function targetOf(value: unknown): ScrapeTarget {
  const { port, path } = (value ?? {}) as { readonly port?: unknown; readonly path?: unknown };
  const text = typeof path === 'string' && path !== '' ? path : '/metrics';
  return {
    port: port === undefined || port === '' ? 80 : Number(port),
    path: text.startsWith('/') ? text : `/${text}`,
  };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

function problem(message: string): Problem {
  return { code: 'scrape-target-invalid', severity: 'error', message };
}
