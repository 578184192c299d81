// Work in rounds: at once, then so long after the end of each round, never two at a time.

export interface Rounds {
  /** No round begins after this; resolves when the last one is over. */
  readonly stop: () => Promise<void>;
}

/** `onError` hears of a round that fails; the next one tries again. */
export function startRounds(round: () => Promise<void>, everyMs: number, onError: (error: unknown) => void): Rounds {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const work = async (): Promise<void> => {
    await round().catch(onError);
    if (!stopped) timer = setTimeout(() => void (running = work()), everyMs);
  };
  let running = work();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
