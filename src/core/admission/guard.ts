// The shutdown guard at admission: the mutator of CI over the pod as Krispr leaves it. Whether a proxy comes is not guessed from a label, but
// told by the pod's own containers and by the injectors that will be called after Krispr.
import type { FleetShutdownGuard } from '../fleet/index.ts';
import {
  type NamespaceLabels,
  type PatchOperation,
  patchOf,
  type RevisionAnswer,
  revisionLabelKey,
  type Subject,
  shutdownGuard,
} from '../mutate/index.ts';
import { asObject } from '../std/json.ts';
import type { Rules, Wanted } from './decide.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Guard {
  readonly settings: FleetShutdownGuard;
  /** Of the cluster's API server; undefined: new enough. */
  readonly kubernetesMinor: number | undefined;
  /** Whether an injector takes such a pod; false also where that is not known. */
  readonly injects: (namespace: string, pod: Labels) => boolean;
}

export interface Guarded {
  readonly patch: readonly PatchOperation[];
  readonly warnings: readonly string[];
}

interface World {
  readonly guard?: Guard | undefined;
  readonly rules: Rules;
  readonly namespaceLabels: NamespaceLabels;
}

/** What the guard does to a pod whose revision label will be `revision` (undefined: as it is). */
export function guardPod(subject: Subject, revision: string | undefined, world: World): Guarded {
  const { guard, rules, namespaceLabels } = world;
  if (guard === undefined) return nothing;
  const { settings, kubernetesMinor, injects } = guard;
  const labels = labelsWith(subject, revision);
  const mutator = shutdownGuard({
    ...settings,
    revisionOf: (namespace) => answerOf(rules.wanted(namespace ?? '')),
    labelsOf: namespaceLabels,
    getsProxy: ({ namespace }) => injects(namespace ?? '', labels),
    ...(kubernetesMinor === undefined ? {} : { kubernetesMinor }),
  });
  const verdict = mutator.applies(subject);
  if (verdict.kind === 'applies') return { patch: patchOf(mutator, subject), warnings: [] };
  const isWarning = verdict.kind === 'skips' && verdict.remark.severity === 'warning';
  return isWarning ? { patch: [], warnings: [verdict.remark.message] } : nothing;
}

const nothing: Guarded = { patch: [], warnings: [] };

function labelsWith(subject: Subject, revision: string | undefined): Labels {
  const labels = asObject(subject.at('template', ['metadata', 'labels'])) as Labels;
  return revision === undefined ? labels : { ...labels, [revisionLabelKey]: revision };
}

function answerOf(wanted: Wanted): RevisionAnswer {
  if (wanted.kind === 'revision') return wanted;
  if (wanted.kind === 'outside') return { kind: 'outside', because: wanted.reason };
  return { kind: 'unknown', code: 'pattern-tie', because: wanted.message };
}
