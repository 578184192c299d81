// Whether a drain fits into a pod's grace period, and what would make it fit. The injector takes the deadline from here, the
// linter its findings; neither knows the margin by itself.

/** Time between the stop of Envoy and the end of the grace period: a second to end softly, one for the agent. */
export const stopMarginMs = 2000;

export interface DrainTimes {
  /** terminationGracePeriodSeconds. */
  readonly graceMs: number;
  /** The proxy container's own preStop; it runs before SIGTERM, within the grace period. */
  readonly preStopMs: number;
  /** terminationDrainDuration. */
  readonly drainMs: number;
  /** drainDuration: for how long Envoy discourages before it stops to accept. */
  readonly envoyDrainMs: number;
}

export interface DrainBudget {
  /** `no-margin`: the drain ends within the grace period, but less than the margin before its end. */
  readonly fits: 'yes' | 'no-margin' | 'no';
  /** preStop and drain, without the margin. */
  readonly needMs: number;
  /** What of the drain happens before SIGKILL. */
  readonly drainsForMs: number;
  /** Either would mend it; a grace period that is too short for any drain has no `shortenDrainToMs`. */
  readonly lengthenGraceToMs: number;
  readonly shortenDrainToMs: number | undefined;
  /** Envoy would discourage for longer than it can live. */
  readonly envoyDrainIsCutOff: boolean;
}

/** FAIRWAY_DRAIN_DEADLINE of a pod: grace period less the proxy's own preStop less the margin, never below 0. */
export function drainDeadlineMs({ graceMs, preStopMs }: Pick<DrainTimes, 'graceMs' | 'preStopMs'>): number {
  return Math.max(0, graceMs - preStopMs - stopMarginMs);
}

/** Judges one pod's times. */
export function drainBudget({ graceMs, preStopMs, drainMs, envoyDrainMs }: DrainTimes): DrainBudget {
  const needMs = preStopMs + drainMs;
  const deadlineMs = drainDeadlineMs({ graceMs, preStopMs });
  return {
    fits: needMs >= graceMs ? 'no' : drainMs > deadlineMs ? 'no-margin' : 'yes',
    needMs,
    drainsForMs: Math.min(drainMs, Math.max(0, graceMs - preStopMs)),
    lengthenGraceToMs: needMs + stopMarginMs,
    shortenDrainToMs: deadlineMs > 0 ? deadlineMs : undefined,
    envoyDrainIsCutOff: envoyDrainMs > graceMs,
  };
}
