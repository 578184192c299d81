// Wires `fairway admission serve`: files, a cluster, a logger and signals around the app.
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { type Connection, connect } from '../adapters/kube/connect.ts';
import { collectGarbage } from '../adapters/node/garbage.ts';
import { type ConfigMapFiles, configMapFiles } from '../apps/admission/config-map.ts';
import type { RulePorts } from '../apps/admission/follow-rules.ts';
import { type Leader, takePart } from '../apps/admission/leader.ts';
import type { Log } from '../apps/admission/log.ts';
import { type AuthorityOptions, startAuthority } from '../apps/admission/own-authority.ts';
import { tablePace } from '../apps/admission/policy-tables.ts';
import { type AdmissionSettings, serveAdmission } from '../apps/admission/serve.ts';
import { servePolicy } from '../apps/admission/serve-policy.ts';
import type { Certificate } from '../apps/admission/server.ts';
import { usualTerm } from '../core/election/index.ts';
import {
  appName,
  caSecretName,
  injectConfigurationName,
  krisprConfigurationName,
  leaseName,
  sightsName,
} from '../core/install/index.ts';
import { usualPolicy } from '../core/rotation/index.ts';
import { parseDurationMs } from '../core/std/duration.ts';
import { UsageError } from '../core/std/errors.ts';
import type { Io } from './io.ts';
import { readRuleFiles } from './rule-files.ts';

export interface ServeFlags {
  readonly mode: 'webhook' | 'policy';
  readonly config: string;
  /** Instead of a folder. */
  readonly configMap?: string;
  readonly listen: string;
  readonly metrics: string;
  readonly namespace: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** A cluster's name in fairway.yml; `--no-cluster` makes it false. */
  readonly cluster?: string | false;
  readonly inject: readonly string[];
  readonly compat?: 'istio';
  readonly rootLife: string;
  readonly leafLife: string;
  readonly drainDelay: string;
  readonly nowOffset: string;
  readonly logLevel: string;
}

const drainDeadlineMs = 20_000;
const pollMs = 1000;
/** First sights are rare: one a workload of a kind that nobody watches. */
const sightsEveryMs = 5000;
/** How soon a caBundle that somebody overwrote is right again. */
const authorityEveryMs = 2000;

/** Serves until SIGTERM or SIGINT, then drains. */
export async function serve(flags: ServeFlags, io: Io): Promise<void> {
  const log = logger(flags, io);
  const offsetMs = duration(flags.nowOffset, '--now-offset');
  refuseContradictions(flags);
  const name = flags.cluster === false ? undefined : flags.cluster;
  const connection = flags.cluster === false ? undefined : await connectTo(flags, io, log);
  let files: ConfigMapFiles | undefined;
  // What goes on would keep a process alive whose start failed.
  try {
    files = await filesOf(flags, { connection, io, log });
    const rules = { ...files, clusterName: name, nowMs: () => io.nowMs() + offsetMs, log };
    if (flags.mode === 'policy' && connection !== undefined) await keepTables(flags, { rules, connection, io });
    else await serveWebhooks(flags, { rules, connection, io });
  } finally {
    files?.stop();
    connection?.close();
  }
}

interface Reach {
  readonly connection: Connection | undefined;
  readonly io: Io;
  readonly log: Log;
}

async function filesOf(flags: ServeFlags, { connection, io, log }: Reach): Promise<ConfigMapFiles> {
  const { namespace, configMap, cluster, config } = flags;
  if (configMap !== undefined && connection !== undefined)
    return configMapFiles({ cluster: connection, namespace, name: configMap, againMs: pollMs, log });
  const name = cluster === false ? undefined : cluster;
  return { ruleFiles: () => readRuleFiles(resolve(io.cwd, config), name), stop: () => {} };
}

interface Wiring<T extends Connection | undefined> {
  readonly rules: RulePorts;
  readonly connection: T;
  readonly io: Io;
}

async function connectTo({ kubeconfig, context }: ServeFlags, io: Io, log: Log): Promise<Connection> {
  return connect({
    kubeconfig,
    context,
    nowMs: io.nowMs,
    // A watch that cannot be kept is why a server is not ready: it must not be silent.
    log: (message, fields) =>
      message === 'failed' ? log.warn(fields, 'a request to the API server failed') : log.debug(fields, message),
  });
}

async function keepTables(flags: ServeFlags, { rules, connection, io }: Wiring<Connection>): Promise<void> {
  const { log } = rules;
  const leader = candidacy(flags, { cluster: connection, nowMs: io.nowMs });
  const settings = { metrics: address(flags.metrics, '--metrics'), pollMs, pace: tablePace };
  const running = await servePolicy(settings, { ...rules, cluster: connection, leader });
  log.info({ metricsPort: running.metricsPort, cluster: connection.address }, 'serving');
  await signalled();
  await running.stop();
}

