// The agent's own metrics, in the names of Istio's agent where they mean the same. What Go's runtime tells (`istio_agent_go_*`) has no place here.
import type { DnsCounts } from '../dns/responder.ts';
import type { Scrapes } from './metrics.ts';

export interface OwnFacts {
  readonly scrapes: Scrapes;
  readonly residentBytes: number;
  /** Undefined until Envoy is ready. */
  readonly readyAfterMs: number | undefined;
  /** Undefined: this agent answers no names. */
  readonly dns: DnsCounts | undefined;
}

type Value = readonly [
  name: string,
  type: 'counter' | 'gauge',
  ...samples: (readonly [labels: string, value: number])[],
];

/** As Prometheus' text. */
export function ownMetrics({ scrapes, residentBytes, readyAfterMs, dns }: OwnFacts): string {
  const failures = Object.entries(scrapes.failures).map(([part, count]) => [`{type="${part}"}`, count] as const);
  const values: readonly Value[] = [
    ['scrapes_total', 'counter', ['', scrapes.total]],
    ['scrape_failures_total', 'counter', ...failures],
    ['process_resident_memory_bytes', 'gauge', ['', residentBytes]],
    ...(readyAfterMs === undefined ? [] : [['startup_duration_seconds', 'gauge', ['', readyAfterMs / 1000]] as const]),
    ...(dns === undefined ? [] : dnsValues(dns)),
  ];
  return values.map(lines).join('');
}

function dnsValues({ requests, forwarded, failures }: DnsCounts): readonly Value[] {
  return [
    ['dns_requests_total', 'counter', ['', requests]],
    ['dns_upstream_requests_total', 'counter', ['', forwarded]],
    ['dns_upstream_failures_total', 'counter', ['', failures]],
  ];
}

function lines([name, type, ...samples]: Value): string {
  const values = samples.map(([labels, value]) => `istio_agent_${name}${labels} ${value}\n`);
  return `# TYPE istio_agent_${name} ${type}\n${values.join('')}`;
}
