// The door of reach: workloads that do not come to another revision by themselves.
export {
  isWatchedKind,
  type Subject,
  type Unreached,
  type UnreachedWorkload,
  unreached,
  unreachedBecause,
  unreachedProblems,
} from './reach.ts';
