// Workloads that do not follow today's revision by themselves (by the rule of `../reach`), those that their restarts keep young, and those that Krispr
// leaves alone because nothing names a revision: whoever waits for the end of an upgrade has to see them, or waits for ever.
import { type Unreached, unreachedProblems } from '../reach/index.ts';
import type { Problem } from '../std/errors.ts';
import { injectionLabel, revisionLabel } from './configuration.ts';
import type { NamespaceFacts } from './findings.ts';

export interface WorkloadFacts {
  /** namespace/Kind/name */
  readonly key: string;
  readonly namespace: string;
  /** The template's revision label. */
  readonly revision: string | undefined;
  readonly selectsRevision: boolean;
  readonly createdMs?: number | undefined;
  /** CI left the time of the deploy in its metadata. */
  readonly stamped?: boolean;
  /** The last `rollout restart`. */
  readonly restartedMs?: number | undefined;
  /** Its pods get no sidecar, whatever its namespace is. */
  readonly isOutside?: boolean;
  /** Why it does not move by itself. */
  readonly unreached?: Unreached | undefined;
}

/** What rollouts.yml and fairway.yml say. */
export interface RuleFacts {
  readonly isRetired: (revision: string) => boolean;
  /** Today's revision; undefined where there is none, or the namespace is not in the mesh. */
  readonly revisionOf: (namespace: string) => string | undefined;
  readonly ageLimitMs: (namespace: string, revision: string) => number;
  readonly labelsUnlabelled: (namespace: string) => boolean;
}

export interface AgingFacts {
  readonly workloads: readonly WorkloadFacts[];
  readonly namespaces: readonly NamespaceFacts[];
  /** Kinds that own pods and that nobody watches, with how many pods they own. */
  readonly unwatched: readonly { readonly kind: string; readonly pods: number }[];
  /** Pods with a revision label that nothing owns. */
  readonly barePods: readonly string[];
  /** Undefined without rollouts.yml. */
  readonly rules: RuleFacts | undefined;
  readonly nowMs: number;
}

/** What age does not reach; of no interest where Krispr is a policy, which knows no age. */
export function agingFindings(facts: AgingFacts): readonly Problem[] {
  const bare = facts.barePods.map((pod) => ({ workload: pod, because: 'bare-pod' }) as const);
  return [
    ...facts.unwatched.map(unwatchedKind),
    ...unreachedProblems(bare),
    ...facts.workloads.filter((workload) => isKeptYoung(workload, facts)).map(keptYoung),
  ];
}

/** What no roll-out moves. A selector with the label is a finding of its own. */
export function stuckFindings({ workloads, rules }: AgingFacts): readonly Problem[] {
  const stuck = workloads.flatMap(({ key, namespace, revision, isOutside, unreached: because }) => {
    const wanted = rules?.revisionOf(namespace);
    const stays = revision === undefined || wanted === undefined || wanted === revision || isOutside === true;
    return stays || because === undefined || because === 'selector' ? [] : [{ workload: key, because }];
  });
  return unreachedProblems(stuck);
}

/** Without a stamp each restart is a deploy: who restarts more often than the age limit never ages. */
function isKeptYoung(workload: WorkloadFacts, { rules, nowMs }: AgingFacts): boolean {
  const { namespace, revision, stamped, createdMs, restartedMs } = workload;
  if (rules === undefined || revision === undefined || stamped === true || restartedMs === undefined) return false;
  const wanted = rules.revisionOf(namespace);
  if (wanted === undefined || wanted === revision) return false;
  const limitMs = rules.ageLimitMs(namespace, revision);
  return limitMs > 0 && nowMs - restartedMs <= limitMs && createdMs !== undefined && nowMs - createdMs > limitMs;
}

/** Workloads of namespaces where the pod's own label would count. */
export function unlabelledFindings({ workloads, namespaces, rules }: AgingFacts): readonly Problem[] {
  if (rules === undefined) return [];
  const labels = new Map(namespaces.map((each) => [each.name, each.labels]));
  const left = workloads.filter(({ namespace, revision, isOutside }) => {
    const of = labels.get(namespace) ?? {};
    const isPlain = of[revisionLabel] === undefined && of[injectionLabel] === undefined;
    const isInMesh = rules.revisionOf(namespace) !== undefined && of['istio.io/dataplane-mode'] !== 'ambient';
    return revision === undefined && isOutside !== true && isPlain && isInMesh && !rules.labelsUnlabelled(namespace);
  });
  if (left.length === 0) return [];
  return [
    {
      code: 'unlabelled',
      severity: 'warning',
      message: `${left.length === 1 ? '1 workload carries' : `${left.length} workloads carry`} no ${revisionLabel}, and Krispr leaves their pods as they are: ${list(left.map(({ key }) => key))}`,
      hint: 'label them in CI (fairway mutate), opt in by admission.unlabelled of fairway.yml, or exclude their namespaces',
    },
  ];
}

function unwatchedKind({ kind, pods }: AgingFacts['unwatched'][number]): Problem {
  return {
    code: 'never-ages',
    severity: 'warning',
    path: kind,
    message: `${pods} pods belong to owners of a kind that nobody watches: they age from the first pod that Krispr sees, not from their deploys`,
    hint: 'list the kind in fairway.yml',
  };
}

function keptYoung({ key }: WorkloadFacts): Problem {
  return {
    code: 'never-ages',
    severity: 'warning',
    path: key,
    message: 'it has no stamp of CI and is restarted more often than its age limit: each restart counts as a deploy',
    hint: 'deploy it once by fairway mutate --stamp, then restarts count no more',
  };
}

const mostNamed = 5;

function list(names: readonly string[]): string {
  const rest = names.length - mostNamed;
  return rest > 0 ? `${names.slice(0, mostNamed).join(', ')} and ${rest} more` : names.join(', ');
}
