// The agent's own metrics, in the names of Istio's agent where they mean the same. What Go's runtime tells (`istio_agent_go_*`) has no place here.
import type { ProcessUsage } from '../../../ports/processes.ts';
import type { DnsCounts } from '../dns/responder.ts';
import type { OrderCounts } from '../identity/workload.ts';
import type { Scrapes } from './metrics.ts';

export interface OwnFacts {
  readonly scrapes: Scrapes;
  readonly usage: ProcessUsage;
  /** Undefined until Envoy is ready. */
  readonly readyAfterMs: number | undefined;
  /** Undefined: this agent answers no names. */
  readonly dns: DnsCounts | undefined;
  /** Undefined: this agent asks no CA. */
  readonly certificates: OrderCounts | undefined;
}

type Value = readonly [
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  ...samples: (readonly [labels: string, value: number])[],
];

/** As Prometheus' text. */
export function ownMetrics({ scrapes, usage, readyAfterMs, dns, certificates }: OwnFacts): string {
  const failures = Object.entries(scrapes.failures).map(([part, count]) => [`{type="${part}"}`, count] as const);
  const values: readonly Value[] = [
    ['scrapes_total', 'counter', ['', scrapes.total]],
    ['scrape_failures_total', 'counter', ...failures],
    ...processValues(usage),
    ...(readyAfterMs === undefined ? [] : [['startup_duration_seconds', 'gauge', ['', readyAfterMs / 1000]] as const]),
    ...(dns === undefined ? [] : dnsValues(dns)),
    ...(certificates === undefined ? [] : certificateValues(certificates)),
  ];
  return values.map(lines).join('');
}

function processValues(usage: ProcessUsage): readonly Value[] {
  return [
    ['process_cpu_seconds_total', 'counter', ['', usage.cpuSeconds]],
    ['process_max_fds', 'gauge', ['', usage.openFilesAtMost]],
    ['process_network_receive_bytes_total', 'counter', ['', usage.receivedBytes]],
    ['process_network_transmit_bytes_total', 'counter', ['', usage.sentBytes]],
    ['process_open_fds', 'gauge', ['', usage.openFiles]],
    ['process_resident_memory_bytes', 'gauge', ['', usage.residentBytes]],
    ['process_start_time_seconds', 'gauge', ['', usage.startedAtSeconds]],
    ['process_virtual_memory_bytes', 'gauge', ['', usage.virtualBytes]],
    ['process_virtual_memory_max_bytes', 'gauge', ['', usage.virtualBytesAtMost]],
  ];
}

function dnsValues({ requests, forwarded, failures, within, tookSeconds }: DnsCounts): readonly Value[] {
  const buckets = within.map(
    ([most, count]) => [`_bucket{le="${most === Number.POSITIVE_INFINITY ? '+Inf' : most}"}`, count] as const,
  );
  const ended = within.at(-1)?.[1] ?? 0;
  return [
    ['dns_requests_total', 'counter', ['', requests]],
    ['dns_upstream_requests_total', 'counter', ['', forwarded]],
    ['dns_upstream_failures_total', 'counter', ['', failures]],
    ['dns_upstream_request_duration_seconds', 'histogram', ...buckets, ['_sum', tookSeconds], ['_count', ended]],
  ];
}

function certificateValues({ orders, refused, tookMs, expiresInMs }: OrderCounts): readonly Value[] {
  const csr = '{request_type="csr"}';
  const counters: readonly Value[] = [
    ['num_outgoing_requests', 'counter', [csr, orders]],
    ['num_failed_outgoing_requests', 'counter', [csr, refused]],
    ['outgoing_latency', 'counter', [csr, tookMs]],
  ];
  if (expiresInMs === undefined) return counters;
  return [...counters, ['cert_expiry_seconds', 'gauge', ['{resource_name="default"}', expiresInMs / 1000]]];
}

function lines([name, type, ...samples]: Value): string {
  const values = samples.map(([labels, value]) => `istio_agent_${name}${labels} ${value}\n`);
  return `# TYPE istio_agent_${name} ${type}\n${values.join('')}`;
}
