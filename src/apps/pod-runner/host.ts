// All pods and Deployments of one `pod run`: what `kubectl` would ask a cluster, as calls. Names are unique in a namespace, and a name is free
// again when its object is gone.
import { isDeepStrictEqual } from 'node:util';
import type { DeploymentSpec, DeploymentStatus } from '../../core/deployment/index.ts';
import { type Manifest, type Pod, updateProblems } from '../../core/pod/index.ts';
import { InvariantError, type Problem, SpecError, UsageError } from '../../core/std/errors.ts';
import type { PodRuntime } from '../../ports/pod-node.ts';
import { LiveDeployment } from './live-deployment.ts';
import { LivePod, type LivePodOptions } from './live-pod.ts';
import type { Manifests } from './manifests.ts';
import type { Observer } from './observer.ts';

export interface DeploymentView {
  readonly key: string;
  readonly wanted: number;
  readonly status: DeploymentStatus;
}

export type Applied = 'created' | 'configured' | 'unchanged';

export class PodHost {
  readonly #options: LivePodOptions;
  readonly #pods = new Map<string, LivePod>();
  readonly #deployments = new Map<string, LiveDeployment>();
  readonly #waiting = new Set<() => void>();

  constructor(options: LivePodOptions) {
    const { observer } = options;
    const onEffect: Observer['onEffect'] = (pod, effect) => {
      observer.onEffect(pod, effect);
      if (effect.kind === 'pod') queueMicrotask(() => this.#changed());
    };
    this.#options = { ...options, observer: { ...observer, onEffect } };
  }

  /** Creates or changes what the manifests hold; nothing is done when one of them cannot be. */
  apply({ pods, deployments, objects }: Manifests): readonly (readonly [key: string, what: Applied])[] {
    const problems = pods.flatMap((manifest) => this.#updateProblems(manifest));
    if (problems.length > 0) throw new SpecError(problems);
    for (const object of objects) this.#options.objects.put(object);
    const made: (readonly [string, Applied])[] = [];
    for (const manifest of pods) made.push([`pod/${keyOf(manifest.metadata)}`, this.#applyPod(manifest)]);
    for (const { metadata, spec } of deployments) {
      made.push([`deployment/${keyOf(metadata)}`, this.#applyDeployment(keyOf(metadata), spec)]);
    }
    return made;
  }

  /** `pod/NAME`, `deployment/NAME` or a pod's bare name; the namespace is in the key where it is not default. */
  delete(reference: string, gracePeriodSeconds: number | undefined): void {
    const [kind, key] = splitReference(reference);
    if (kind === 'deployment') {
      const deployment = this.#deployments.get(key);
      if (deployment === undefined) throw notFound(reference);
      deployment.delete(gracePeriodSeconds);
      this.#deployments.delete(key);
      return;
    }
    this.pod(key).feed({ kind: 'delete', gracePeriodSeconds });
    this.#changed();
  }

  /** Everything, each with its own grace. */
  deleteAll(): void {
    for (const key of this.#deployments.keys()) this.delete(`deployment/${key}`, undefined);
    for (const [key, pod] of this.#pods) if (!pod.isGone) this.delete(`pod/${key}`, undefined);
  }

  pods(): readonly Pod[] {
    return [...this.#pods.values()].map(({ pod }) => pod);
  }

  deployments(): readonly DeploymentView[] {
    return [...this.#deployments].map(([key, deployment]) => ({
      key,
      wanted: deployment.spec.replicas,
      status: deployment.status,
    }));
  }

  runtime(key: string): PodRuntime {
    return this.pod(key).runtime;
  }

  pod(key: string): LivePod {
    const found = this.#pods.get(key);
    if (found === undefined) throw notFound(`pod/${key}`);
    return found;
  }

  /** Settles when every pod has come to its end and no Deployment is left to make new ones. */
  async idle(): Promise<void> {
    for (;;) {
      const live = [...this.#pods.values()].filter((pod) => !pod.isOver);
      if (live.length === 0 && this.#deployments.size === 0) break;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      await Promise.race([promise, ...live.map(({ ended }) => ended)]);
      this.#waiting.delete(resolve);
    }
    await Promise.all([...this.#pods.values()].map(({ ended }) => ended));
  }

  #applyPod(manifest: Manifest): Applied {
    const key = keyOf(manifest.metadata);
    const existing = this.#pods.get(key);
    if (existing === undefined) {
      this.#create(manifest);
      return 'created';
    }
    if (sameSpec(existing.pod, manifest)) return 'unchanged';
    existing.feed({ kind: 'updateSpec', spec: { ...existing.pod.spec, ...manifest.spec } });
    return 'configured';
  }

  #applyDeployment(key: string, spec: DeploymentSpec): Applied {
    const existing = this.#deployments.get(key);
    if (existing !== undefined) return existing.update(spec) ? 'configured' : 'unchanged';
    const [name = '', namespace = 'default'] = key.split('/').toReversed();
    const deployment = new LiveDeployment(spec, {
      name,
      namespace,
      nowMs: this.#options.nowMs,
      pods: () => this.pods(),
      create: (manifest) => this.#create(manifest),
      remove: (pod, grace) => this.delete(`pod/${pod}`, grace),
    });
    this.#deployments.set(key, deployment);
    deployment.step();
    return 'created';
  }

  #create(manifest: Manifest): void {
    const key = keyOf(manifest.metadata);
    if (this.#pods.has(key)) throw new InvariantError(`pod ${key} exists`);
    this.#pods.set(key, new LivePod(manifest, this.#options));
  }

  #updateProblems(manifest: Manifest): readonly Problem[] {
    const existing = this.#pods.get(keyOf(manifest.metadata));
    if (existing === undefined || sameSpec(existing.pod, manifest)) return [];
    return updateProblems('spec', existing.pod.spec, { ...existing.pod.spec, ...manifest.spec });
  }

  /** Forgets what is gone, and lets Deployments look again. */
  #changed(): void {
    for (const [key, pod] of this.#pods) {
      if (pod.isGone && pod.isOver) this.#pods.delete(key);
    }
    for (const deployment of this.#deployments.values()) deployment.step();
    for (const wake of this.#waiting) wake();
  }
}

/** `NAME` in the namespace default, else `NAMESPACE/NAME`. */
export function keyOf(metadata: { readonly name: string; readonly namespace?: string | undefined }): string {
  const { name, namespace = 'default' } = metadata;
  return namespace === 'default' ? name : `${namespace}/${name}`;
}

function splitReference(reference: string): readonly [kind: string, key: string] {
  const found = /^(pods?|deployments?|deploy)\/(.+)$/.exec(reference);
  if (found === null) return ['pod', reference];
  return [found[1]?.startsWith('pod') ? 'pod' : 'deployment', found[2] ?? ''];
}

/** The manifest says nothing else than the pod has. */
function sameSpec(pod: Pod, manifest: Manifest): boolean {
  return isDeepStrictEqual({ ...pod.spec, ...manifest.spec }, pod.spec);
}

function notFound(reference: string): UsageError {
  return new UsageError(`there is no ${reference}`, { hint: 'fairway pod get lists what runs' });
}
