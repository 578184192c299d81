// What rollouts.yml, fairway.yml and rollouts.lock say, made ready for admission: one text each in, the rules of Krispr out, or every
// problem of all three. A namespace's answer is remembered, since one burst asks for it hundreds of times.
import { defaultFleet, type Fleet, parseFleet, remutateAfterMs, unlabelledAction } from '../fleet/index.ts';
import {
  type Assignment,
  compareRevisions,
  createResolver,
  type Lock,
  parseLock,
  parseRollouts,
  type Resolver,
} from '../rollout/index.ts';
import type { Named, Parsed } from '../spec-file/index.ts';
import type { Rules, Wanted } from './decide.ts';

/** Contents by file name; only rollouts.yml must be there. */
export interface RuleFiles {
  readonly 'rollouts.yml'?: string;
  readonly 'fairway.yml'?: string;
  readonly 'rollouts.lock'?: string;
}

/** Rules, and the settings of fairway.yml for what is not decided by rules. */
export interface ReadRules {
  readonly rules: Rules;
  readonly fleet: Fleet;
}

const mostRemembered = 100_000;

/** The rules of these files. A problem of one file never hides those of another. */
export function readRules(files: RuleFiles): Parsed<ReadRules> {
  const fleet = readIfThere(files, 'fairway.yml', parseFleet);
  const lock: Parsed<Lock | undefined> = readIfThere(files, 'rollouts.lock', parseLock);
  const known = fleet.kind === 'valid' ? fleet.value : undefined;
  const rollouts = parseRollouts(files['rollouts.yml'] ?? '', { file: 'rollouts.yml', fleet: known });
  const problems = [...rollouts.problems, ...fleet.problems, ...lock.problems];
  if (rollouts.kind === 'invalid' || lock.kind === 'invalid' || fleet.kind === 'invalid')
    return { kind: 'invalid', problems };
  const resolver = createResolver({ rollouts: rollouts.value, lock: lock.value, fleet: known });
  const settings = known ?? defaultFleet();
  const value = { rules: rulesOf(resolver, settings), fleet: settings };
  return { kind: 'valid', value, problems };
}

/** The rules that a resolver and a fleet give. */
function rulesOf(resolver: Resolver, fleet: Fleet): Rules {
  return {
    wanted: remember((namespace) => wantedOf(resolver.resolve(namespace))),
    remutateAfterMs: (bucket, revision) => remutateAfterMs(fleet, bucket, revision),
    isRetired: (revision) => fleet.revisions?.get(revision)?.retired === true,
    unlabelled: remember(unlabelledAction(fleet)),
    isNewer: (revision, than) => compareRevisions(revision, than) > 0,
  };
}

function wantedOf(assignment: Assignment): Wanted {
  if (assignment.kind === 'outside') return { kind: 'outside', reason: assignment.reason };
  if (assignment.kind === 'tie') return { kind: 'unresolved', message: `${assignment.buckets.join(' and ')} tie` };
  return { kind: 'revision', revision: assignment.revision, bucket: assignment.bucket };
}

function readIfThere<T>(
  files: RuleFiles,
  file: keyof RuleFiles,
  parse: (text: string, named: Named) => Parsed<T>,
): Parsed<T | undefined> {
  const text = files[file];
  return text === undefined ? { kind: 'valid', value: undefined, problems: [] } : parse(text, { file });
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
