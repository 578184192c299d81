// The door of the proxy's model: Envoy's life, readiness, drain.
export { parsePodPorts } from './app-ports.ts';
export {
  beginProxy,
  dueAtMs,
  type ExitStatus,
  isTerminating,
  type ProxyEffect,
  type ProxyInput,
  type ProxyState,
  type StopReason,
  transition,
} from './machine.ts';
export { type LogLine, logLine, type Note, terminationMessage } from './notes.ts';
export {
  assumedDeadlineMs,
  type CountUnit,
  type DrainSettings,
  type Improvement,
  improvements,
  type ProxyPolicy,
  proxyPolicy,
} from './policy.ts';
export {
  configQuery,
  configTimeoutMs,
  type Facts,
  judgeReadiness,
  type Latches,
  liveQuery,
  liveTimeoutMs,
  noLatches,
  type StatsAnswer,
  type Verdict,
} from './readiness.ts';
export { countActive, countQuery, type OwnListeners, type Reading } from './stats.ts';
