// The door of install: the Kubernetes objects that put the admission server into a cluster.
export { installManifests, isInTheWay } from './manifests.ts';
export {
  appName,
  caSecretName,
  type InjectedRevision,
  type InstallOptions,
  type KubeObject,
  leaseName,
  sightsName,
} from './options.ts';
export { leastPolicyMinor, policyName, tableObject, tableResource } from './policy.ts';
export { resourceOf } from './resource.ts';
export { giveBack, type Switch, takeOver } from './take-over.ts';
export { injectConfigurationName, krisprConfigurationName } from './webhooks.ts';
export { memoryOptions } from './workload.ts';
