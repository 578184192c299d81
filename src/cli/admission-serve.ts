// Wires `fairway admission serve`: files, a cluster, a logger and signals around the app.
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { connect } from '../adapters/kube/connect.ts';
import { type Log } from '../apps/admission/log.ts';
import { serveAdmission } from '../apps/admission/serve.ts';
import type { RuleFiles } from '../core/admission/index.ts';
import { parseDurationMs } from '../core/std/duration.ts';
import { UsageError } from '../core/std/errors.ts';
import type { Io } from './io.ts';

export interface ServeFlags {
  readonly config: string;
  readonly listen: string;
  readonly metrics: string;
  readonly namespace: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** `--no-cluster` makes it false. */
  readonly cluster: boolean;
  readonly drainDelay: string;
  readonly nowOffset: string;
  readonly logLevel: string;
}

const drainDeadlineMs = 20_000;
const pollMs = 1000;

/** Serves until SIGTERM or SIGINT, then drains. */
export async function serve(flags: ServeFlags, io: Io): Promise<void> {
  const log = await logger(flags, io);
  const offsetMs = duration(flags.nowOffset, '--now-offset');
  const nowMs = (): number => io.nowMs() + offsetMs;
  const { tlsCert, tlsKey } = flags;
  if (tlsCert === undefined || tlsKey === undefined) throw new UsageError('--tls-cert and --tls-key are needed');
  const connection = flags.cluster
    ? await connect({
        kubeconfig: flags.kubeconfig,
        context: flags.context,
        nowMs: io.nowMs,
        log: (message, fields) => log.debug(fields, message),
      })
    : undefined;
  const settings = {
    listen: address(flags.listen, '--listen'),
    metrics: address(flags.metrics, '--metrics'),
    instance: hostname(),
    pollMs,
    drainDelayMs: duration(flags.drainDelay, '--drain-delay'),
    drainDeadlineMs,
  };
  const running = await serveAdmission(settings, {
    ruleFiles: () => readRuleFiles(resolve(io.cwd, flags.config)),
    certificate: async () => ({
      cert: await readFile(resolve(io.cwd, tlsCert), 'utf8'),
      key: await readFile(resolve(io.cwd, tlsKey), 'utf8'),
    }),
    cluster: connection,
    nowMs,
    log,
  });
  log.info({ port: running.port, metricsPort: running.metricsPort, cluster: connection?.address }, 'serving');
  await signalled();
  await running.drain();
  connection?.close();
}

const fileNames = ['rollouts.yml', 'fairway.yml', 'rollouts.lock'] as const;

async function readRuleFiles(folder: string): Promise<RuleFiles> {
  const read = await Promise.all(fileNames.map(async (name) => [name, await readIfThere(join(folder, name))] as const));
  return Object.fromEntries(read.filter(([, text]) => text !== undefined));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function logger({ logLevel }: ServeFlags, io: Io): Promise<Log> {
  const { pino } = await import('pino');
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
