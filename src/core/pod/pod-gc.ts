// PodGC: which pods the control plane removes by itself, and why (pkg/controller/podgc/gc_controller.go). The caller lists pods and nodes every 20 s, and
// carries a verdict out by the input `collect`.
import { compareCodePoints } from '../std/order.ts';
import type { Pod } from './status.ts';
import { isTerminal } from './status-merge.ts';

export interface GcNode {
  readonly ready: boolean;
  /** Taint node.kubernetes.io/out-of-service. */
  readonly outOfService: boolean;
}

export interface GcInput {
  readonly pods: readonly Pod[];
  readonly nodes: ReadonlyMap<string, GcNode>;
  /** When each node was first missed; a pod is an orphan after the quarantine only. */
  readonly missingSinceMs: ReadonlyMap<string, number>;
  /** terminated-pod-gc-threshold; 0: off. */
  readonly threshold: number;
  readonly nowMs: number;
}

export interface GcVerdict {
  readonly pod: Pod;
  readonly because: 'tooMany' | 'outOfService' | 'orphan' | 'unscheduled';
  /** The pod gets DisruptionTarget, DeletionByPodGC. */
  readonly disruptionTarget: boolean;
}

export const gcPeriodMs = 20_000;
export const gcQuarantineMs = 40_000;
export const gcDefaultThreshold = 12_500;

/** Each pod at most once, in the order in which the rules find it. */
export function podGcVerdicts(input: GcInput): readonly GcVerdict[] {
  const found = new Map<Pod, GcVerdict>();
  const add = (pod: Pod, because: GcVerdict['because']) => {
    if (!found.has(pod)) found.set(pod, { pod, because, disruptionTarget: because === 'orphan' });
  };
  for (const pod of tooMany(input)) add(pod, 'tooMany');
  for (const pod of input.pods) if (isOutOfService(pod, input)) add(pod, 'outOfService');
  for (const pod of input.pods) if (isOrphan(pod, input)) add(pod, 'orphan');
  for (const pod of input.pods) if (isUnscheduled(pod)) add(pod, 'unscheduled');
  return [...found.values()];
}

/** Terminated pods beyond the threshold: evicted ones first, then the oldest. */
function tooMany({ pods, threshold }: GcInput): readonly Pod[] {
  if (threshold <= 0) return [];
  const terminated = pods.filter(({ status }) => isTerminal(status.phase));
  const evicted = ({ status }: Pod) => (status.reason === 'Evicted' ? 0 : 1);
  const created = ({ metadata }: Pod) => metadata.creationTimestamp ?? 0;
  return terminated
    .toSorted(
      (a, b) =>
        evicted(a) - evicted(b) || created(a) - created(b) || compareCodePoints(a.metadata.name, b.metadata.name),
    )
    .slice(0, Math.max(0, terminated.length - threshold));
}

function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isOutOfService(pod: Pod, { nodes }: GcInput): boolean {
  const node = nodes.get(pod.spec.nodeName ?? '');
  return isTerminating(pod) && node !== undefined && !node.ready && node.outOfService;
}

function isOrphan({ spec }: Pod, { nodes, missingSinceMs, nowMs }: GcInput): boolean {
  if (spec.nodeName === undefined || nodes.has(spec.nodeName)) return false;
  const since = missingSinceMs.get(spec.nodeName);
  return since !== undefined && nowMs - since >= gcQuarantineMs;
}

function isUnscheduled(pod: Pod): boolean {
  return isTerminating(pod) && pod.spec.nodeName === undefined;
}
