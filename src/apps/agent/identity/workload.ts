// The shell around the machine of the workload's certificate: performs its orders, prints its notes, wakes it.
import {
  beginIdentity,
  type IdentityEffect,
  type IdentityInput,
  type IdentityPolicy,
  identityDueMs,
  identityLine,
  identityStep,
  type Issued,
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
export function keepWorkload({ host, log, policy, order, changed }: WorkloadContext): Workload {
  const random = prng(host.nonce());
  const [first, begun] = beginIdentity;
  let state = first;
  let ended = false;
  let callOff: () => void = () => undefined;
  const feed = (input: IdentityInput): void => {
    if (ended) return;
    const [next, effects] = identityStep(policy, state, input, { nowMs: host.clock.wallMs(), random });
    state = next;
    effects.forEach(perform);
    callOff();
    const dueMs = identityDueMs(state);
    if (dueMs === undefined) return;
    const inMs = Math.min(longestSleepMs, Math.max(0, dueMs - host.clock.wallMs()));
    callOff = host.clock.after(inMs, () => feed({ kind: 'tick' }));
  };
  const perform = (effect: IdentityEffect): void => {
    if (effect.kind === 'request') return void order(effect.key).then(feed, (error: unknown) => feed(failure(error)));
    if (effect.kind === 'publish') return changed();
    const { level, message, fields } = identityLine(effect.note);
    log(level, message, fields);
  };
  begun.forEach(perform);
  return {
    held: () => state.held,
    roots: () => trustedRoots(state),
    setAnchors: (pem) => feed({ kind: 'anchors', pem }),
    end: () => {
      ended = true;
      callOff();
    },
  };
}

/** A bug of ours must not leave a pod without certificates for ever. */
function failure(error: unknown): IdentityInput {
  return { kind: 'refused', problem: String(error), failure: 'lasting' };
}
