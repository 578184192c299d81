// Every setting of `proxy`, in one table: Istio's own first (istio/istio pilot/cmd/pilot-agent), Fairway's after them.
import { assumedDeadlineMs, improvements, podPortsVariable } from '../../core/proxy/index.ts';
import { formatDuration } from '../../core/std/duration.ts';
import { bootstrapRows } from './bootstrap/settings.ts';
import { dnsSettings } from './dns/settings.ts';
import { identityRows } from './identity/settings.ts';
import { anyNumber, choice, choices, count, duration, maybeDuration, port, text, truth } from './kinds.ts';
import type { Values } from './table.ts';
import { wasmRows } from './wasm/settings.ts';
import { xdsRows } from './xds/settings.ts';

export const proxyTable = {
  ...bootstrapRows,
  meshConfig: text('./etc/istio/config/mesh', {
    flag: 'meshConfig',
    doc: 'file with the mesh configuration (gateways, VMs)',
  }),
  proxyLogLevel: text('warning', { flag: 'proxyLogLevel', doc: "Envoy's log level: `level` or `level,scope:level,…`" }),
  proxyComponentLogLevel: text('', {
    flag: 'proxyComponentLogLevel',
    doc: 'levels of single components of Envoy (legacy)',
  }),
  concurrency: count(
    '0',
    { flag: 'concurrency', doc: "Envoy's worker threads (legacy: wins over ProxyConfig); 0: not set" },
    anyNumber,
  ),
  logOutputLevel: text('default:info', {
    flag: 'log_output_level',
    doc: 'least level of the agent: `none`, `error`, `warn`, `info` or `debug`, also as `default:LEVEL`',
  }),
  logAsJson: truth('false', { flag: 'log_as_json', doc: 'the agent logs a JSON object a line instead of text' }),
  instanceIp: text('', { env: 'INSTANCE_IP', doc: "the pod's address; probes of the application go there" }),
  hostIp: text('', { env: 'HOST_IP', doc: "the node's address; replaces `$(HOST_IP)` in the bootstrap override" }),
  cpuLimit: count(
    '0',
    { env: 'ISTIO_CPU_LIMIT', doc: "Envoy's worker threads where ProxyConfig tells none" },
    anyNumber,
  ),
  proxyConfig: text('', { env: 'PROXY_CONFIG', doc: 'ProxyConfig as YAML or JSON' }),
  minimumDrainMs: duration('5s', {
    env: 'MINIMUM_DRAIN_DURATION',
    doc: 'with exit on zero: no look at the counters before',
  }),
  exitOnZeroConnections: truth('false', {
    env: 'EXIT_ON_ZERO_ACTIVE_CONNECTIONS',
    doc: 'the same as `FAIRWAY_EXIT_ON_ZERO=connections`',
  }),
  envoyStatusPort: port('15021', { env: 'ENVOY_STATUS_PORT', doc: "Envoy's listener for `/healthz/ready`" }),
  envoyPrometheusPort: port('15090', { env: 'ENVOY_PROMETHEUS_PORT', doc: "Envoy's listener for its own metrics" }),
  envoySecureMetricsPort: port('0', {
    env: 'ENVOY_SECURE_METRICS_PORT',
    doc: "Envoy's listener for its metrics with mTLS; 0: none",
  }),
  envoySecureMergedMetricsPort: port('0', {
    env: 'ENVOY_SECURE_MERGED_METRICS_PORT',
    doc: "Envoy's listener for merged metrics with mTLS; 0: none",
  }),
  ...dnsSettings,
  podPorts: text('', {
    env: podPortsVariable,
    doc: "the application's ports, a JSON list; `wait-for-app` waits for its TCP ports",
  }),
  appProbers: text('', {
    env: 'ISTIO_KUBE_APP_PROBERS',
    doc: 'probes and hooks of the application that this server takes over, as JSON',
  }),
  prometheusAnnotations: text('', {
    env: 'ISTIO_PROMETHEUS_ANNOTATIONS',
    doc: "where the application's metrics are, as JSON; merged into `/stats/prometheus`",
  }),
  probeLocalhost: truth('false', {
    env: 'REWRITE_PROBE_LEGACY_LOCALHOST_DESTINATION',
    doc: "probes of the application go to localhost instead of the pod's address",
  }),
  http2Probes: truth('true', {
    env: 'ISTIO_ENABLE_HTTP2_PROBING',
    doc: 'HTTPS probes of the application may speak HTTP/2',
  }),
  metricsLocalhostOnly: truth('false', {
    env: 'METRICS_LOCALHOST_ACCESS_ONLY',
    doc: 'metrics are given to this machine only',
  }),
  mergeEnvoyStats: truth('true', {
    env: 'PILOT_AGENT_MERGE_ENVOY_STATS',
    doc: "Envoy's metrics are part of the merged ones",
  }),
  skipDeprecatedLogs: truth('true', {
    env: 'ENVOY_SKIP_DEPRECATED_LOGS',
    doc: 'Envoy does not log uses of deprecated fields',
  }),
  enableCoreDump: truth('false', { env: 'ISTIO_ENVOY_ENABLE_CORE_DUMP', doc: 'Envoy may write a core dump' }),
  bootstrapOverride: text('', { env: 'ISTIO_BOOTSTRAP_OVERRIDE', doc: 'file that is merged over the bootstrap' }),
  compliancePolicy: choice(
    '',
    {
      env: 'COMPLIANCE_POLICY',
      doc: 'limits TLS to the control plane and the CA, and the cipher suites of gRPC inside Envoy',
    },
    ['', 'fips-140-2', 'fips-140-3'],
  ),
  ...identityRows,
  compat: choice(
    'none',
    { flag: 'compat', env: 'FAIRWAY_COMPAT', doc: 'with `istio` every improvement below is off' },
    ['none', 'istio'],
  ),
  without: choices(
    { flag: 'without', env: 'FAIRWAY_WITHOUT', doc: 'improvements to leave out, by name' },
    improvements,
  ),
  exitOnZero: choice(
    '',
    {
      flag: 'exit-on-zero',
      env: 'FAIRWAY_EXIT_ON_ZERO',
      doc: 'the drain ends when nothing of this kind is active any more; wins over `EXIT_ON_ZERO_ACTIVE_CONNECTIONS`',
    },
    ['', 'off', 'connections', 'requests'],
  ),
  drainDeadlineMs: maybeDuration({
    flag: 'drain-deadline',
    env: 'FAIRWAY_DRAIN_DEADLINE',
    doc: `longest time from the first of /drain and SIGTERM to the stop; the injector writes grace period − preStop − 2 s; nobody tells it: ${formatDuration(assumedDeadlineMs)}, or the configured drain where that is longer`,
  }),
  waitForApp: truth('true', {
    flag: 'wait-for-app',
    env: 'FAIRWAY_WAIT_FOR_APP',
    doc: 'a classic sidecar outlives the application: its processes must have ended, or, where nobody tells of them, its TCP ports refuse twice, a second apart',
  }),
  appRunning: text('', {
    env: 'FAIRWAY_APP_RUNNING',
    doc: 'files, separated by `:`, each there as long as a container of the application runs; `wait-for-app` waits until none is. `fairway pod run` tells it; elsewhere an application can keep such a file in a shared volume',
  }),
  ...xdsRows,
  ...wasmRows,
  terminationLog: text('/dev/termination-log', {
    flag: 'termination-log',
    env: 'FAIRWAY_TERMINATION_LOG',
    doc: 'file that tells why Envoy ended by itself; empty: none',
  }),
};

export type ProxySettings = Values<typeof proxyTable>;
