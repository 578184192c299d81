// Work in rounds, never two at a time: at once, then so long after the end of each round; sooner where somebody says that something changed.

export interface Rounds {
  /** Something changed: a round that begins after this takes it up, soon. */
  readonly soon: () => void;
  /** No round begins after this; resolves when the last one is over. */
  readonly stop: () => Promise<void>;
}

/** In milliseconds. */
export interface Pace {
  /** From the end of a round to the next, where nothing changes. */
  readonly idleMs: number;
  /** From a change to the round that takes it up: changes come in flocks. */
  readonly settleMs?: number;
  /** From the end of a round to the next, whatever changes. */
  readonly restMs?: number;
}

/** When the next round begins. Only the first change since the last round counts: later ones never put it off. */
export function nextRoundMs(
  { endedMs, changedMs }: { readonly endedMs: number; readonly changedMs: number | undefined },
  { idleMs, settleMs = 0, restMs = 0 }: Pace,
): number {
  const idle = endedMs + idleMs;
  return changedMs === undefined ? idle : Math.min(idle, Math.max(changedMs + settleMs, endedMs + restMs));
}

/** `onError` hears of a round that fails; the next one tries again. */
export function startRounds(round: () => Promise<void>, pace: Pace, onError: (error: unknown) => void): Rounds {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let changedMs: number | undefined;
  let endedMs: number | undefined;
  const plan = (): void => {
    clearTimeout(timer);
    if (stopped || endedMs === undefined) return;
    const delayMs = Math.max(0, nextRoundMs({ endedMs, changedMs }, pace) - performance.now());
    timer = setTimeout(() => void (running = work()), delayMs);
  };
  const work = async (): Promise<void> => {
    [endedMs, changedMs] = [undefined, undefined];
    await round().catch(onError);
    endedMs = performance.now();
    plan();
  };
  let running = work();
  return {
    soon: () => {
      changedMs ??= performance.now();
      plan();
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
