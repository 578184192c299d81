// The shutdown guard: an application that ends at SIGTERM loses the requests that still come while endpoints are taken away. A container
// without a preStop gets a sleep, and the grace period as many seconds more. Never an owner's own hook, never a pod without a proxy.
import type { Plain } from '../../manifest/index.ts';
import { type NamespaceLabels, outsideMesh } from '../mesh.ts';
import { applies, type Mutator, type PatchOperation, setMember, skips, type Verdict } from '../mutator.ts';
import { type Subject, textOf } from '../subject.ts';
import { type RevisionOf, revisionLabelKey } from './revision-label.ts';

/** Remembers by how much the grace period was raised, so that a second run does not raise it again. */
export const guardAnnotation = 'fairway.dev/shutdown-guard';

export interface ShutdownGuardOptions {
  /** Seconds of the sleep; `auto`: until the readiness probe has failed, from 5 to 15. */
  readonly seconds: number | 'auto';
  /** Buckets that are guarded; absent: all. */
  readonly buckets?: readonly string[];
  readonly revisionOf: RevisionOf;
  readonly labelsOf?: NamespaceLabels;
  /** Whether the pod gets a proxy, for who knows better than the revision and the label tell. */
  readonly getsProxy?: (subject: Subject) => boolean;
  /** Below 30 there is no sleep action. Absent: new enough. */
  readonly kubernetesMinor?: number;
}

const [shortestSeconds, longestSeconds] = [5, 15];
const firstMinor = 30;
const defaultGraceSeconds = 30;
const jobs: ReadonlySet<string> = new Set(['Job', 'CronJob']);

/** The mutator for a fleet's setting. */
export function shutdownGuard(options: ShutdownGuardOptions): Mutator {
  return {
    name: 'shutdown-guard',
    target: 'template',
    scope: [
      '/spec/containers',
      '/spec/terminationGracePeriodSeconds',
      '/metadata/annotations/fairway.dev~1shutdown-guard',
    ],
    applies: (subject) => verdictOf(subject, options),
    mutate: (subject) => operationsFor(subject, options.seconds),
  };
}

function verdictOf(subject: Subject, options: ShutdownGuardOptions): Verdict {
  const { labelsOf = () => undefined, kubernetesMinor = firstMinor } = options;
  const outside = outsideMesh(subject, labelsOf);
  if (outside !== undefined) return outside;
  if (endsByItself(subject)) return skips('guard-job', `a ${subject.kind} serves nobody while it ends`);
  const answer = options.revisionOf(subject.namespace);
  const getsProxy =
    options.getsProxy?.(subject) ??
    (answer.kind === 'revision' || subject.at('template', ['metadata', 'labels', revisionLabelKey]) !== undefined);
  if (!getsProxy && !carriesProxy(subject)) return skips('guard-no-proxy', 'the pod has no proxy');
  const bucket = answer.kind === 'revision' ? answer.bucket : undefined;
  if (options.buckets !== undefined && (bucket === undefined || !options.buckets.includes(bucket))) {
    return skips('guard-bucket', `bucket ${bucket ?? 'unknown'} is not guarded`);
  }
  if (graceOf(subject) <= shortestSeconds)
    return skips('guard-grace', `a grace period of ${graceOf(subject)} s is meant to be short`);
  if (kubernetesMinor < firstMinor) {
    const message = `Kubernetes 1.${kubernetesMinor} has no sleep action (1.${firstMinor} has): requests may be lost at the end of a pod`;
    return { kind: 'skips', remark: { severity: 'warning', code: 'guard-kubernetes', message } };
  }
  return applies;
}

/** A Job's template, and a pod that is not started again: pods of Jobs cannot be (batch/v1, validation of restartPolicy). */
function endsByItself(subject: Subject): boolean {
  const restarts = subject.at('template', ['spec', 'restartPolicy']);
  return jobs.has(subject.kind) || restarts === 'Never' || restarts === 'OnFailure';
}

function graceOf(subject: Subject): number {
  const grace = subject.at('template', ['spec', 'terminationGracePeriodSeconds']);
  return typeof grace === 'number' ? grace : defaultGraceSeconds;
}

function containersOf(subject: Subject, list: 'containers' | 'initContainers'): readonly Record<string, Plain>[] {
  const containers = subject.at('template', ['spec', list]);
  return Array.isArray(containers) ? containers.filter(isMap) : [];
}

function isMap(value: unknown): value is Record<string, Plain> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isProxy(container: Record<string, Plain>): boolean {
  return container['name'] === 'istio-proxy';
}

function carriesProxy(subject: Subject): boolean {
  return containersOf(subject, 'containers').some(isProxy) || containersOf(subject, 'initContainers').some(isProxy);
}

function operationsFor(subject: Subject, wanted: number | 'auto'): readonly PatchOperation[] {
  const containers = containersOf(subject, 'containers');
  const bare = [...containers.entries()].filter(([, container]) => !isProxy(container) && !hasPreStop(container));
  if (bare.length === 0) return [];
  const seconds = wanted === 'auto' ? autoSeconds(containers) : wanted;
  const annotation = textOf(subject.at('template', ['metadata', 'annotations', guardAnnotation])) ?? '';
  const raised = /^\d{1,4}$/.test(annotation) ? Number(annotation) : 0;
  const hooks = bare.flatMap(([i]) => {
    return setMember(subject, 'template', ['spec', 'containers', String(i), 'lifecycle', 'preStop'], {
      sleep: { seconds },
    });
  });
  const grace = graceOf(subject) + Math.max(0, seconds - raised);
  return [
    ...hooks,
    ...setMember(subject, 'template', ['spec', 'terminationGracePeriodSeconds'], grace),
    ...setMember(subject, 'template', ['metadata', 'annotations', guardAnnotation], String(Math.max(seconds, raised))),
  ];
}

function hasPreStop(container: Record<string, Plain>): boolean {
  const { lifecycle } = container;
  return isMap(lifecycle) && isMap(lifecycle['preStop']);
}

/** How long the pod's readiness takes to fail, of its slowest container. */
function autoSeconds(containers: readonly Record<string, Plain>[]): number {
  const times = containers
    .filter((container) => !isProxy(container))
    .map(({ readinessProbe }) => {
      if (!isMap(readinessProbe)) return 0;
      const { periodSeconds: period, failureThreshold: failures } = readinessProbe;
      return (typeof period === 'number' ? period : 10) * (typeof failures === 'number' ? failures : 3);
    });
  return Math.min(longestSeconds, Math.max(shortestSeconds, ...times));
}
