// The shell around the machine of core/proxy: feeds it inputs, performs its effects with time-outs, prints its notes, wakes it.
// It decides nothing; what happens when is in core/proxy/machine.ts.
import {
  beginProxy,
  countActive,
  countQuery,
  dueAtMs,
  logLine,
  type Note,
  type OwnListeners,
  type ProxyEffect,
  type ProxyInput,
  type ProxyPolicy,
  type ProxyState,
  type Reading,
  terminationMessage,
  transition,
} from '../../core/proxy/index.ts';
import type { Host } from '../../ports/host.ts';
import type { Child, Program } from '../../ports/processes.ts';
import { type Admin, askEnvoy } from './admin.ts';
import type { Log } from './log.ts';

export interface Supervised {
  readonly host: Host;
  readonly log: Log;
  readonly policy: ProxyPolicy;
  readonly program: Program;
  readonly admin: Admin;
  readonly own: OwnListeners;
  /** Where the application's ports are dialled. */
  readonly appHosts: readonly string[];
  readonly terminationLog: string;
  readonly onStarted: (pid: number) => void;
  readonly closeStatus: () => void;
}

export interface Supervision {
  readonly feed: (input: ProxyInput) => void;
  readonly state: () => ProxyState;
  /** Starts Envoy; resolves to the agent's exit code when Envoy has ended. */
  readonly run: () => Promise<number>;
}

const drainTimeoutMs = 5000;
const countTimeoutMs = 2000;
const dialTimeoutMs = 900;
const watchEveryMs = 50;
/** Interception leaves connections from this address alone. */
const sourceOfProbes = { v4: '127.0.0.6', v6: '::6' } as const;

/** One Envoy's life. */
export function supervise(options: Supervised): Supervision {
  const { host, policy } = options;
  const { promise, resolve } = Promise.withResolvers<number>();
  const [first, begun] = beginProxy(policy, host.clock.nowMs());
  let state = first;
  let child: Child | undefined;
  let callOff: () => void = () => undefined;

  const early: ProxyInput[] = [];
  let running = false;

  const feed = (input: ProxyInput): void => {
    if (!running) return void early.push(input); // Envoy is ended only after it was started
    const [next, effects] = transition(policy, state, input, host.clock.nowMs());
    state = next;
    effects.forEach(perform);
    callOff();
    const due = dueAtMs(policy, state);
    if (due !== undefined) callOff = host.clock.after(due - host.clock.nowMs(), () => feed({ kind: 'tick' }));
  };
  const perform = (effect: ProxyEffect): void => {
    switch (effect.kind) {
      case 'start':
        child = startEnvoy(options, feed);
        break;
      case 'watch-app':
        watchApp(options, effect.files, feed, () => state.at === 'draining');
        break;
      case 'signal':
        child?.kill(effect.signal);
        break;
      case 'drain':
        void requestDrain(options, effect.path).then((problem) => feed({ kind: 'drain-answered', problem }));
        break;
      case 'count':
        void count(options, effect.unit).then((reading) => feed({ kind: 'counted', reading }));
        break;
      case 'dial':
        void openPorts(options, effect.ports).then((open) => feed({ kind: 'dialled', open }));
        break;
      case 'close-status':
        options.closeStatus();
        break;
      case 'note':
        tell(options, effect.note);
        break;
      case 'exit':
        resolve(effect.code);
        break;
    }
  };
  const run = (): Promise<number> => {
    running = true;
    begun.forEach(perform);
    early.forEach(feed);
    return promise;
  };
  return { feed, state: () => state, run };
}

/** Looks until none of the application's files is there, or nobody waits any more. */
function watchApp(
  { host }: Supervised,
  files: readonly string[],
  feed: (input: ProxyInput) => void,
  isWaitedFor: () => boolean,
): void {
  const look = (): void => {
    if (!isWaitedFor()) return;
    if (files.some((file) => host.files.exists(file))) host.clock.after(watchEveryMs, look);
    else feed({ kind: 'app-gone' });
  };
  host.clock.after(watchEveryMs, look);
}

function startEnvoy({ host, program, onStarted }: Supervised, feed: (input: ProxyInput) => void): Child {
  const child = host.processes.spawn(program);
  if (child.pid !== undefined) onStarted(child.pid);
  void child.ended.then((status) => feed({ kind: 'exited', status }));
  return child;
}

function tell({ host, log, terminationLog }: Supervised, note: Note): void {
  const { level, message, fields } = logLine(note);
  log(level, message, fields);
  if (note.kind !== 'died' || terminationLog === '') return;
  const problem = host.files.write(terminationLog, terminationMessage(note));
  if (problem !== undefined) log('debug', 'cannot write the termination message', { problem });
}

async function requestDrain({ host, admin }: Supervised, path: string): Promise<string | undefined> {
  const answer = await askEnvoy(host, { method: 'POST', admin, path, timeoutMs: drainTimeoutMs });
  return answer.kind === 'failed' ? answer.problem : undefined;
}

async function count({ host, admin, own }: Supervised, unit: 'connections' | 'requests'): Promise<Reading> {
  const answer = await askEnvoy(host, { method: 'GET', admin, path: countQuery(unit), timeoutMs: countTimeoutMs });
  return answer.kind === 'failed' ? answer : countActive(answer.text, unit, own);
}

/** A port is open unless every address of the application refuses it: a time-out may be a full backlog. */
async function openPorts({ host, appHosts }: Supervised, ports: readonly number[]): Promise<number[]> {
  const dials = ports.flatMap((port) => appHosts.map((target) => ({ port, target })));
  const results = await Promise.all(
    dials.map(async ({ port, target }) => {
      const localAddress = target.includes(':') ? sourceOfProbes.v6 : sourceOfProbes.v4;
      const { kind } = await host.net.dial({ host: target, port, timeoutMs: dialTimeoutMs, localAddress });
      return { port, refused: kind === 'refused' };
    }),
  );
  return ports.filter((port) => results.some((result) => result.port === port && !result.refused));
}
