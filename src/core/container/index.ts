// The door of the container set-up: what a pod's spec says about environment, volumes, user and ports, resolved.
export { type ContainerConfig, containerConfig, type User, type VolumeMount } from './config.ts';
export { portNumber } from './ports.ts';
export { checkSetup, podSetup } from './shape.ts';
export type { KeyedFiles, Lookup, PodFacts, Sources } from './sources.ts';
export { type PlannedFile, type VolumePlan, volumePlans } from './volumes.ts';