async function serveWebhooks(
  flags: ServeFlags,
  { rules, connection, io }: Wiring<Connection | undefined>,
): Promise<void> {
  const authority =
    flags.tlsCert === undefined && connection !== undefined
      ? startAuthority(authorityOptions(flags, { cluster: connection, nowMs: io.nowMs, log: rules.log }))
      : undefined;
  try {
    const running = await serveAdmission(webhookSettings(flags), {
      ...rules,
      certificate: authority?.certificate ?? (() => readCertificate(flags, io.cwd)),
      cluster: connection,
      inject: { revisions: flags.inject, compat: flags.compat ?? 'fairway' },
      pause: (ms) => setTimeout(ms),
      collectGarbage,
      keepSights: { namespace: flags.namespace, name: sightsName, everyMs: sightsEveryMs },
    });
    rules.log.info({ port: running.port, metricsPort: running.metricsPort, cluster: connection?.address }, 'serving');
    await signalled();
    await running.drain();
  } finally {
    await authority?.stop();
  }
}

function webhookSettings(flags: ServeFlags): AdmissionSettings {
  return {
    listen: address(flags.listen, '--listen'),
    metrics: address(flags.metrics, '--metrics'),
    instance: hostname(),
    pollMs,
    drainDelayMs: duration(flags.drainDelay, '--drain-delay'),
    drainDeadlineMs,
  };
}

function refuseContradictions({ mode, tlsCert, tlsKey, cluster, inject, configMap }: ServeFlags): void {
  if (configMap !== undefined && cluster === false)
    throw new UsageError('--config-map and --no-cluster exclude each other', { hint: 'give --config FOLDER' });
  if (mode === 'policy' && (tlsCert !== undefined || inject.length > 0 || cluster === false))
    throw new UsageError('--mode policy excludes --tls-cert, --inject and --no-cluster', {
      hint: 'it keeps tables in a cluster, and nobody calls it',
    });
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new UsageError('--tls-cert and --tls-key belong together');
  if (tlsCert === undefined && cluster === false)
    throw new UsageError('--no-cluster needs --tls-cert and --tls-key', {
      hint: "the server's own authority keeps its keys in the cluster",
    });
}

async function readCertificate({ tlsCert = '', tlsKey = '' }: ServeFlags, cwd: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([tlsCert, tlsKey].map((path) => readFile(resolve(cwd, path), 'utf8')));
  return { cert: cert ?? '', key: key ?? '' };
}

/** Which replica writes is one question, whatever it writes. */
function candidacy({ namespace }: ServeFlags, world: Pick<AuthorityOptions, 'cluster' | 'nowMs'>): Leader {
  const candidate = { name: `${hostname()}-${process.pid}`, term: usualTerm };
  return takePart({ ...world, namespace, lease: leaseName, candidate });
}

function authorityOptions(
  flags: ServeFlags,
  world: Pick<AuthorityOptions, 'cluster' | 'nowMs' | 'log'>,
): AuthorityOptions {
  const { namespace, inject } = flags;
  const rootLifeMs = duration(flags.rootLife, '--root-life');
  return {
    ...world,
    leader: candidacy(flags, world),
    namespace,
    secret: caSecretName,
    service: appName,
    configurations: [krisprConfigurationName, ...inject.map(injectConfigurationName)],
    policy: {
      rootLifeMs,
      leafLifeMs: duration(flags.leafLife, '--leaf-life'),
      settleMs: Math.min(usualPolicy.settleMs, rootLifeMs / 20),
    },
    everyMs: authorityEveryMs,
  };
}

function logger({ logLevel }: ServeFlags, io: Io): Log {
  const lines = pino({ level: logLevel, base: null }, io.stderr);
  return {
    debug: (fields, message) => lines.debug(fields, message),
    info: (fields, message) => lines.info(fields, message),
    warn: (fields, message) => lines.warn(fields, message),
    error: (fields, message) => lines.error(fields, message),
  };
}

function signalled(): Promise<void> {
  const { promise, resolve: done } = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => done());
  return promise;
}

/** "HOST:PORT", ":PORT" for every address; port 0 takes a free one. */
function address(text: string, flag: string): { readonly host?: string; readonly port: number } {
  const found = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (found === null || port > 65_535)
    throw new UsageError(`${flag} ${text} is no address`, { hint: 'HOST:PORT, or :PORT for every address' });
  const host = found[1] ?? found[2] ?? '';
  return host === '' ? { port } : { host, port };
}

function duration(text: string, flag: string): number {
  const ms = parseDurationMs(text);
  if (ms === undefined) throw new UsageError(`${flag} ${text} is no duration`, { hint: 'such as 5s or 1h30m' });
  return ms;
}
