// The door of rollout: rollouts.yml, slots, the lock, and which revision a namespace is on.
export { findConflicts } from './conflicts.ts';
export { type Change, type Explanation, explain, type Match } from './explain.ts';
export { handOver, layOut, ownerOf, type Quota, quotaOf, type Run } from './hand-over.ts';
export { formatLock, type Lock, type LockBucket, lockBeside, parseLock } from './lock.ts';
export { revisionTrouble } from './naming.ts';
export { percentText } from './percent.ts';
export {
  type Assigned,
  type Assignment,
  createResolver,
  handOverNames,
  type Outside,
  type Ownership,
  type Resolver,
  type ResolverInput,
  systemNamespaces,
  type Tie,
} from './resolver.ts';
export { type Bucket, parseRollouts, type Rollouts, type RolloutsOptions, usualDefaultBucket } from './rollouts.ts';
export { countShares, type ShareCount } from './share-count.ts';
export { type SlotOf, slotCount, slots } from './slot.ts';
export { compareRevisions } from './version-order.ts';
