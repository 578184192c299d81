// The route of Krispr: core's review, and what is to be told about it afterwards.
import { type Knowledge, type Outcome, reviewKrispr } from '../../core/admission/index.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Reviewed } from './reviewed.ts';
import type { Route } from './routes.ts';

export interface KrisprWorld {
  readonly knowledge: () => Knowledge;
  readonly nowMs: () => number;
  readonly metrics: Metrics;
  readonly log: Log;
  /** A warning about a workload, for an Event; never of a dry run. */
  readonly warn: (warning: WorkloadWarning) => void;
}

export interface WorkloadWarning {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
}

export function krisprRoute(world: KrisprWorld): Route {
  const review = (body: unknown): Reviewed => {
    const outcome = reviewKrispr(body, world.knowledge(), world.nowMs());
    if (outcome.kind === 'malformed') return outcome;
    if (outcome.kind === 'pass')
      return { kind: 'answered', answer: outcome.answer, verdict: 'pass', because: outcome.because, dryRun: false };
    const { answer, verdict, about } = outcome;
    const afterwards = (): void => tell(outcome, world);
    return {
      kind: 'answered',
      answer,
      verdict: verdict.kind,
      because: verdict.because,
      dryRun: about.dryRun,
      afterwards,
    };
  };
  return { prefix: '/krispr', label: '/krispr', reviewer: (rest) => (rest === '' ? { review } : undefined) };
}

function tell({ verdict, about }: Extract<Outcome, { kind: 'decided' }>, { metrics, log, warn }: KrisprWorld): void {
  const { note } = verdict;
  if (about.guarded && !about.dryRun) metrics.guarded.inc();
  const fields = { ...about, verdict: verdict.kind, because: verdict.because, ...(note === undefined ? {} : { note }) };
  if (verdict.kind === 'label') {
    const { from, revision, movesBack, because } = verdict;
    if (!about.dryRun) metrics.labels.inc({ revision, because });
    log.info({ ...fields, from, revision, movesBack }, 'pod labelled');
  } else if (note === undefined) log.debug(fields, 'pod left as it is');
  else log.warn(fields, 'pod left as it is');
  if (note === undefined || about.dryRun) return;
  const [kind = '', name = ''] = about.workload.split('/');
  warn({
    namespace: about.pod.split('/')[0] ?? '',
    kind,
    name,
    reason: `Krispr${pascal(verdict.because)}`,
    message: note,
  });
}

function pascal(words: string): string {
  return words.replace(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
