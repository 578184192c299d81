// The door of install: the Kubernetes objects that put the admission server into a cluster.
export { installManifests } from './manifests.ts';
export type { InjectedRevision, InstallOptions, KubeObject } from './options.ts';
export { resourceOf } from './resource.ts';
