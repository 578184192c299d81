// What rollouts.yml, fairway.yml and rollouts.lock say, made ready for admission: one text each in, the rules of Krispr out, or every
// problem of all three. A namespace's answer is remembered, since one burst asks for it hundreds of times.
import {
  type ClusterView,
  defaultFleet,
  type Fleet,
  fleetOfCluster,
  parseFleet,
  remutateAfterMs,
  unlabelledAction,
} from '../fleet/index.ts';
import {
  type Assignment,
  compareRevisions,
  createResolver,
  type Lock,
  lockBeside,
  parseLock,
  parseRollouts,
  type Resolver,
} from '../rollout/index.ts';
import type { Named, Parsed } from '../spec-file/index.ts';
import type { Problem } from '../std/errors.ts';
import type { Rules, Wanted } from './decide.ts';

/** Contents by file name: fairway.yml and those that `ruleFileNames` gives. Only the rollouts file must be there. */
export type RuleFiles = Readonly<Record<string, string>>;

export interface RuleFileNames {
  readonly rollouts: string;
  readonly lock: string;
}

/** Rules, and the settings of fairway.yml for what is not decided by rules. */
export interface ReadRules {
  readonly rules: Rules;
  readonly fleet: Fleet;
}

const mostRemembered = 100_000;

/**
 * Where the rules of a cluster stand, beside fairway.yml; undefined where fairway.yml lists clusters and not this one. A fairway.yml that
 * cannot be read names no files of its own.
 */
export function ruleFileNames(fleetText: string | undefined, cluster: string | undefined): RuleFileNames | undefined {
  const fleet = fleetText === undefined || cluster === undefined ? undefined : parseFleet(fleetText);
  if (fleet?.kind !== 'valid' || cluster === undefined) return namesOf(undefined);
  const view = fleetOfCluster(fleet.value, cluster);
  return view.kind === 'known' ? namesOf(view.rollouts) : undefined;
}

/** The rules of these files, as `cluster` sees them. A problem of one file never hides those of another. */
export function readRules(files: RuleFiles, cluster?: string): Parsed<ReadRules> {
  const fleet = readIfThere(files, fleetFile, parseFleet);
  const view = fleet.kind === 'valid' ? viewOf(fleet.value, cluster) : undefined;
  if (view?.kind === 'unknown') return { kind: 'invalid', problems: [...fleet.problems, unknownCluster(view)] };
  const names = namesOf(view?.rollouts);
  const lock: Parsed<Lock | undefined> = readIfThere(files, names.lock, parseLock);
  const rollouts = parseRollouts(files[names.rollouts] ?? '', { file: names.rollouts, fleet: view?.fleet });
  const problems = [...rollouts.problems, ...fleet.problems, ...lock.problems];
  if (rollouts.kind === 'invalid' || lock.kind === 'invalid' || fleet.kind === 'invalid')
    return { kind: 'invalid', problems };
  const resolver = createResolver({ rollouts: rollouts.value, lock: lock.value, fleet: view?.fleet });
  const settings = view?.fleet ?? defaultFleet();
  const value = { rules: rulesOf(resolver, settings), fleet: settings };
  return { kind: 'valid', value, problems };
}

const fleetFile = 'fairway.yml';

function namesOf(rollouts = 'rollouts.yml'): RuleFileNames {
  return { rollouts, lock: lockBeside(rollouts) };
}

function viewOf(fleet: Fleet | undefined, cluster: string | undefined): ClusterView | undefined {
  if (fleet === undefined) return undefined;
  return cluster === undefined ? { kind: 'known', fleet } : fleetOfCluster(fleet, cluster);
}

function unknownCluster({ message, hint }: Extract<ClusterView, { kind: 'unknown' }>): Problem {
  return { code: 'cluster-unknown', severity: 'error', message, hint, file: fleetFile };
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
  file: string,
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
