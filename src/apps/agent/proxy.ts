// `proxy sidecar|router`: settles what was asked for, starts the status server and Envoy, and leaves with the code of the
// machine. Everything that can be wrong with flags, environment and files is told at once, before anything starts.
import type { Problem } from '../../core/std/errors.ts';
import type { Host, Server } from '../../ports/host.ts';
import { ownFacts, removeBootstrap, writeBootstrap, writeGrpcBootstrap } from './bootstrap/write.ts';
import { adminOf, ownListenersOf, policyOf, programOf } from './envoy-program.ts';
import { compliant } from './grpc-tls.ts';
import { type Log, logTo } from './log.ts';
import { endOldEnvoy, rememberEnvoy } from './old-envoy.ts';
import { type Parts, startParts } from './parts.ts';
import { type Env, loopbackOf, type Plan, planOf } from './plan.ts';
import { runProxyless } from './proxyless.ts';
import { proxyTable } from './settings.ts';
import { readinessFor, type Serving, serveStatus } from './status/serve.ts';
import { type Supervised, type Supervision, supervise } from './supervise.ts';
import { readTable } from './table.ts';

const readinessEveryMs = 100;
const unavailable = 69;
const usage = 2;

/** Runs until Envoy has ended; gives the agent's exit code. */
export async function runProxy(args: readonly string[], env: Env, machine: Host): Promise<number> {
  const { values: settings, words, errors, warnings } = readTable(proxyTable, args, env);
  const host = compliant(machine, settings.compliancePolicy);
  const log = logTo(host, { json: settings.logAsJson, least: settings.logOutputLevel });
  for (const warning of warnings) log('warn', 'setting ignored', { problem: warning });
  const { plan, problems, warnings: ofPlan } = await planOf({ settings, words, env }, host);
  for (const warning of ofPlan) log('warn', 'left out', { problem: warning });
  for (const message of [...errors, ...problems.map(textOf)]) log('error', 'cannot start', { problem: message });
  if (plan === undefined || errors.length > 0) return usage;
  host.processes.onUnexpected((error) => log('error', unexpected, { problem: stackOf(error) }));
  return settings.disableEnvoy ? runProxyless(plan, host, log) : start(plan, host, log);
}

/** A bug of ours costs what it concerns, not the Envoy of a pod that serves. */
const unexpected = 'an error of the agent that nobody expected; it goes on';

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}

async function start(plan: Plan, host: Host, log: Log): Promise<number> {
  const startedMs = host.clock.nowMs();
  let readyAfterMs: number | undefined;
  let server: Server | undefined;
  let parts: Parts | undefined;
  const supervision = supervise(supervised(plan, { host, log, closeStatus: () => server?.close() }));
  const others = (): ReturnType<typeof ownFacts> => ownFacts(plan, host, parts);
  const look = readinessFor(plan, { host, supervision, others });
  /** Whoever looks first, a probe or the agent, makes it known. */
  const readiness: Serving['readiness'] = async () => {
    const verdict = await look();
    if (verdict.ready) readyAfterMs ??= host.clock.nowMs() - startedMs;
    return verdict;
  };
  const serving: Serving = {
    host,
    log,
    readiness,
    feed: supervision.feed,
    readyAfterMs: () => readyAfterMs,
    names: () => parts?.dns,
    certificates: () => parts?.certificates(),
  };
  const refuse = (problem: string): number => {
    log('error', 'cannot start', { problem });
    server?.end();
    return unavailable;
  };
  try {
    server = await serveStatus(plan, serving);
  } catch (error) {
    return refuse(`status port ${plan.config.statusPort}: ${String(error)}`);
  }
  host.processes.onTerminate(() => supervision.feed({ kind: 'terminate' }));
  const taken = await endOldEnvoy(host, pidFileOf(plan), log);
  if (taken !== undefined) return refuse(taken);
  const started = await startParts({ plan, host, log });
  if (started.kind === 'failed') return refuse(started.problem);
  parts = started;
  const unwritten = writeFiles(plan, host);
  if (unwritten !== undefined) return refuse(unwritten);
  const code = supervision.run();
  watchReadiness(host, supervision, readiness);
  const left = await code;
  parts.end();
  removeBootstrap(plan.bootstrap, host);
  host.files.remove(pidFileOf(plan));
  server?.end();
  return left;
}

function writeFiles({ bootstrap, settings, config, env }: Plan, host: Host): string | undefined {
  return writeGrpcBootstrap({ bootstrap, settings, config }, host) ?? writeBootstrap(bootstrap, env, host);
}

function pidFileOf({ config }: Plan): string {
  return `${config.configPath}/envoy.pid`;
}

function supervised(
  plan: Plan,
  { host, log, closeStatus }: Pick<Supervised, 'host' | 'log' | 'closeStatus'>,
): Supervised {
  const { settings } = plan;
  return {
    host,
    log,
    closeStatus,
    policy: policyOf(plan),
    program: programOf(plan, host),
    admin: adminOf(plan),
    own: ownListenersOf(plan),
    appHosts: [...new Set([loopbackOf(plan), ...(settings.instanceIp === '' ? [] : [settings.instanceIp])])],
    terminationLog: settings.compat === 'istio' ? '' : settings.terminationLog,
    onStarted: (pid) => rememberEnvoy(host, pidFileOf(plan), log, pid),
  };
}

/** The agent looks by itself until Envoy is ready once: the log then says how long it took, probe or no probe. */
function watchReadiness(host: Host, supervision: Supervision, readiness: Serving['readiness']): void {
  const look = async (): Promise<void> => {
    const { ready } = await readiness();
    if (supervision.state().at !== 'starting') return;
    if (!ready) return void host.clock.after(readinessEveryMs, () => void look());
    supervision.feed({ kind: 'ready' });
  };
  void look();
}

function textOf({ path, message }: Problem): string {
  return path === undefined ? message : `${path}: ${message}`;
}
