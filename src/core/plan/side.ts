// One version of the files that a plan compares.
import type { Fleet } from '../fleet/index.ts';
import type { Lock, Rollouts } from '../rollout/index.ts';

export interface Side {
  readonly rollouts: Rollouts;
  readonly lock?: Lock | undefined;
  readonly fleet: Fleet;
}
