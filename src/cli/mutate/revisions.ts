// Where a run of `fairway mutate` takes its revisions from: --revision, a text of rollouts.yml that a KRM function brings, or the file
// with what lies beside it.
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Fleet } from '../../core/fleet/index.ts';
import type { KindRule } from '../../core/manifest/index.ts';
import type { RevisionAnswer, RevisionOf } from '../../core/mutate/index.ts';
import type { Assignment } from '../../core/rollout/index.ts';
import { type Problem, SpecError } from '../../core/std/errors.ts';
import { revisionNameTrouble } from '../../core/std/revision-name.ts';
import type { Io } from '../io.ts';
import { type RolloutFlags } from '../rollout-flags.ts';

export interface RevisionFlags extends RolloutFlags {
  readonly revision?: string;
}

export interface Revisions {
  readonly revisionOf: RevisionOf;
  /** Kinds of fairway.yml. */
  readonly kinds: readonly KindRule[];
  readonly fleet: Fleet | undefined;
}

/** Reads what the flags name, or what `rolloutsText` says. @throws UsageError, SpecError */
export async function loadRevisions(flags: RevisionFlags, io: Io, rolloutsText?: string): Promise<Revisions> {
  if (flags.revision !== undefined) return fixed(flags.revision, flags, io);
  const { loadRolloutFiles, warn } = await import('../rollout-files.ts');
  const { createResolver } = await import('../../core/rollout/index.ts');
  const files =
    rolloutsText === undefined ? await loadRolloutFiles(flags, io) : await parseText(rolloutsText, flags, io);
  warn(files.warnings, io);
  const { resolve } = createResolver(files);
  const known = new Map<string, RevisionAnswer>();
  const revisionOf: RevisionOf = (namespace) => {
    if (namespace === undefined) return missing;
    const answer = known.get(namespace) ?? answerOf(resolve(namespace));
    known.set(namespace, answer);
    return answer;
  };
  return { revisionOf, kinds: files.fleet?.kinds ?? [], fleet: files.fleet };
}

const missing: RevisionAnswer = {
  kind: 'unknown',
  code: 'namespace-missing',
  because: 'the manifest names no namespace, so it has no revision',
  hint: 'give one with -n, or put metadata.namespace into the manifest',
};

/** One revision for all; what fairway.yml excludes stays excluded. Without such a file its reader is not even loaded. */
async function fixed(revision: string, flags: RolloutFlags, io: Io): Promise<Revisions> {
  const fleet = hasFleet(flags, io) ? await (await import('../rollout-files.ts')).loadFleetFile(flags, io) : undefined;
  const trouble = revisionNameTrouble(revision) ?? (await unknownRevision(revision, fleet));
  if (trouble !== undefined) throw new SpecError([{ severity: 'error', ...trouble }]);
  const revisionOf: RevisionOf = (namespace) => {
    const pattern = namespace === undefined ? undefined : fleet?.exclude.find(({ matches }) => matches(namespace));
    return pattern === undefined ? { kind: 'revision', revision } : excluded(namespace ?? '', pattern.text);
  };
  return { revisionOf, kinds: fleet?.kinds ?? [], fleet };
}

function hasFleet({ fleet, rollouts = 'rollouts.yml' }: RolloutFlags, { cwd }: Io): boolean {
  return fleet !== undefined || existsSync(join(isAbsolute(rollouts) ? '' : cwd, dirname(rollouts), 'fairway.yml'));
}

async function unknownRevision(
  revision: string,
  fleet: Fleet | undefined,
): Promise<Omit<Problem, 'severity'> | undefined> {
  if (fleet === undefined) return undefined;
  const { revisionTrouble } = await import('../../core/rollout/index.ts');
  return revisionTrouble(revision, fleet);
}

async function parseText(text: string, flags: RolloutFlags, io: Io) {
  const { parseRollouts } = await import('../../core/rollout/index.ts');
  const { loadFleetFile } = await import('../rollout-files.ts');
  const fleet = await loadFleetFile(flags, io);
  const read = parseRollouts(text, { file: 'functionConfig', fleet });
  if (read.kind === 'invalid') throw new SpecError(read.problems);
  return { rollouts: read.value, fleet, lock: undefined, warnings: read.problems };
}

function answerOf(assignment: Assignment): RevisionAnswer {
  const { kind, namespace } = assignment;
  if (kind === 'assigned') return { kind: 'revision', revision: assignment.revision, bucket: assignment.bucket };
  if (kind === 'outside') return excluded(namespace, assignment.pattern);
  const names = assignment.buckets.map((name) => JSON.stringify(name)).join(' and ');
  return {
    kind: 'unknown',
    code: 'pattern-tie',
    because: `the patterns ${names} have equal length and both match the namespace ${namespace}`,
    hint: 'make one of them longer, or pin the namespace by its name',
  };
}

function excluded(namespace: string, pattern: string): RevisionAnswer {
  return { kind: 'outside', because: `namespace ${namespace} is not in the mesh (${pattern})` };
}
