// What an edit of rollouts.yml does, before it is merged: which namespaces move from where to where and why, whom that
// touches, what cannot move, and by when it is done. Compares two sides over one inventory; changes nothing.
import type { CompletionBound } from '../fleet/index.ts';
import type { Inventory } from '../inventory/index.ts';
import { type Assignment, createResolver, type Resolver, slots } from '../rollout/index.ts';
import type { Problem } from '../std/errors.ts';
import { type BucketChange, bucketChanges } from './buckets.ts';
import { type Move, movesOf } from './moves.ts';
import { type Shadowed, type StuckWorkload, shadowedBy, sidecarNamespaces, stuckIn } from './obstacles.ts';
import { type Scale, scaleOf } from './scale.ts';
import { type ShareRow, shareRows } from './shares.ts';
import type { Side } from './side.ts';
import { warningsOf } from './warnings.ts';

export interface PlanInput {
  /** Absent: there was no rollouts.yml before, and every namespace is new. */
  readonly from?: Side | undefined;
  readonly to: Side;
  readonly inventory: Inventory;
  /** A + L + drain of the new side (`completionBound`). */
  readonly bound: CompletionBound;
  readonly nowMs: number;
}

/** Everything that `fairway plan` shows. Lists are sorted; a workload or pod counts only where it is in the mesh. */
export interface Plan {
  readonly moves: readonly Move[];
  readonly totals: {
    readonly namespaces: number;
    /** Workloads that the inventory knows; 0: only names are known, and the scale of a move is not. */
    readonly workloads: number;
    readonly moving: Scale;
    /** Moves that the shares did not ask for. */
    readonly needless: number;
    /** Moves to an older revision. */
    readonly backward: number;
  };
  /** Slots that change hands, by bucket: what the edit means whatever runs where. */
  readonly buckets: readonly BucketChange[];
  readonly shares: readonly ShareRow[];
  readonly stuck: readonly StuckWorkload[];
  readonly shadowed: readonly Shadowed[];
  readonly bound: CompletionBound;
  /** When the upgrade is done at the latest, in milliseconds of Unix time. */
  readonly doneByMs: number;
  readonly problems: readonly Problem[];
  /** Whether anything moves: a namespace of the inventory; without an inventory, a slot. */
  readonly somethingMoves: boolean;
}

export function plan({ from, to, inventory, bound, nowMs }: PlanInput): Plan {
  const after = resolverOf(to);
  const before = from === undefined ? undefined : resolverOf(from, after);
  const names = sidecarNamespaces(inventory);
  const resolved = new Map<string, Assignment>(names.map((name) => [name, after.resolve(name)]));
  const moves = movesOf({ names, before, resolved, from, to, inventory });
  const moving = new Set(moves.map(({ namespace }) => namespace));
  const shares = shareRows(to.rollouts, resolved, inventory);
  const buckets = bucketChanges(from, before, to, after);
  const stuck = stuckIn(inventory, moving, to.fleet.kinds);
  const shadowed = shadowedBy(inventory);
  const slotsMovedNeedlessly = buckets.reduce((sum, change) => sum + change.needless, 0);
  const needless = moves.filter((move) => move.needless).length;
  return {
    moves,
    totals: {
      namespaces: names.length,
      workloads: inventory.workloads.length,
      moving: scaleOf(inventory, moving),
      needless,
      backward: moves.filter((move) => move.direction === 'backward').length,
    },
    buckets,
    shares,
    stuck,
    shadowed,
    bound,
    doneByMs: nowMs + bound.totalMs,
    problems: warningsOf({
      to,
      resolved,
      shares,
      stuck,
      shadowed,
      needless: names.length > 0 ? { count: needless, of: 'namespace' } : { count: slotsMovedNeedlessly, of: 'slot' },
    }),
    somethingMoves: inventory.namespaces.length > 0 ? moves.length > 0 : buckets.some(({ moved }) => moved.length > 0),
  };
}

/** Two sides of one salt hash each name once. */
function resolverOf(
  { rollouts, lock, fleet }: Side,
  other?: Resolver & { readonly salt?: string },
): Resolver & { readonly salt: string } {
  const slotOf = other?.salt === fleet.salt ? other.slotOf : slots(fleet.salt);
  return { ...createResolver({ rollouts, lock, fleet, slotOf }), salt: fleet.salt };
}
