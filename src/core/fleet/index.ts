// The door of fleet: fairway.yml and what follows from its settings. It loads the schema library: programs that may do
// without a fleet file import it only when there is one.
export { type ClusterView, fleetOfCluster } from './cluster.ts';
export type {
  Fleet,
  FleetBucket,
  FleetCluster,
  FleetHook,
  FleetKind,
  FleetLifecycle,
  FleetRevision,
  FleetShutdownGuard,
  UnlabelledRule,
} from './fleet.ts';
export { defaultFleet, parseFleet } from './parse.ts';
export { fleetJsonSchema } from './schema.ts';
export { type CompletionBound, completionBound, remutateAfterMs, unlabelledAction } from './settings.ts';
