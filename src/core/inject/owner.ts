// The workload that a pod belongs to, guessed from the pod alone, as Istio guesses it (pkg/kube GetDeployMetaFromPod): a ReplicaSet's
// name without its hash is a Deployment, a Job's with a time is a CronJob.
import { isObject, type JsonObject, objectAt, textAt } from '../std/json.ts';

export interface Owner {
  readonly name: string;
  readonly namespace: string;
  readonly kind: string;
  readonly apiVersion: string;
}

/** The owner of a pod; the pod itself where nothing controls it. */
export function ownerOf(pod: JsonObject): Owner {
  const metadata = objectAt(pod, 'metadata');
  const namespace = textAt(metadata, 'namespace') ?? '';
  const own: Owner = { name: textAt(metadata, 'name') ?? '', namespace, kind: 'Pod', apiVersion: 'v1' };
  const reference = textAt(metadata, 'generateName') ? controllerOf(metadata) : undefined;
  if (reference === undefined) return own;
  const found = promote(
    {
      namespace,
      name: textAt(reference, 'name') ?? '',
      kind: textAt(reference, 'kind') ?? '',
      apiVersion: textAt(reference, 'apiVersion') ?? '',
    },
    objectAt(metadata, 'labels'),
  );
  return found.name === '' ? { ...found, name: own.name } : found;
}

function controllerOf(metadata: JsonObject): JsonObject | undefined {
  const references = metadata['ownerReferences'];
  return Array.isArray(references)
    ? references.filter(isObject).find((reference) => reference['controller'] === true)
    : undefined;
}

function promote(owner: Owner, labels: JsonObject): Owner {
  if (owner.kind === 'ReplicaSet') {
    const hash = textAt(labels, 'pod-template-hash');
    if (hash && owner.name.endsWith(hash)) return { ...owner, kind: 'Deployment', name: withoutHash(owner.name, hash) };
    const rollout = textAt(labels, 'rollouts-pod-template-hash');
    if (rollout && owner.name.endsWith(rollout)) {
      return { ...owner, kind: 'Rollout', apiVersion: 'v1alpha1', name: withoutHash(owner.name, rollout) };
    }
  }
  const config = textAt(labels, 'deploymentconfig');
  if (owner.kind === 'ReplicationController' && config) return { ...owner, kind: 'DeploymentConfig', name: config };
  const cron = owner.kind === 'Job' ? /^(.+)-\d{8,10}$/.exec(owner.name) : null;
  return cron === null ? owner : { ...owner, kind: 'CronJob', apiVersion: 'batch/v1', name: cron[1] ?? '' };
}

function withoutHash(name: string, hash: string): string {
  return name.endsWith(`-${hash}`) ? name.slice(0, -hash.length - 1) : name;
}
