// `proxy sidecar|router`: settles what was asked for, starts the status server and Envoy, and leaves with the code of the
// machine. Everything that can be wrong with flags, environment and files is told at once, before anything starts.
import {
  type AppProbe,
  effectiveProxyConfig,
  isTerminating,
  type ProxyConfig,
  parseAppProbes,
  parseDownwardApi,
  parsePodPorts,
  parseScrapeTargets,
  proxyPolicy,
  type ScrapeTarget,
} from '../../core/proxy/index.ts';
import type { Problem } from '../../core/std/errors.ts';
import type { Host, Program, Server } from '../../ports/host.ts';
import type { Admin } from './admin.ts';
import { envoyArguments } from './envoy-arguments.ts';
import { type Log, logTo } from './log.ts';
import { endOldEnvoy, rememberEnvoy } from './old-envoy.ts';
import { type ProxySettings, proxyTable } from './settings.ts';
import { appProbeHandler } from './status/app-probe.ts';
import { metricsHandler } from './status/metrics.ts';
import { readinessOf } from './status/readiness.ts';
import { statusHandler } from './status/server.ts';
import { type Supervision, supervise } from './supervise.ts';
import { readTable } from './table.ts';

/** Node types whose proxy is an Envoy; a waypoint drains like a router. */
const roles = ['sidecar', 'router', 'waypoint'] as const;
const annotationsFile = './etc/istio/pod/annotations';
const readinessEveryMs = 100;
const unavailable = 69;
const usage = 2;

