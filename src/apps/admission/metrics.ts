// The metrics of the admission server. Labels hold closed sets only: what a user can write into a pod never becomes a label.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** A registry of its own, so that two servers of one process do not share counts. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const measuring: (() => void)[] = [];
  return {
    /** Called before each scrape, for what is cheaper to read than to count. */
    beforeScrape: (measure: () => void) => void measuring.push(measure),
    scrape: async (): Promise<{ readonly type: string; readonly text: string }> => {
      for (const measure of measuring) measure();
      return { type: registry.contentType, text: await registry.metrics() };
    },
    reviews: new Counter({
      registers,
      name: 'fairway_admission_reviews_total',
      help: 'Reviews that were answered, by what was decided and why.',
      labelNames: ['path', 'verdict', 'because', 'dry_run'],
    }),
    labels: new Counter({
      registers,
      name: 'fairway_admission_labels_total',
      help: 'Pods that got another revision label than they came with, by the new revision.',
      labelNames: ['revision', 'because'],
    }),
    guarded: new Counter({
      registers,
      name: 'fairway_admission_guarded_total',
      help: 'Pods that the shutdown guard changed.',
    }),
    refused: new Counter({
      registers,
      name: 'fairway_admission_refused_total',
      help: 'Requests that were no review, by HTTP status.',
      labelNames: ['status'],
    }),
    seconds: new Histogram({
      registers,
      name: 'fairway_admission_review_seconds',
      help: 'From the last byte of a request to its answer.',
      labelNames: ['path'],
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    }),
    inFlight: new Gauge({ registers, name: 'fairway_admission_in_flight', help: 'Requests being read or answered.' }),
    ...rulesAndCertificate(registers),
    ...policyTables(registers),
    cacheSynced: new Gauge({
      registers,
      name: 'fairway_admission_cache_synced',
      help: '1 once a resource was copied completely.',
      labelNames: ['resource'],
    }),
    cacheSilence: new Gauge({
      registers,
      name: 'fairway_admission_cache_silence_seconds',
      help: 'Since the last event or bookmark of a resource.',
      labelNames: ['resource'],
    }),
    owners: new Gauge({ registers, name: 'fairway_admission_owners', help: 'Owners that are known.' }),
  };
}

function policyTables(registers: Registry[]) {
  return {
    policyTables: new Gauge({
      registers,
      name: 'fairway_admission_policy_tables',
      help: 'Tables of the policy that are as they should be; only of the replica that writes.',
    }),
    policyDelay: new Histogram({
      registers,
      name: 'fairway_admission_policy_delay_seconds',
      help: 'From the sight of a change to the tables of the policy that hold it; only of the replica that writes.',
      buckets: [0.25, 0.5, 1, 2, 3, 5, 10, 30, 120],
    }),
  };
}

function rulesAndCertificate(registers: Registry[]) {
  return {
    rulesLoaded: new Gauge({
      registers,
      name: 'fairway_admission_rules_loaded_timestamp_seconds',
      help: 'When the rules in use were read.',
    }),
    rulesBroken: new Gauge({
      registers,
      name: 'fairway_admission_rules_broken',
      help: '1 while the files on disk cannot be used and older rules are in force.',
    }),
    certificateEnd: new Gauge({
      registers,
      name: 'fairway_admission_certificate_not_after_timestamp_seconds',
      help: 'When the served certificate ends.',
    }),
  };
}
