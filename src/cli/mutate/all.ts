// Mutates what was read: the built-in mutators and the user's own over every source, all problems at once, the second opinion where one is
// wanted. Puts nothing out.
import { readNamespaces, type StringMap } from '../../core/manifest/index.ts';
import {
  deployStamp,
  type MutateResult,
  type Mutator,
  mutateStream,
  type NamespaceLabels,
  revisionLabel,
  shutdownGuard,
} from '../../core/mutate/index.ts';
import { ManifestError, type Problem } from '../../core/std/errors.ts';
import type { Io } from '../io.ts';
import type { RevisionFlags, Revisions } from './revisions.ts';
import type { Source } from './sources.ts';

export interface MutateFlags extends RevisionFlags {
  readonly namespace?: string;
  readonly namespaces?: string;
  readonly write?: boolean;
  readonly check?: boolean;
  readonly diff?: boolean;
  readonly postRenderer?: boolean;
  readonly krm?: boolean;
  readonly stamp?: boolean;
  readonly stampPath?: string;
  readonly stampTime?: string;
  readonly mutator: readonly string[];
  readonly overwriteJobs?: boolean;
  readonly strict?: boolean;
  readonly maxBytes: number;
}

/** A source and what became of it. */
export interface Mutated {
  readonly source: Source;
  readonly result: MutateResult;
}

interface Setting {
  readonly revisions: Revisions;
  readonly flags: MutateFlags;
  readonly io: Io;
}

/** Mutates every source; throws all problems of all of them. */
export async function mutateAll(sources: readonly Source[], setting: Setting): Promise<readonly Mutated[]> {
  const { flags, io, revisions } = setting;
  const labelsOf = await namespaceLabels(sources, flags, io);
  const custom = flags.mutator.length === 0 ? [] : await (await import('./custom.ts')).loadMutators(flags.mutator, io);
  const mutated: Mutated[] = [];
  const problems: Problem[] = [];
  for (const source of sources) {
    const { overwriteJobs = false } = flags;
    const mutators: Mutator[] = [
      revisionLabel({ revisionOf: revisions.revisionOf, labelsOf, overwriteJobs }),
      ...custom,
      ...guards({ revisions, flags, io }, labelsOf),
    ];
    if (flags.stamp === true) mutators.push(deployStamp({ atMs: await stampTime(source, flags, io), labelsOf }));
    const { namespace } = flags;
    const options = { mutators, kinds: revisions.kinds, ...(namespace === undefined ? {} : { namespace }) };
    const result = mutateStream(source, options);
    const doubts = result.completeChanges.length === 0 ? [] : await doubtsAbout(result, mutators);
    problems.push(...[...result.problems, ...doubts].map((problem) => ({ ...problem, file: source.name })));
    mutated.push({ source, result });
  }
  if (problems.some(({ severity }) => severity === 'error')) throw new ManifestError(problems);
  return mutated;
}

/** The shutdown guard, where fairway.yml switches it on. */
function guards({ revisions: { fleet, revisionOf } }: Setting, labelsOf: NamespaceLabels): readonly Mutator[] {
  if (fleet?.shutdownGuard === undefined) return [];
  const { kubernetesMinor } = fleet;
  return [
    shutdownGuard({
      ...fleet.shutdownGuard,
      revisionOf,
      labelsOf,
      ...(kubernetesMinor === undefined ? {} : { kubernetesMinor }),
    }),
  ];
}

async function doubtsAbout(result: MutateResult, mutators: readonly Mutator[]): Promise<readonly Problem[]> {
  const { secondOpinion } = await import('./second-opinion.ts');
  return secondOpinion(result.completeChanges, mutators);
}

async function stampTime(source: Source, flags: MutateFlags, io: Io): Promise<number> {
  const { timeOfStamp } = await import('./stamp.ts');
  return timeOfStamp(source, flags, io);
}

/** Labels of the namespaces that the sources and --namespaces hold; of what is not given nothing is known. */
async function namespaceLabels(sources: readonly Source[], flags: MutateFlags, io: Io): Promise<NamespaceLabels> {
  const known = new Map<string, StringMap>();
  const given =
    flags.namespaces === undefined
      ? []
      : await (await import('../rollout-files.ts')).loadNamespaces(flags.namespaces, io);
  for (const { name, labels } of given) known.set(name, Object.fromEntries(labels));
  for (const source of sources) for (const { name, labels } of readNamespaces(source)) known.set(name, labels);
  return (namespace) => known.get(namespace);
}