interface Plan {
  readonly role: (typeof roles)[number];
  readonly settings: ProxySettings;
  readonly config: ProxyConfig;
  readonly appPorts: readonly number[];
  readonly probes: ReadonlyMap<string, AppProbe>;
  readonly targets: readonly ScrapeTarget[];
  readonly addresses: readonly string[];
  readonly bootstrapPath: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Runs until Envoy has ended; gives the agent's exit code. */
export async function runProxy(args: readonly string[], env: Env, host: Host): Promise<number> {
  const { values: settings, words, errors, warnings } = readTable(proxyTable, args, env);
  const log = logTo(host, { json: settings.logAsJson, least: settings.logOutputLevel });
  for (const warning of warnings) log('warn', 'setting ignored', { problem: warning });
  const { plan, problems } = planOf(settings, words, host);
  for (const message of [...errors, ...problems.map(textOf)]) log('error', 'cannot start', { problem: message });
  if (plan === undefined || errors.length > 0) return usage;
  return start(plan, host, log);
}

function planOf(
  settings: ProxySettings,
  words: readonly string[],
  host: Host,
): { plan: Plan | undefined; problems: Problem[] } {
  const annotations = parseDownwardApi(host.files.read(annotationsFile) ?? '');
  const { config, problems: ofConfig } = effectiveProxyConfig({
    meshYaml: host.files.read(settings.meshConfig),
    environmentYaml: settings.proxyConfig,
    annotations,
  });
  const ports = parsePodPorts(settings.podPorts);
  const { probes, problems: ofProbes } = parseAppProbes(settings.appProbers);
  const { targets, problems: ofTargets } = parseScrapeTargets(settings.prometheusAnnotations, config.statusPort);
  const role = roles.find((name) => name === (words[0] ?? 'sidecar'));
  const problems = [
    ...(role === undefined ? [usageProblem(`"${words[0]}" is no type of proxy: ${roles.join(', ')}`)] : []),
    ...ofConfig,
    ...(ports.kind === 'invalid' ? [usageProblem(ports.problem)] : []),
    ...ofProbes,
    ...ofTargets,
    ...(config.customConfigFile === '' ? [usageProblem('no bootstrap: ProxyConfig has no customConfigFile')] : []),
  ];
  if (role === undefined || ports.kind === 'invalid' || problems.length > 0) return { plan: undefined, problems };
  const addresses = [...new Set([settings.instanceIp, ...host.net.addresses()])].filter((address) => address !== '');
  const bootstrapPath = config.customConfigFile;
  return {
    plan: { role, settings, config, appPorts: ports.tcp, probes, targets, addresses, bootstrapPath },
    problems: [],
  };
}

async function start(plan: Plan, host: Host, log: Log): Promise<number> {
  const { settings, config } = plan;
  const pidFile = `${config.configPath}/envoy.pid`;
  const startedMs = host.clock.nowMs();
  let readyAfterMs: number | undefined;
  let server: Server | undefined;
  const supervision = supervise({
    host,
    log,
    policy: policyOf(plan),
    program: programOf(plan, host),
    admin: adminOf(plan),
    own: {
      ports: [
        settings.envoyStatusPort,
        settings.envoyPrometheusPort,
        settings.envoySecureMetricsPort,
        settings.envoySecureMergedMetricsPort,
      ],
      by: policyOf(plan).has['listeners-by-address'] ? 'address' : 'name',
    },
    appHosts: [...new Set([loopbackOf(plan), ...(settings.instanceIp === '' ? [] : [settings.instanceIp])])],
    terminationLog: settings.compat === 'istio' ? '' : settings.terminationLog,
    onStarted: (pid) => rememberEnvoy(host, pidFile, log, pid),
    closeStatus: () => server?.close(),
  });
  try {
    server = await serveStatus(plan, { host, log, supervision, readyAfterMs: () => readyAfterMs });
  } catch (error) {
    log('error', 'cannot start', { problem: `status port ${config.statusPort}: ${String(error)}` });
    return unavailable;
  }
  host.processes.onTerminate(() => supervision.feed({ kind: 'terminate' }));
  await endOldEnvoy(host, pidFile, log);
  const code = supervision.run();
  watchReadiness(plan, host, supervision, () => {
    readyAfterMs = host.clock.nowMs() - startedMs;
  });
  const left = await code;
  host.files.remove(pidFile);
  server?.end();
  return left;
}

/** As Istio's bootstrap: IPv6's only where the pod has nothing else. */
function loopbackOf({ addresses }: Plan): string {
  return addresses.length > 0 && addresses.every((address) => address.includes(':')) ? '::1' : '127.0.0.1';
}

function adminOf(plan: Plan): Admin {
  return { host: loopbackOf(plan), port: plan.config.adminPort };
}

function policyOf({ role, settings, config, appPorts }: Plan): ReturnType<typeof proxyPolicy> {
  const named = settings.exitOnZero === '' ? undefined : settings.exitOnZero;
  return proxyPolicy({
    role: role === 'sidecar' ? 'sidecar' : 'router',
    compat: settings.compat,
    without: settings.without,
    exitOnZero: named ?? (settings.exitOnZeroConnections ? 'connections' : 'off'),
    terminationDrainMs: config.terminationDrainMs,
    minimumDrainMs: settings.minimumDrainMs,
    deadlineMs: settings.drainDeadlineMs === 'none' ? undefined : settings.drainDeadlineMs,
    waitForApp: settings.waitForApp,
    appPorts,
    bootstrap: config.customConfigFile === '' ? 'own' : 'custom',
  });
}

function programOf({ settings, config, bootstrapPath, addresses }: Plan, host: Host): Program {
  const override = settings.bootstrapOverride === '' ? undefined : host.files.read(settings.bootstrapOverride);
  const isDns53 = host.processes.isRoot && settings.dnsProxyAddress.endsWith(':53');
  return {
    path: config.binaryPath,
    args: envoyArguments({ settings, config, bootstrapPath, addresses, override }),
    env: settings.compliancePolicy === '' ? {} : { GRPC_SSL_CIPHER_SUITES: fipsCiphers },
    user: isDns53 ? { uid: 1337, gid: 1337 } : undefined,
  };
}

const fipsCiphers =
  'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384';

interface Serving {
  readonly host: Host;
  readonly log: Log;
  readonly supervision: Supervision;
  readonly readyAfterMs: () => number | undefined;
}

async function serveStatus(plan: Plan, { host, log, supervision, readyAfterMs }: Serving): Promise<Server | undefined> {
  const { settings, config, probes, targets, addresses } = plan;
  if (config.statusPort === 0) return undefined;
  const appHost = settings.probeLocalhost ? loopbackOf(plan) : (addresses[0] ?? loopbackOf(plan));
  return host.net.serve(
    config.statusPort,
    statusHandler({
      readiness: readinessFor(plan, host, supervision),
      feed: supervision.feed,
      appProbe: appProbeHandler({ host, probes, appHost, statusPort: config.statusPort }),
      metrics: metricsHandler({
        host,
        log,
        loopback: loopbackOf(plan),
        targets: plan.role === 'sidecar' ? targets : [],
        envoyPort: settings.mergeEnvoyStats ? settings.envoyPrometheusPort : 0,
        startedAfterMs: readyAfterMs,
      }),
      metricsLocalhostOnly: settings.metricsLocalhostOnly,
    }),
  );
}

function readinessFor(plan: Plan, host: Host, { state }: Supervision): ReturnType<typeof readinessOf> {
  return readinessOf({
    host,
    admin: adminOf(plan),
    isTerminating: () => isTerminating(state()),
    others: () => ({ grpcBootstrap: undefined, dnsTable: 'not-needed' }),
  });
}

/** The agent looks by itself until Envoy is ready once: the log then says how long it took, probe or no probe. */
function watchReadiness(plan: Plan, host: Host, supervision: Supervision, onReady: () => void): void {
  const readiness = readinessFor(plan, host, supervision);
  const look = async (): Promise<void> => {
    const { ready } = await readiness();
    if (supervision.state().at !== 'starting') return;
    if (!ready) return void host.clock.after(readinessEveryMs, () => void look());
    onReady();
    supervision.feed({ kind: 'ready' });
  };
  void look();
}

function usageProblem(message: string): Problem {
  return { code: 'usage', severity: 'error', message };
}

function textOf({ path, message }: Problem): string {
  return path === undefined ? message : `${path}: ${message}`;
}
