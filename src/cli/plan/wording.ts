// How a plan is said, in a terminal and in a pull request.
import type { BucketChange, Move, Plan, ShareRow, StuckWorkload } from '../../core/plan/index.ts';
import { compareRevisions, percentText } from '../../core/rollout/index.ts';
import { counted } from '../../core/std/counted.ts';
import { formatDuration } from '../../core/std/duration.ts';

export function headline({ totals, moves, somethingMoves, buckets }: Plan): string {
  if (totals.namespaces === 0) {
    const slots = buckets.flatMap(({ moved }) => moved).reduce((sum, move) => sum + move.slots, 0);
    return somethingMoves
      ? `${slots} slots move; without an inventory nobody knows which namespaces that is.`
      : 'Nothing moves.';
  }
  if (moves.length === 0) return `Nothing moves: ${stay(totals.namespaces)}.`;
  const { workloads, pods, owners } = totals.moving;
  const parts = [counted(workloads, 'workload'), counted(pods, 'pod')];
  if (owners.length > 0) parts.push(counted(owners.length, 'owner'));
  const scale = totals.workloads > 0 ? ` (${parts.join(', ')})` : '';
  return `${moves.length} of ${counted(totals.namespaces, 'namespace')} move${scale}; ${totals.needless} needless, ${totals.backward} to an older revision.`;
}

function stay(namespaces: number): string {
  return namespaces === 1 ? '1 namespace stays where it is' : `${namespaces} namespaces stay where they are`;
}

/** A number of workloads or pods, or that nobody knows it: an inventory of names alone has neither. */
export function scaleCell({ totals }: Plan, amount: number): string {
  return totals.workloads === 0 ? '-' : String(amount);
}

interface Pair {
  readonly from: string;
  readonly to: string;
  readonly namespaces: number;
  readonly pods: number;
}

/** Moves summed by old and new revision. */
export function revisionPairs({ moves }: Plan): readonly Pair[] {
  const groups = Map.groupBy(moves, ({ from = '-', to = '-' }) => JSON.stringify([from, to]));
  const pairs = Array.from(groups.values(), (some) => ({
    from: some[0]?.from ?? '-',
    to: some[0]?.to ?? '-',
    namespaces: some.length,
    pods: some.reduce((sum, { pods }) => sum + pods, 0),
  }));
  return pairs.sort((a, b) => compareRevisions(a.from, b.from) || compareRevisions(a.to, b.to));
}

export function moveReason({ because, bucket, slot, needless, direction }: Move): string {
  const note = needless ? ' (needless)' : direction === 'backward' ? ' (to an older revision)' : '';
  return `${reasonText(because, bucket ?? {}, slot)}${note}`;
}

function reasonText(
  because: Move['because'],
  { from = '-', to = '-' }: NonNullable<Move['bucket']>,
  slot: number | undefined,
): string {
  switch (because) {
    case 'share':
      return `slot ${slot} of ${to}`;
    case 'bucket':
      return `bucket ${to}, was ${from}`;
    case 'salt':
      return `the salt changed: slot ${slot} of ${to}`;
    case 'tie':
      return 'two patterns of equal length match';
    case 'mesh':
      return to === '-' ? 'no longer in the mesh' : `new in the mesh: bucket ${to}`;
  }
}

export function bucketLine({ bucket, change, moved, needless, remembered }: BucketChange): string {
  if (change !== 'changed') return `${bucket}: ${change}`;
  const hands = moved.map(({ from, to, slots }) => `${from} → ${to} ${percentText(slots)} %`).join(', ');
  return `${bucket}: ${hands}${needless > 0 ? `, of it ${percentText(needless)} % needless` : ''}${remembered ? '' : ' (not in the lock)'}`;
}

export const stuckHead = ['WORKLOAD', 'PODS', 'WHY'];

export function stuckCells({ workload, pods, because }: StuckWorkload): string[] {
  return [workload, String(pods), because];
}

export const shareHead = ['BUCKET', 'REVISION', 'ASKED', 'NAMESPACES', 'PODS'];

export function shareCells({ bucket, revision, wanted, count: got, of, pods, ofPods }: ShareRow): string[] {
  return [
    bucket,
    revision,
    `${percentText(wanted)} %`,
    `${got} of ${of} (${ratio(got, of)})`,
    ofPods === 0 ? '-' : `${pods} of ${ofPods} (${ratio(pods, ofPods)})`,
  ];
}

function ratio(part: number, whole: number): string {
  return `${whole === 0 ? 0 : Math.round((part * 1000) / whole) / 10} %`;
}

/** The finishing bound: what it is made of, and its date. */
export function boundSentences({ bound, doneByMs }: Plan): string[] {
  const days = Math.round((bound.totalMs / 86_400_000) * 10) / 10;
  const parts = [
    `${formatDuration(bound.ageMs)} until a workload is labelled anew`,
    `${formatDuration(bound.nodeLifetimeMs)} life of a node`,
    `${formatDuration(bound.drainMs)} drain`,
  ];
  const assumed = `fairway.yml sets no maxNodeLifetime: Karpenter’s default of 720h is counted, which makes it ${days} days`;
  const date = new Date(doneByMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return [`${date} at the latest, ${days} days: ${parts.join(' + ')}`, ...(bound.assumedLifetime ? [assumed] : [])];
}
