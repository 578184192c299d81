// Probes the application of a workload outside Kubernetes, first Envoy itself, then the application, and tells what core/xds-proxy says is
// news. One probe at a time; the next one a period after the last one began.

import type { Verdict } from '../../../core/proxy/index.ts';
import {
  type Health,
  type HealthCheck,
  type HealthPolicy,
  healthStep,
  unknownHealth,
} from '../../../core/xds-proxy/index.ts';
import type { Host } from '../../../ports/host.ts';

export interface HealthOptions {
  readonly host: Host;
  readonly policy: HealthPolicy;
  /** Where the application is, unless the probe says. */
  readonly address: string;
  /** Of Envoy. */
  readonly ready: () => Promise<Verdict>;
  readonly tell: (health: Health) => void;
}

/** Gives back what ends it. */
export function watchHealth(options: HealthOptions): () => void {
  const { host, policy, tell } = options;
  let state = unknownHealth;
  let isOver = false;
  let callOff = (): void => undefined;
  const look = async (): Promise<void> => {
    const beganMs = host.clock.nowMs();
    const [next, news] = healthStep(policy, state, await healthNow(options));
    state = next;
    if (isOver) return;
    if (news !== undefined) tell(news);
    callOff = host.clock.after(Math.max(0, beganMs + policy.periodMs - host.clock.nowMs()), () => void look());
  };
  callOff = host.clock.after(policy.initialDelayMs, () => void look());
  return () => {
    isOver = true;
    callOff();
  };
}

async function healthNow(options: HealthOptions): Promise<Health> {
  const envoy = await options.ready();
  if (!envoy.ready) return { kind: 'unhealthy', message: envoy.because };
  const problem = await problemOf(options.policy.check, options);
  return problem === undefined ? { kind: 'healthy' } : { kind: 'unhealthy', message: problem };
}

/** Undefined: the application is well. */
async function problemOf(check: HealthCheck, { host, policy, address }: HealthOptions): Promise<string | undefined> {
  const { timeoutMs } = policy;
  if (check.kind === 'exec') return execProblem(check.command, host, timeoutMs);
  const target = check.kind !== 'grpc' && check.host !== '' ? check.host : address;
  const at = { host: target, port: check.port, timeoutMs, localAddress: passed(target) };
  if (check.kind === 'http') return httpProblem(check, at, host);
  const result = await (check.kind === 'tcp' ? host.net.dial(at) : host.net.grpcHealth(at, check.service));
  if (result.kind === 'open') return undefined;
  return result.kind === 'failed' ? result.problem : result.kind;
}

/** Interception leaves what comes from here alone. */
function passed(target: string): string {
  return target.includes(':') ? '::6' : '127.0.0.6';
}

type At = Readonly<{ host: string; port: number; timeoutMs: number; localAddress: string }>;

async function httpProblem(
  { path, tls, headers }: Extract<HealthCheck, { readonly kind: 'http' }>,
  at: At,
  host: Host,
): Promise<string | undefined> {
  const answer = await host.net.fetch({ ...at, method: 'GET', path, tls, headers });
  if (answer.kind === 'failed') return answer.problem;
  return answer.status >= 200 && answer.status < 400 ? undefined : `status ${answer.status}`;
}

/** A command that takes too long is bad health, and is killed: the next one comes a period later. */
async function execProblem(
  [program = '', ...args]: readonly string[],
  { processes, clock }: Host,
  timeoutMs: number,
): Promise<string | undefined> {
  const late = Promise.withResolvers<undefined>();
  const callOff = clock.after(timeoutMs, () => late.resolve(undefined));
  const ran = await Promise.race([processes.run(program, args, '', timeoutMs), late.promise]);
  callOff();
  if (ran === undefined) return `${program} took more than ${timeoutMs} ms`;
  return ran.status === 0 ? undefined : `${program} ended with ${ran.status}: ${ran.stderr.trim().slice(0, 200)}`;
}
