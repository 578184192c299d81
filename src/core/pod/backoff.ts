// CrashLoopBackOff: when a container that ended may start again (client-go: util/flowcontrol/backoff.go; kubelet: doBackOff). Entries are the caller's; this file decides.
//
//   crash ─▶ no entry: start at once, entry = initial
//   crash ─▶ entry, and the run ended less than its delay ago: wait until end + delay
//   crash ─▶ entry, delay over: start, delay doubles up to the maximum
//   an entry 10 min without a start is gone (housekeeping), so a long run starts over at the initial delay
import type { Gates } from './policy.ts';
import type { BackoffEntry } from './state.ts';

export interface BackoffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** Without a start for this long an entry is forgotten. */
export const backoffForgetMs = 600_000;
/** Housekeeping, which forgets, runs this often. */
export const housekeepingMs = 2000;

/** The Max gate, on by default and defaulting to 300 s, overrules the 60 s cap that Reduce alone would give. */
export function backoffLimits(gates: Gates, maxContainerRestartPeriodMs: number): BackoffLimits {
  const reduced = gates.ReduceDefaultCrashLoopBackOffDecay;
  const maxMs = gates.KubeletCrashLoopBackOffMax ? maxContainerRestartPeriodMs : reduced ? 60_000 : 300_000;
  return { initialMs: Math.min(reduced ? 1000 : 10_000, maxMs), maxMs };
}

/** Until when a start is held back; undefined: it may start now. `endedAtMs` is the end of the newest ended run. */
export function heldUntilMs(
  entry: BackoffEntry | undefined,
  endedAtMs: number | undefined,
  nowMs: number,
): number | undefined {
  if (entry === undefined || endedAtMs === undefined) return undefined;
  if (endedAtMs - entry.lastUpdateMs > backoffForgetMs) return undefined;
  return nowMs - endedAtMs < entry.delayMs ? endedAtMs + entry.delayMs : undefined;
}

/** The entry after a start at `nowMs` that followed a run ended at `endedAtMs`. */
export function nextEntry(
  entry: BackoffEntry | undefined,
  { key, endedAtMs, nowMs }: { readonly key: string; readonly endedAtMs: number; readonly nowMs: number },
  limits: BackoffLimits,
): BackoffEntry {
  const forgotten = entry === undefined || endedAtMs - entry.lastUpdateMs > backoffForgetMs;
  const delayMs = forgotten ? limits.initialMs : Math.min(2 * entry.delayMs, limits.maxMs);
  return { key, delayMs, lastUpdateMs: nowMs };
}

/** When housekeeping would delete the entry: the first round after it has gone 10 min without a start. */
export function forgottenAtMs(entry: BackoffEntry, aligned: boolean): number {
  const due = entry.lastUpdateMs + backoffForgetMs;
  return aligned ? (Math.floor(due / housekeepingMs) + 1) * housekeepingMs : due + 1;
}
