// What the node costs: nothing under `ideal`; under `kubelet` what was measured on small machines (containerd 2.4, overlayfs, one
// CNI plug-in). Each cost is drawn evenly from its range, by the seed, or always at one end to bound an interval.
import type { Timing } from '../../core/pod/index.ts';
import { type Prng, prng } from '../../core/std/prng.ts';

export type Cost = keyof typeof rangesMs;
export type Costs = (cost: Cost) => number;

/** Shortest and longest, in milliseconds. */
const rangesMs = {
  /** Until the volumes are there: the token's volume is mounted in a loop of 100 ms. */
  mount: [20, 500],
  sandbox: [250, 1200],
  stopSandbox: [50, 500],
  /** To see that an image is there. */
  lookUpImage: [0, 150],
  pull: [300, 1500],
  /** To create a container and start its process. */
  start: [40, 1100],
  failedStart: [40, 400],
  /** To run a command inside a container, for a hook or a probe. */
  exec: [20, 250],
  request: [1, 30],
  signal: [5, 100],
  /** From the end of a process until its container counts as ended. */
  exit: [5, 150],
  remove: [5, 120],
  resize: [5, 60],
} as const satisfies Readonly<Record<string, readonly [shortest: number, longest: number]>>;

/** A source of costs for a pod; `name` keeps pods of one seed apart. */
export function costsOf(timing: Timing, name: string): Costs {
  if (timing.kind === 'ideal') return () => 0;
  if (timing.draw === 'shortest') return (cost) => rangesMs[cost][0];
  if (timing.draw === 'longest') return (cost) => rangesMs[cost][1];
  const source = prng(timing.seed).split(`costs/${name}`);
  return (cost) => drawn(source, rangesMs[cost]);
}

function drawn(source: Prng, [shortest, longest]: readonly [number, number]): number {
  return Math.round(shortest + source.next() * (longest - shortest));
}
