// What rollouts.yml, fairway.yml and rollouts.lock say, made ready for admission: one text each in, the rules of Krispr out, or every
// problem of all three. A namespace's answer is remembered, since one burst asks for it hundreds of times.
import type { Fleet } from '../fleet/index.ts';
import {
  type Assignment,
  compareRevisions,
  createResolver,
  type Lock,
  parseLock,
  parseRollouts,
  type Resolver,
} from '../rollout/index.ts';
import type { Parsed } from '../spec-file/index.ts';
import type { Rules, Wanted } from './decide.ts';

/** Contents by file name; only rollouts.yml must be there. */
export interface RuleFiles {
  readonly 'rollouts.yml'?: string;
  readonly 'fairway.yml'?: string;
  readonly 'rollouts.lock'?: string;
}

/** Where fairway.yml says nothing (upgrades.md §3). */
const usualRemutateAfterMs = 14 * 86_400_000;
const mostRemembered = 100_000;

/** The rules of these files. A problem of one never hides those of another. */
export function readRules(files: RuleFiles): Parsed<Rules> {
  const fleet: Fleet | undefined = undefined;
  const rollouts = parseRollouts(files['rollouts.yml'] ?? '', { file: 'rollouts.yml', fleet });
  const lockText = files['rollouts.lock'];
  const lock: Parsed<Lock | undefined> =
    lockText === undefined
      ? { kind: 'valid', value: undefined, problems: [] }
      : parseLock(lockText, { file: 'rollouts.lock' });
  const problems = [...rollouts.problems, ...lock.problems];
  if (rollouts.kind === 'invalid' || lock.kind === 'invalid') return { kind: 'invalid', problems };
  const resolver = createResolver({ rollouts: rollouts.value, lock: lock.value, fleet });
  return { kind: 'valid', value: rulesOf(resolver, fleet), problems };
}

/** The rules that a resolver and a fleet give. */
export function rulesOf(resolver: Resolver, fleet: Fleet | undefined): Rules {
  return {
    wanted: remember((namespace) => wantedOf(resolver.resolve(namespace))),
    remutateAfterMs: (bucket, revision) =>
      fleet?.revisions?.get(revision)?.remutateAfterMs ??
      fleet?.buckets.get(bucket)?.remutateAfterMs ??
      fleet?.remutateAfterMs ??
      usualRemutateAfterMs,
    isRetired: (revision) => fleet?.revisions?.get(revision)?.retired === true,
    unlabelled: remember((namespace) => unlabelledAction(fleet, namespace)),
    isNewer: (revision, than) => compareRevisions(revision, than) > 0,
  };
}

function wantedOf(assignment: Assignment): Wanted {
  if (assignment.kind === 'outside') return { kind: 'outside', reason: assignment.reason };
  if (assignment.kind === 'tie') return { kind: 'unresolved', message: `${assignment.buckets.join(' and ')} tie` };
  return { kind: 'revision', revision: assignment.revision, bucket: assignment.bucket };
}

/** Of several patterns that match, the longest wins; of equally long ones the one that does nothing. */
function unlabelledAction(fleet: Fleet | undefined, namespace: string): 'leave' | 'label' {
  const matching = (fleet?.unlabelled ?? []).filter(({ pattern }) => pattern.matches(namespace));
  const longest = Math.max(...matching.map(({ pattern }) => pattern.length));
  const winners = matching.filter(({ pattern }) => pattern.length === longest);
  return winners.length > 0 && winners.every(({ action }) => action === 'label') ? 'label' : 'leave';
}

function remember<T>(ask: (namespace: string) => T): (namespace: string) => T {
  const known = new Map<string, T>();
  return (namespace) => {
    const found = known.get(namespace);
    if (found !== undefined) return found;
    if (known.size >= mostRemembered) known.clear();
    const answer = ask(namespace);
    known.set(namespace, answer);
    return answer;
  };
}
