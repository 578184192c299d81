// The door of reach: workloads that do not come to another revision by themselves, and the kinds that Krispr watches.
export {
  type Subject,
  type Unreached,
  type UnreachedWorkload,
  unreached,
  unreachedBecause,
  unreachedProblems,
} from './reach.ts';
export { isWatchedKind, type WatchedType, watchedTypes } from './watched.ts';
