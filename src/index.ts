// The library's door: what other programs may import from `fairway`.

export type { Fleet, FleetBucket, FleetCluster, FleetKind, FleetRevision, UnlabelledRule } from './core/fleet/index.ts';
export * from './core/rollout/index.ts';
export { formatProblem, type Problem, SpecError } from './core/std/errors.ts';
