// One Deployment: carries out what `reconcile` decides, whenever a pod changes or a pod becomes available by time alone.
import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type DeploymentSpec,
  type DeploymentStatus,
  type Replica,
  type ReplicaSet,
  reconcile,
  templateHash,
} from '../../core/deployment/index.ts';
import type { Manifest, Pod, PodSpec } from '../../core/pod/index.ts';

export interface DeploymentOptions {
  readonly name: string;
  readonly namespace: string;
  readonly nowMs: () => number;
  readonly pods: () => readonly Pod[];
  readonly create: (manifest: Manifest) => void;
  /** The pod's key, and the grace if it is not its own. */
  readonly remove: (key: string, gracePeriodSeconds: number | undefined) => void;
}

/** Carried by every pod that a Deployment made, so that a pod of its own with the same labels is left alone. */
const ownerAnnotation = 'fairway.dev/deployment';
const hashLabel = 'pod-template-hash';
const letters = 'bcdfghjklmnpqrstvwxz2456789';

export class LiveDeployment {
  readonly #options: DeploymentOptions;
  #spec: DeploymentSpec;
  readonly #templates = new Map<string, DeploymentSpec['template']>();
  #sets: readonly ReplicaSet[] = [];
  #status: DeploymentStatus = { replicas: 0, updated: 0, ready: 0, available: 0, complete: false };
  #timer: NodeJS.Timeout | undefined;
  #stepping = false;
  #deleted = false;

  constructor(spec: DeploymentSpec, options: DeploymentOptions) {
    this.#spec = spec;
    this.#options = options;
  }

  get spec(): DeploymentSpec {
    return this.#spec;
  }

  get status(): DeploymentStatus {
    return this.#status;
  }

  /** False when the spec says nothing new. */
  update(spec: DeploymentSpec): boolean {
    if (isDeepStrictEqual(spec, this.#spec)) return false;
    this.#spec = spec;
    this.step();
    return true;
  }

  /** Its pods are deleted with it. */
  delete(gracePeriodSeconds: number | undefined): void {
    this.#deleted = true;
    clearTimeout(this.#timer);
    for (const pod of this.#ownPods()) {
      if (pod.metadata.deletionTimestamp === undefined) this.#options.remove(this.#keyOf(pod), gracePeriodSeconds);
    }
  }

  /** One round after the other until nothing is left to do now. What it does itself changes pods, so it must not be entered twice. */
  step(): void {
    if (this.#stepping || this.#deleted) return;
    this.#stepping = true;
    try {
      while (this.#round());
    } finally {
      this.#stepping = false;
    }
  }

  #round(): boolean {
    const hash = templateHash(this.#spec.template);
    this.#templates.set(hash, this.#spec.template);
    const nowMs = this.#options.nowMs();
    const replicas = this.#ownPods().map(replicaOf);
    const decision = reconcile({ spec: this.#spec, hash, sets: this.#sets, replicas, nowMs });
    const changed = !isDeepStrictEqual(decision.sets, this.#sets);
    this.#sets = decision.sets;
    this.#status = decision.status;
    for (const one of decision.create) this.#create(one);
    for (const name of decision.remove) this.#options.remove(this.#key(name), undefined);
    clearTimeout(this.#timer);
    if (decision.wakeAtMs < Number.POSITIVE_INFINITY) {
      this.#timer = setTimeout(() => this.step(), decision.wakeAtMs - nowMs);
    }
    return changed || decision.create.length > 0 || decision.remove.length > 0;
  }

  #create(hash: string): void {
    const { name, namespace, create } = this.#options;
    const template = this.#templates.get(hash) ?? this.#spec.template;
    const suffix = Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join('');
    create({
      metadata: {
        name: `${name}-${hash}-${suffix}`,
        namespace,
        labels: { ...template.metadata.labels, [hashLabel]: hash },
        annotations: { ...template.metadata.annotations, [ownerAnnotation]: name },
      },
      spec: template.spec as unknown as PodSpec,
    });
  }

  #ownPods(): readonly Pod[] {
    const { name, namespace, pods } = this.#options;
    return pods().filter(
      ({ metadata }) => metadata.annotations?.[ownerAnnotation] === name && metadata.namespace === namespace,
    );
  }

  #keyOf(pod: Pod): string {
    return this.#key(pod.metadata.name);
  }

  #key(name: string): string {
    const { namespace } = this.#options;
    return namespace === 'default' ? name : `${namespace}/${name}`;
  }
}

function replicaOf({ metadata, status }: Pod): Replica {
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  const ended = status.phase === 'Failed' || status.phase === 'Succeeded';
  const deleting = metadata.deletionTimestamp !== undefined;
  return {
    name: metadata.name,
    hash: metadata.labels?.[hashLabel] ?? '',
    at: ended ? 'ended' : deleting ? 'deleting' : ready?.status === 'True' ? 'ready' : 'starting',
    readySinceMs: ready?.lastTransitionTime ?? 0,
    createdAtMs: metadata.creationTimestamp ?? 0,
  };
}
