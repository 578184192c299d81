// The workload's own certificate: one request at a time, renewed before it ends, kept while it is good. Owns when to ask and what
// is served meanwhile; refuses to make keys, to call a CA, to read a clock.
//
//            issued                      renewal is due · anchors changed
//  asking ───────────▶ resting ───────────────────────────────────────────▶ asking
//    │  ▲                  ▲
//    │  └── due ── waiting ◀── refused ── asking          (failures counted, backoff)
//    └── issued, anchors changed meanwhile ──▶ asking
//
// Whoever asks for a secret that is not there yet waits: `publish` tells when it is. What is held is served until it expires, whatever
// the CA does meanwhile; Istio's agent forgets it as soon as it asks for the next one (`keepHeld` false).
import type { Prng } from '../std/prng.ts';
import { mergeRoots, pemCertificates } from './pem.ts';
import { rootsName, workloadName } from './resource.ts';
import { type Failure, type Life, type Rotation, renewAtMs, retryDelayMs } from './rotation.ts';

export interface IdentityPolicy extends Rotation {
  readonly keepHeld: boolean;
}

/** What a CA gave, with the key that it belongs to; all in PEM. */
export interface Issued extends Life {
  readonly chain: string;
  readonly key: string;
  /** By which this CA's certificates are checked. */
  readonly root: string;
}

export interface IdentityState {
  readonly held: Issued | undefined;
  /** The CA's root as last seen; it outlives what is held. */
  readonly root: string | undefined;
  /** Roots that the control plane announced beside the CA's own. */
  readonly anchors: string;
  readonly next: Next;
}

type Next =
  | { readonly at: 'asking'; readonly failures: number; readonly again: boolean }
  | { readonly at: 'waiting'; readonly failures: number; readonly untilMs: number }
  | { readonly at: 'resting'; readonly untilMs: number };

export type IdentityInput =
  | { readonly kind: 'issued'; readonly issued: Issued }
  | { readonly kind: 'refused'; readonly problem: string; readonly failure: Failure }
  /** The control plane's trust anchors (PEM) have come, all of them. */
  | { readonly kind: 'anchors'; readonly pem: string }
  | { readonly kind: 'tick' };

export type IdentityEffect =
  /** Ask the CA. A repeated request keeps its key: making one costs more than all the rest. */
  | { readonly kind: 'request'; readonly key: 'new' | 'same' }
  /** These secrets have changed, or are there for the first time. */
  | { readonly kind: 'publish'; readonly names: readonly string[] }
  | { readonly kind: 'note'; readonly note: IdentityNote };

export type IdentityNote =
  | { readonly kind: 'issued'; readonly lifeMs: number; readonly renewInMs: number }
  | { readonly kind: 'root-changed'; readonly certificates: number }
  | { readonly kind: 'anchors-changed'; readonly certificates: number }
  | { readonly kind: 'refused'; readonly problem: string; readonly failures: number; readonly retryInMs: number }
  | { readonly kind: 'expired' };

export interface Moment {
  readonly nowMs: number;
  readonly random: Prng;
}

type Step = readonly [state: IdentityState, effects: readonly IdentityEffect[]];

/** Nothing is held, and the CA is asked. */
export const beginIdentity: Step = [
  { held: undefined, root: undefined, anchors: '', next: { at: 'asking', failures: 0, again: false } },
  [{ kind: 'request', key: 'new' }],
];

/** Total: every input has an answer in every state; an answer that nobody asked for changes nothing. */
export function identityStep(policy: IdentityPolicy, state: IdentityState, input: IdentityInput, moment: Moment): Step {
  switch (input.kind) {
    case 'issued':
      return state.next.at === 'asking' ? issued(policy, state, input.issued, moment) : [state, []];
    case 'refused':
      return state.next.at === 'asking' ? refused(state, input, moment) : [state, []];
    case 'anchors':
      return anchors(policy, state, input.pem);
    case 'tick':
      return tick(policy, state, moment.nowMs);
  }
}

