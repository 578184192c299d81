// The door of Deployments: parse the spec, hash the template, decide the next step.
export { templateHash } from './hash.ts';
export { type Decision, type DeploymentStatus, type Replica, type ReplicaSet, reconcile } from './reconcile.ts';
export { type DeploymentSpec, parseDeployment } from './spec.ts';
