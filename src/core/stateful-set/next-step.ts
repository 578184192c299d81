// The next step of a StatefulSet's controller, in the order in which it looks:
//
//   every ordinal from below      missing: create · ordered and on its way out: wait · ordered and not ready: wait
//   then, updating, from above    of another revision: delete · not ready: wait
//
// So a broken pod of an ordered set is waited for in the first walk, and never reached by the second, which would replace it: putting the template
// right again does not help (kubernetes/kubernetes#67250).
import type { Problem } from '../std/errors.ts';

export interface SetPod {
  readonly name: string;
  readonly ordinal: number;
  readonly revision: string;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
}

export interface StatefulSetFacts {
  readonly name: string;
  /** podManagementPolicy OrderedReady. */
  readonly isOrdered: boolean;
  readonly updates: 'RollingUpdate' | 'OnDelete';
  readonly replicas: number;
  /** Ordinals below it keep the current revision. */
  readonly partition: number;
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly pods: readonly SetPod[];
}

export type Step =
  | { readonly kind: 'create'; readonly name: string; readonly revision: string }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'wait'; readonly pod: SetPod; readonly until: 'gone' | 'ready' }
  | { readonly kind: 'done' };

export function nextStep(set: StatefulSetFacts): Step {
  const byOrdinal = new Map(set.pods.map((pod) => [pod.ordinal, pod]));
  return raise(set, byOrdinal) ?? update(set, byOrdinal) ?? { kind: 'done' };
}

function raise(set: StatefulSetFacts, byOrdinal: ReadonlyMap<number, SetPod>): Step | undefined {
  for (let ordinal = 0; ordinal < set.replicas; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined)
      return { kind: 'create', name: `${set.name}-${ordinal}`, revision: revisionOf(set, ordinal) };
    if (set.isOrdered && pod.isTerminating) return { kind: 'wait', pod, until: 'gone' };
    if (set.isOrdered && !pod.isReady) return { kind: 'wait', pod, until: 'ready' };
  }
  return undefined;
}

function update(set: StatefulSetFacts, byOrdinal: ReadonlyMap<number, SetPod>): Step | undefined {
  if (set.updates === 'OnDelete') return undefined;
  for (let ordinal = set.replicas - 1; ordinal >= set.partition; ordinal--) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) continue;
    if (pod.isTerminating) return { kind: 'wait', pod, until: 'gone' };
    if (pod.revision !== set.updateRevision) return { kind: 'delete', name: pod.name };
    if (!pod.isReady) return { kind: 'wait', pod, until: 'ready' };
  }
  return undefined;
}

/** A pod that is made anew: as many of the lowest as still run the current revision get that again. */
function revisionOf(
  { pods, updates, partition, currentRevision, updateRevision }: StatefulSetFacts,
  ordinal: number,
): string {
  if (updates === 'OnDelete') return updateRevision;
  const current = pods.filter(({ revision, isTerminating }) => revision === currentRevision && !isTerminating).length;
  return ordinal < Math.max(partition, current) ? currentRevision : updateRevision;
}

/** The finding where the controller waits for a pod that only it could mend; undefined where the set goes on by itself. */
export function stuckFinding(key: string, set: StatefulSetFacts): Problem | undefined {
  const step = nextStep(set);
  if (step.kind !== 'wait' || step.until !== 'ready' || set.updates !== 'RollingUpdate') return undefined;
  const { pod } = step;
  if (pod.ordinal < set.partition || pod.revision === set.updateRevision) return undefined;
  return {
    code: 'rollout-stuck',
    severity: 'error',
    path: key,
    message: `${pod.name} is on ${pod.revision}, wanted ${set.updateRevision}, not ready; OrderedReady will not replace it`,
    hint: `delete pod ${pod.name}`,
  };
}
