// The door of fleet: fairway.yml and what follows from its settings.
export type { Fleet, FleetBucket, FleetKind, FleetRevision, UnlabelledRule } from './fleet.ts';
