// The door of the proxy's model: Envoy's life, readiness, drain.
export { parsePodPorts, podPortsVariable } from './app-ports.ts';
export { type AppProbe, parseAppProbes } from './app-probes.ts';
export { parseDownwardApi } from './downward-api.ts';
export { type DrainBudget, type DrainTimes, drainBudget, drainDeadlineMs } from './drain-budget.ts';
export type { ExitStatus, Note, ProxyEffect, ProxyInput, ProxyState, StopReason } from './life.ts';
export { beginProxy, dueAtMs, isTerminating, transition } from './machine.ts';
export { acceptFor, commonFormat, isOpenMetrics, type MetricsPart } from './metrics-format.ts';
export { missingIn, withNodeSettings } from './node-settings.ts';
export { type LogLine, logLine, terminationMessage } from './notes.ts';
export {
  type AppToOutlive,
  assumedDeadlineMs,
  type CountUnit,
  type DrainSettings,
  type Improvement,
  improvementDocs,
  improvements,
  isOn,
  type ProxyPolicy,
  proxyPolicy,
} from './policy.ts';
export { effectiveProxyConfig, type ProxyConfig, type ProxyConfigLayers } from './proxy-config.ts';
export {
  configQuery,
  configTimeoutMs,
  type Facts,
  judgeOwn,
  judgeReadiness,
  type Latches,
  liveQuery,
  liveTimeoutMs,
  noLatches,
  type StatsAnswer,
  type Verdict,
} from './readiness.ts';
export { parseScrapeTargets, type ScrapeTarget } from './scrape.ts';
export { countActive, countQuery, type OwnListeners, type Reading } from './stats.ts';
