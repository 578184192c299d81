// Whether a workload comes to another revision by itself: by the roll-out that a changed template starts, and by Krispr's age rule when its pods
// are made anew, at the latest when their nodes go. Says why not, from what a manifest or the API shows. Refuses to guess: what is not known
// is no reason.
import type { Problem } from '../std/errors.ts';

export const unreached = [
  'selector',
  'bare-pod',
  'on-delete',
  'paused',
  'runs-to-end',
  'unwatched-owner',
  'undisrupted',
] as const;
export type Unreached = (typeof unreached)[number];

export interface Subject {
  readonly kind: string;
  /** Krispr watches the kind, or a user's fairway.yml lists it. */
  readonly isWatched: boolean;
  readonly selectsRevision?: boolean;
  /** spec.strategy.type or spec.updateStrategy.type. */
  readonly strategy?: string | undefined;
  /** spec.paused */
  readonly isPaused?: boolean | undefined;
  /** Of its pods. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The first reason; undefined: it moves by itself. */
export function unreachedBecause(subject: Subject): Unreached | undefined {
  const { kind, isWatched, selectsRevision, strategy, isPaused, annotations = {} } = subject;
  if (selectsRevision === true) return 'selector';
  if (kind === 'Pod') return 'bare-pod';
  if (kind === 'Job') return 'runs-to-end';
  if (!isWatched) return 'unwatched-owner';
  if (strategy === 'OnDelete') return 'on-delete';
  if (isPaused === true) return 'paused';
  return endsWithItsNode(kind) || !keepsItsNode(annotations) ? undefined : 'undisrupted';
}

/** A node's end does not wait for these; a CronJob's pods end by themselves. */
function endsWithItsNode(kind: string): boolean {
  return kind === 'DaemonSet' || kind === 'CronJob';
}

/** Karpenter does not drain a node with such a pod, cluster-autoscaler does not remove it. */
function keepsItsNode(annotations: Readonly<Record<string, string>>): boolean {
  return (
    annotations['karpenter.sh/do-not-disrupt'] === 'true' ||
    annotations['cluster-autoscaler.kubernetes.io/safe-to-evict'] === 'false'
  );
}

export interface UnreachedWorkload {
  /** namespace/kind/name */
  readonly workload: string;
  readonly because: Unreached;
}

/** One warning a reason. Age is not what keeps a workload that is stuck whatever its age. */
export function unreachedProblems(workloads: readonly UnreachedWorkload[]): readonly Problem[] {
  return unreached.flatMap((reason): Problem[] => {
    const names = workloads.filter(({ because }) => because === reason).map(({ workload }) => workload);
    if (names.length === 0) return [];
    const [text, hint] = texts[reason];
    const code = reason === 'bare-pod' || reason === 'unwatched-owner' ? 'never-ages' : 'workload-stuck';
    return [{ code, severity: 'warning', message: `${text}: ${listed(names)}`, hint }];
  });
}

const texts: Readonly<Record<Unreached, readonly [text: string, hint: string]>> = {
  selector: [
    'a selector holds istio.io/rev, and a changed label would orphan the pods',
    'make the workload anew without the label in its selector',
  ],
  'bare-pod': [
    'nothing replaces a pod that has no owner, and made anew it counts as deployed at that moment',
    'give it an owner, or label it anew where it is made',
  ],
  'on-delete': [
    'the update strategy is OnDelete: a pod moves only when somebody deletes it, or when its node goes',
    'delete the pods, one by one',
  ],
  paused: [
    'a paused Deployment rolls nothing out: a pod moves only when somebody deletes it, or when its node goes',
    'kubectl rollout resume',
  ],
  'runs-to-end': [
    'a Job keeps its pods, and their revision, until it ends',
    'wait for its end before the old revision is taken away, or make it anew',
  ],
  'unwatched-owner': [
    'Krispr does not watch this kind: its pods age from the first that Krispr sees, not from their deploys',
    'list the kind in fairway.yml',
  ],
  undisrupted: [
    'pods ask not to be disrupted, so their nodes stay, and only a roll-out moves them',
    'roll the workload out, or take the annotation away (karpenter.sh/do-not-disrupt, safe-to-evict)',
  ],
};

const mostNamed = 5;

function listed(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return rest > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${rest} more` : names.join(', ');
}
