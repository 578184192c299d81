// The shell around the machine of the workload's certificate: performs its orders, prints its notes, wakes it.
import {
  beginIdentity,
  type IdentityEffect,
  type IdentityInput,
  type IdentityPolicy,
  type IdentityState,
  type Issued,
  identityDueMs,
  identityLine,
  identityStep,
  trustedRoots,
} from '../../../core/identity/index.ts';
import { prng } from '../../../core/std/prng.ts';
import type { Host } from '../../../ports/host.ts';
import type { Log } from '../log.ts';

export interface Workload {
  /** Undefined: none, or none that is still good. */
  readonly held: () => Issued | undefined;
  readonly roots: () => string | undefined;
  /** The control plane's trust anchors, in PEM, all of them. */
  readonly setAnchors: (pem: string) => void;
  readonly counts: () => OrderCounts;
  readonly end: () => void;
}

/** For metrics. */
export interface OrderCounts {
  readonly orders: number;
  readonly refused: number;
  /** Of all orders together. */
  readonly tookMs: number;
  /** Of the certificate that is held; undefined: there is none. */
  readonly expiresInMs: number | undefined;
}

type Answered = Extract<IdentityInput, { kind: 'issued' | 'refused' }>;

export interface WorkloadContext {
  readonly host: Host;
  readonly log: Log;
  readonly policy: IdentityPolicy;
  readonly order: (key: 'new' | 'same') => Promise<Answered>;
  readonly changed: () => void;
}

/** Certificates are good by the wall's clock, which may jump and goes on while a machine sleeps: the machine looks at least so often. */
const longestSleepMs = 60_000;

/** Counts what is ordered, and how it ends. */
function counted(
  { host, order }: WorkloadContext,
  counts: { orders: number; refused: number; tookMs: number },
): WorkloadContext['order'] {
  return async (key) => {
    const beganMs = host.clock.nowMs();
    counts.orders++;
    const answer = await order(key).catch(failure);
    counts.tookMs += host.clock.nowMs() - beganMs;
    if (answer.kind === 'refused') counts.refused++;
    return answer;
  };
}

/** Asks for the first certificate at once, and keeps one from then on. */
export function keepWorkload(context: WorkloadContext): Workload {
  const { host } = context;
  const counts = { orders: 0, refused: 0, tookMs: 0 };
  const { state, feed, end } = drive({ ...context, order: counted(context, counts) });
  return {
    held: () => state().held,
    roots: () => trustedRoots(state()),
    setAnchors: (pem) => feed({ kind: 'anchors', pem }),
    counts: () => ({ ...counts, expiresInMs: expiresInMs(state(), host) }),
    end,
  };
}

interface Driven {
  readonly state: () => IdentityState;
  readonly feed: (input: IdentityInput) => void;
  readonly end: () => void;
}

function drive(context: WorkloadContext): Driven {
  const { clock, nonce } = context.host;
  const random = prng(nonce());
  let [state, effects] = beginIdentity;
  let callOff = (): void => undefined;
  let ended = false;
  const feed = (input: IdentityInput): void => {
    if (ended) return;
    [state, effects] = identityStep(context.policy, state, input, { nowMs: clock.wallMs(), random });
    act();
  };
  const act = (): void => {
    for (const effect of effects) perform(context, effect, feed);
    callOff();
    callOff = clock.after(sleepMs(identityDueMs(state), clock.wallMs()), () => feed({ kind: 'tick' }));
  };
  const end = (): void => {
    ended = true;
    callOff();
  };
  act();
  return { state: () => state, feed, end };
}

function expiresInMs({ held }: IdentityState, { clock }: Host): number | undefined {
  return held === undefined ? undefined : held.expiresMs - clock.wallMs();
}

function sleepMs(dueMs: number | undefined, nowMs: number): number {
  return dueMs === undefined ? longestSleepMs : Math.min(longestSleepMs, Math.max(0, dueMs - nowMs));
}

function perform(
  { log, order, changed }: WorkloadContext,
  effect: IdentityEffect,
  feed: (input: IdentityInput) => void,
): void {
  if (effect.kind === 'request') return void order(effect.key).then(feed);
  if (effect.kind === 'publish') return changed();
  const { level, message, fields } = identityLine(effect.note);
  log(level, message, fields);
}

/** A bug of ours must not leave a pod without certificates for ever. */
function failure(error: unknown): Answered {
  return { kind: 'refused', problem: String(error), failure: 'lasting' };
}
