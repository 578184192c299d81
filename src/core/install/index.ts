// The door of install: the Kubernetes objects that put the admission server into a cluster.
export { installManifests } from './manifests.ts';
export {
  appName,
  caSecretName,
  type InjectedRevision,
  type InstallOptions,
  type KubeObject,
  leaseName,
} from './options.ts';
export { resourceOf } from './resource.ts';
export { giveBack, type Switch, takeOver } from './take-over.ts';
export { injectConfigurationName, krisprConfigurationName } from './webhooks.ts';
export { memoryOptions } from './workload.ts';
