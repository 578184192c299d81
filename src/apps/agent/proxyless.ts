// `proxy` with DISABLE_ENVOY: the application's own gRPC takes configuration and certificates from the agent, until the agent is told to
// end. There is nothing to drain: the application ends its own connections.
import { judgeOwn } from '../../core/proxy/index.ts';
import type { Host, Server } from '../../ports/host.ts';
import { ownFacts, writeGrpcBootstrap } from './bootstrap/write.ts';
import type { Log } from './log.ts';
import { type Parts, startParts } from './parts.ts';
import type { Plan } from './plan.ts';
import { type Serving, serveStatus } from './status/serve.ts';

const unavailable = 69;

/** Runs until a signal or /quitquitquit; gives the agent's exit code. */
export async function runProxyless(plan: Plan, host: Host, log: Log): Promise<number> {
  const { promise: told, resolve: end } = Promise.withResolvers<void>();
  let parts: Parts | undefined;
  let server: Server | undefined;
  const refuse = (problem: string): number => {
    log('error', 'cannot start', { problem });
    server?.end();
    return unavailable;
  };
  try {
    server = await serveStatus(plan, servingOf(plan, { host, log, end, parts: () => parts }));
  } catch (error) {
    return refuse(`status port ${plan.config.statusPort}: ${String(error)}`);
  }
  host.processes.onTerminate(end);
  const started = await startParts({ plan, host, log });
  if (started.kind === 'failed') return refuse(started.problem);
  parts = started;
  const unwritten = writeGrpcBootstrap(plan, host);
  if (unwritten === undefined) await told;
  parts.end();
  if (unwritten !== undefined) return refuse(unwritten);
  server?.end();
  return 0;
}

interface Life {
  readonly host: Host;
  readonly log: Log;
  readonly end: () => void;
  readonly parts: () => Parts | undefined;
}

function servingOf(plan: Plan, { host, log, end, parts }: Life): Serving {
  return {
    host,
    log,
    readiness: () => Promise.resolve(judgeOwn(ownFacts(plan, host, parts()))),
    feed: ({ kind }) => (kind === 'quit' ? end() : undefined),
    readyAfterMs: () => undefined,
    names: () => parts()?.dns,
    certificates: () => parts()?.certificates(),
  };
}
