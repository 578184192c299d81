// The rules of a coordination.k8s.io/v1 Lease, as client-go has them: a holder renews; a Lease that did not change for its
// duration, by the clock of whoever watches it, is free. Optimistic concurrency does the rest: a write names the version it saw.

/** spec of a Lease, as far as the rules need it. */
export interface Lease {
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  readonly version: string;
}

/** A Lease, and since when it has looked like this to us. */
export interface Seen {
  readonly lease: Lease | undefined;
  readonly sinceMs: number;
}

export interface Term {
  readonly durationMs: number;
  /** A holder that could not renew for this long has lost. Shorter than the duration by more than clocks drift apart. */
  readonly giveUpMs: number;
}

export interface Candidate {
  readonly name: string;
  readonly term: Term;
}

export const usualTerm: Term = { durationMs: 15_000, giveUpMs: 10_000 };

export type Write =
  | { readonly kind: 'create'; readonly transitions: number }
  | { readonly kind: 'update'; readonly version: string; readonly transitions: number };

/** What to write now, or undefined while another holds it. */
export function nextLease({ lease, sinceMs }: Seen, { name }: Candidate, nowMs: number): Write | undefined {
  if (lease === undefined) return { kind: 'create', transitions: 0 };
  const { holder, durationMs, transitions, version } = lease;
  if (holder === name) return { kind: 'update', version, transitions };
  const free = holder === '' || nowMs - sinceMs >= durationMs;
  return free ? { kind: 'update', version, transitions: transitions + 1 } : undefined;
}

/** Whether a candidate whose last write succeeded at `renewedMs` may act. */
export function holds(renewedMs: number | undefined, { term }: Candidate, nowMs: number): boolean {
  return renewedMs !== undefined && nowMs - renewedMs < term.giveUpMs;
}