/** When the machine wants a tick, in milliseconds since 1970; undefined: it waits for the CA. */
export function identityDueMs({ held, next }: IdentityState): number | undefined {
  const times = [held?.expiresMs, next.at === 'asking' ? undefined : next.untilMs].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** The roots of peers: the CA's and those announced. Undefined: no CA has answered yet. */
export function trustedRoots({ root, anchors: announced }: IdentityState): string | undefined {
  return root === undefined ? undefined : mergeRoots([root, announced]);
}

function issued(policy: IdentityPolicy, state: IdentityState, given: Issued, moment: Moment): Step {
  const { nowMs, random } = moment;
  if (given.expiresMs <= nowMs) return refused(state, endedBefore, moment);
  const untilMs = renewAtMs(policy, given, random);
  const again = state.next.at === 'asking' && state.next.again;
  const next: Next = again ? { at: 'asking', failures: 0, again: false } : { at: 'resting', untilMs };
  const told = note({ kind: 'issued', lifeMs: given.expiresMs - nowMs, renewInMs: untilMs - nowMs });
  const request: readonly IdentityEffect[] = again ? [{ kind: 'request', key: 'new' }] : [];
  return [
    { ...state, held: given, root: given.root, next },
    [told, ...publishIssued(state.root, given.root), ...request],
  ];
}

/** The root first: a peer may already show a certificate of the new one. */
function publishIssued(before: string | undefined, root: string): readonly IdentityEffect[] {
  if (root === before) return [{ kind: 'publish', names: [workloadName] }];
  const publish: IdentityEffect = { kind: 'publish', names: [rootsName, workloadName] };
  if (before === undefined) return [publish];
  return [note({ kind: 'root-changed', certificates: pemCertificates(root).length }), publish];
}

const endedBefore = {
  kind: 'refused',
  problem: 'the certificate has already ended: the clocks of CA and workload may differ',
  failure: 'lasting',
} as const;

function refused(
  state: IdentityState,
  { problem, failure }: Extract<IdentityInput, { kind: 'refused' }>,
  { nowMs, random }: Moment,
): Step {
  const failures = state.next.at === 'asking' ? state.next.failures + 1 : 1;
  const leftMs = state.held === undefined ? undefined : state.held.expiresMs - nowMs;
  const retryInMs = retryDelayMs(failures, failure, leftMs, random);
  return [
    { ...state, next: { at: 'waiting', failures, untilMs: nowMs + retryInMs } },
    [note({ kind: 'refused', problem, failures, retryInMs })],
  ];
}

/** A change of trust wants a new certificate too: the old one's CA may be about to go (Istio's UpdateConfigTrustBundle). */
function anchors(policy: IdentityPolicy, state: IdentityState, given: string): Step {
  const merged = mergeRoots([given]);
  if (merged === state.anchors) return [state, []];
  const changed = { ...state, anchors: merged };
  const told = note({ kind: 'anchors-changed', certificates: pemCertificates(merged).length });
  const publish: readonly IdentityEffect[] = state.root === undefined ? [] : [{ kind: 'publish', names: [rootsName] }];
  if (state.next.at === 'asking') {
    const again = state.root !== undefined; // the first answer of all comes from the CA that is there now
    return [{ ...changed, next: { ...state.next, again } }, [told, ...publish]];
  }
  const [asking, effects] = ask(policy, changed, state.next.at === 'waiting' ? 'same' : 'new');
  return [asking, [told, ...publish, ...effects]];
}

function tick(policy: IdentityPolicy, state: IdentityState, nowMs: number): Step {
  const { held, next } = state;
  const gone = held !== undefined && nowMs >= held.expiresMs;
  const left = gone ? { ...state, held: undefined } : state;
  const told = gone ? [note({ kind: 'expired' })] : [];
  if (next.at === 'asking' || nowMs < next.untilMs) return [left, told];
  const [asking, effects] = ask(policy, left, next.at === 'waiting' ? 'same' : 'new');
  return [asking, [...told, ...effects]];
}

function ask(policy: IdentityPolicy, state: IdentityState, key: 'new' | 'same'): Step {
  const failures = state.next.at === 'waiting' ? state.next.failures : 0;
  const held = policy.keepHeld ? state.held : undefined;
  return [{ ...state, held, next: { at: 'asking', failures, again: false } }, [{ kind: 'request', key }]];
}

function note(told: IdentityNote): IdentityEffect {
  return { kind: 'note', note: told };
}
