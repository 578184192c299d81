// The shell around the machine of the workload's certificate: performs its orders, prints its notes, wakes it.
import {
  beginIdentity,
  type IdentityEffect,
  type IdentityInput,
  type IdentityPolicy,
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
  readonly end: () => void;
}

export interface WorkloadContext {
  readonly host: Host;
  readonly log: Log;
  readonly policy: IdentityPolicy;
  readonly order: (key: 'new' | 'same') => Promise<Extract<IdentityInput, { kind: 'issued' | 'refused' }>>;
  readonly changed: () => void;
}

/** Certificates are good by the wall's clock, which may jump and goes on while a machine sleeps: the machine looks at least so often. */
const longestSleepMs = 60_000;

/** Asks for the first certificate at once, and keeps one from then on. */
export function keepWorkload(context: WorkloadContext): Workload {
  const { host, policy } = context;
  const random = prng(host.nonce());
  let [state, effects] = beginIdentity;
  let callOff = (): void => undefined;
  let ended = false;
  const feed = (input: IdentityInput): void => {
    if (ended) return;
    [state, effects] = identityStep(policy, state, input, { nowMs: host.clock.wallMs(), random });
    act();
  };
  const act = (): void => {
    for (const effect of effects) perform(context, effect, feed);
    callOff();
    callOff = host.clock.after(sleepMs(identityDueMs(state), host.clock.wallMs()), () => feed({ kind: 'tick' }));
  };
  const end = (): void => {
    ended = true;
    callOff();
  };
  act();
  const setAnchors = (pem: string): void => feed({ kind: 'anchors', pem });
  return { held: () => state.held, roots: () => trustedRoots(state), setAnchors, end };
}

function sleepMs(dueMs: number | undefined, nowMs: number): number {
  return dueMs === undefined ? longestSleepMs : Math.min(longestSleepMs, Math.max(0, dueMs - nowMs));
}

function perform(
  { log, order, changed }: WorkloadContext,
  effect: IdentityEffect,
  feed: (input: IdentityInput) => void,
): void {
  if (effect.kind === 'request') return void order(effect.key).catch(failure).then(feed);
  if (effect.kind === 'publish') return changed();
  const { level, message, fields } = identityLine(effect.note);
  log(level, message, fields);
}

/** A bug of ours must not leave a pod without certificates for ever. */
function failure(error: unknown): IdentityInput {
  return { kind: 'refused', problem: String(error), failure: 'lasting' };
}
