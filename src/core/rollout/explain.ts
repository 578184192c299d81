// Why a namespace is on its revision, and what would move it: the data of `fairway explain`.
import type { Run } from './hand-over.ts';
import type { Assigned, Assignment, Resolver } from './resolver.ts';
import type { Bucket, Rollouts } from './rollouts.ts';
import { compareRevisions } from './version-order.ts';

export interface Match {
  readonly bucket: string;
  readonly line: number;
  /** Code points of the pattern. */
  readonly length: number;
  readonly wins: boolean;
}

/** The namespace moves to `to` once its revision has given it at least `slots` slots. */
export interface Change {
  readonly to: string;
  readonly slots: number;
  /** Both shares just after the move, in slots of 10,000. */
  readonly shareFrom: number;
  readonly shareTo: number;
}

export interface Explanation {
  readonly assignment: Assignment;
  /** Patterns that match, longest first. Empty: the default bucket. */
  readonly matches: readonly Match[];
  /** Who owns the slots of its bucket; empty where it has no bucket. */
  readonly owners: readonly Run[];
  /** What a change of a share would do; other changes leave it where it is. Empty for a name that the lock keeps. */
  readonly changes: readonly Change[];
}

export function explain(resolver: Resolver, rollouts: Rollouts, namespace: string): Explanation {
  const assignment = resolver.resolve(namespace);
  const won = assignment.kind === 'assigned' ? assignment.bucket : undefined;
  const matches = resolver.matching(namespace).map(({ name, line, pattern }) => ({
    bucket: name,
    line,
    length: pattern?.length ?? 0,
    wins: name === won,
  }));
  if (assignment.kind !== 'assigned') return { assignment, matches, owners: [], changes: [] };
  const bucket =
    [...rollouts.buckets, rollouts.defaultBucket].find(({ name }) => name === won) ?? rollouts.defaultBucket;
  const { runs } = resolver.ownership(bucket);
  return { assignment, matches, owners: runs, changes: changesOf(assignment, bucket, runs) };
}

/** A loser gives to newer takers from its highest slots down, to older ones from its lowest up (see hand-over.ts). */
function changesOf({ revision, slot, reason }: Assigned, { shares }: Bucket, runs: readonly Run[]): readonly Change[] {
  if (reason === 'name') return [];
  const own = runs.filter((run) => run.revision === revision);
  const above = own.reduce((sum, { from, to }) => sum + Math.max(0, to - Math.max(from, slot)), 0);
  const below = own.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, slot + 1) - from), 0);
  return [...shares.keys()]
    .filter((other) => other !== revision)
    .sort(compareRevisions)
    .map((to) => {
      const slots = compareRevisions(to, revision) > 0 ? above : below;
      return { to, slots, shareFrom: (shares.get(revision) ?? 0) - slots, shareTo: (shares.get(to) ?? 0) + slots };
    });
}
