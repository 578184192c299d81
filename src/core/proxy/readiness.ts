// When a proxy may be called ready: it has its configuration, it is live with its workers started, the gRPC bootstrap can be
// read, the DNS table is there, nobody asked it to end. Owns the order of the checks, their latches and the reasons; asks nothing itself.
// Source: Istio's pilot/cmd/pilot-agent/status/ready/probe.go.
import { parseStats } from './stats.ts';

/** What was seen once and is not asked again: neither draining nor a rejected update takes readiness away. */
export interface Latches {
  readonly configured: boolean;
  readonly live: boolean;
}

/** Answers of Envoy's administration port to `configQuery` and `liveQuery`. */
export type StatsAnswer =
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'failed'; readonly problem: string };

export interface Facts {
  readonly terminating: boolean;
  /** Undefined: not asked, because the latch is set (or an earlier check failed). */
  readonly config: StatsAnswer | undefined;
  readonly live: StatsAnswer | undefined;
  /** What is wrong with the gRPC bootstrap; undefined: nothing, or there is none to check. */
  readonly grpcBootstrap: string | undefined;
  readonly dnsTable: 'not-needed' | 'received' | 'missing';
}

export type Verdict = { readonly ready: true } | { readonly ready: false; readonly because: string };

export const configQuery = statsQuery(
  '^(cluster_manager\\.cds|listener_manager\\.lds)\\.(update_success|update_rejected)$',
);
export const liveQuery = statsQuery('^(server\\.state|listener_manager\\.workers_started)');
export const configTimeoutMs = 1000;
export const liveTimeoutMs = 3000;
export const noLatches: Latches = { configured: false, live: false };

/** The verdict and what need not be asked again. */
export function judgeReadiness(latches: Latches, facts: Facts): readonly [Verdict, Latches] {
  const noConfig = latches.configured ? undefined : configProblem(facts.config);
  if (noConfig !== undefined) return [{ ready: false, because: noConfig }, latches];
  const configured: Latches = { ...latches, configured: true };
  if (facts.terminating) return [{ ready: false, because: 'the proxy is being ended' }, configured];
  const notLive = latches.live ? undefined : liveProblem(facts.live);
  if (notLive !== undefined) return [{ ready: false, because: notLive }, configured];
  const live: Latches = { configured: true, live: true };
  return [judgeOwn(facts), live];
}

/** Whether the agent itself is ready; without an Envoy that is all there is. */
export function judgeOwn({ grpcBootstrap, dnsTable }: Pick<Facts, 'grpcBootstrap' | 'dnsTable'>): Verdict {
  if (grpcBootstrap !== undefined) return { ready: false, because: grpcBootstrap };
  if (dnsTable === 'missing') return { ready: false, because: 'the DNS name table has not been received' };
  return { ready: true };
}

function statsQuery(filter: string): string {
  return `/stats?usedonly&filter=${encodeURIComponent(filter)}`;
}

function configProblem(answer: StatsAnswer | undefined): string | undefined {
  if (answer === undefined) return 'configuration not looked at yet';
  if (answer.kind === 'failed') return `cannot ask Envoy for its configuration: ${answer.problem}`;
  const { values } = parseStats(answer.text);
  const [cds, lds] = ['cluster_manager.cds', 'listener_manager.lds'].map((name) => ({
    accepted: values.get(`${name}.update_success`) ?? 0,
    rejected: values.get(`${name}.update_rejected`) ?? 0,
  })) as [Updates, Updates];
  if (cds.accepted > 0 && lds.accepted > 0) return undefined;
  return `no complete configuration yet (is the control plane there?): clusters ${told(cds)}, listeners ${told(lds)}`;
}

interface Updates {
  readonly accepted: number;
  readonly rejected: number;
}

function told({ accepted, rejected }: Updates): string {
  return `${accepted} accepted and ${rejected} rejected`;
}

const states: readonly string[] = ['live', 'draining', 'before initialisation', 'initialising'];

function liveProblem(answer: StatsAnswer | undefined): string | undefined {
  if (answer === undefined) return 'server state not looked at yet';
  if (answer.kind === 'failed') return `cannot ask Envoy for its state: ${answer.problem}`;
  const { values } = parseStats(answer.text);
  const state = values.get('server.state');
  if (state === undefined) return 'Envoy does not tell its state';
  if (state !== 0) return `Envoy is ${states[state] ?? `in unknown state ${state}`}`;
  return values.get('listener_manager.workers_started') === 1 ? undefined : "Envoy's workers have not started";
}
