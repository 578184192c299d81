// The door of plan: what an edit of rollouts.yml does.
export type { BucketChange } from './buckets.ts';
export type { Move } from './moves.ts';
export { type NextLock, nextLock } from './next-lock.ts';
export type { StuckWorkload } from './obstacles.ts';
export { type Plan, type PlanInput, plan } from './plan.ts';
export type { ShareRow } from './shares.ts';
export type { Side } from './side.ts';
