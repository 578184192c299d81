// One direction of a stream as a lane with room for one: a message that goes in pieces must be through before the next may begin,
// whoever sends it.

export interface Lane {
  /** Resolves with what leaves the lane again. */
  readonly enter: () => Promise<() => void>;
}

export function lane(): Lane {
  let last: Promise<void> = Promise.resolve();
  return {
    enter: async () => {
      const before = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      await before;
      return resolve;
    },
  };
}
