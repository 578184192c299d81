// Virtual time: what is due is called, in order, and nothing else moves the hand.
import { type EventQueue, eventQueue } from '../queue.ts';

export interface Clock {
  readonly nowMs: number;
  /** Calls at a time (never before now); `last`: after everything else of that instant. */
  at(atMs: number, call: () => void, last?: boolean): void;
}

export interface Driver {
  readonly clock: Clock;
  /** Runs everything due until a time, that included; stops early when `isOver` says so or nothing is left. */
  run(untilMs: number, isOver?: () => boolean): void;
}

/** A clock that stands at `startMs`. */
export function createDriver(startMs: number): Driver {
  const queue: EventQueue<() => void> = eventQueue();
  let nowMs = startMs;
  const clock: Clock = {
    get nowMs() {
      return nowMs;
    },
    at: (atMs, call, last) => {
      if (atMs < Number.POSITIVE_INFINITY) queue.put(Math.max(atMs, nowMs), call, last);
    },
  };
  const run = (untilMs: number, isOver: () => boolean = () => false): void => {
    while (queue.nextMs <= untilMs && !isOver()) {
      nowMs = queue.nextMs;
      queue.take()?.();
    }
    if (!isOver()) nowMs = Math.max(nowMs, Math.min(untilMs, Number.MAX_SAFE_INTEGER));
  };
  return { clock, run };
}
