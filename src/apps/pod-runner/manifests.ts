// What a run is given: pods, Deployments, and the config maps and secrets that they use, already parsed and validated.
import type { KeyedFiles } from '../../core/container/index.ts';
import type { DeploymentSpec } from '../../core/deployment/index.ts';
import type { Manifest, ObjectMeta } from '../../core/pod/index.ts';

export interface Manifests {
  readonly pods: readonly Manifest[];
  readonly deployments: readonly DeploymentManifest[];
  readonly objects: readonly KeyedFiles[];
}

export interface DeploymentManifest {
  readonly metadata: ObjectMeta;
  readonly spec: DeploymentSpec;
}
