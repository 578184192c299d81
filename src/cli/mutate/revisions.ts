// Where a run of `fairway mutate` takes its revisions from: --revision, or rollouts.yml with what lies beside it.
import type { KindRule } from '../../core/manifest/index.ts';
import type { RevisionOf } from '../../core/mutate/index.ts';
import { UsageError } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';

export interface RevisionFlags {
  readonly revision?: string;
  readonly rollouts?: string;
  readonly fleet?: string;
  readonly lock?: string | boolean;
}

export interface Revisions {
  readonly revisionOf: RevisionOf;
  readonly kinds: readonly KindRule[];
}

/** Reads what the flags name. @throws UsageError, SpecError */
export async function loadRevisions(flags: RevisionFlags, _io: Io, _rollouts?: string): Promise<Revisions> {
  const { revision } = flags;
  if (revision === undefined) throw new UsageError('no revision: give --revision');
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(revision))
    throw new UsageError(`${JSON.stringify(revision)} is no revision`);
  return { revisionOf: () => ({ kind: 'revision', revision }), kinds: [] };
}
