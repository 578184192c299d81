// Reads fairway.yml: shape by the schema, then what a shape cannot say (patterns compile, revisions have legal names). Every
// problem at once, with its place. Unknown keys are refused, so that a misspelt one never means a default.
import { compilePattern, type Pattern } from '../pattern/index.ts';
import {
  describe,
  issueProblems,
  type Named,
  type Parsed,
  parsed,
  plainValue,
  problemAt,
  readSpecFile,
  type SpecNode,
} from '../spec-file/index.ts';
import { InvariantError, type Problem } from '../std/errors.ts';
import type { Fleet, FleetBucket, FleetCluster, FleetLifecycle, FleetRevision, UnlabelledRule } from './fleet.ts';
import { type FleetFile, fleetSchema, spanMs } from './schema.ts';

const defaults = { defaultBucket: 'production', remutateAfter: '14d' } as const;

/** The fleet of one fairway.yml text, with every default filled in; or every problem of it. */
export function parseFleet(text: string, named: Named = {}): Parsed<Fleet> {
  const { root, problems } = readSpecFile(text, named);
  if (root === undefined) return { kind: 'invalid', problems };
  if (root.kind !== 'map') {
    const message = `expected a map of settings, found ${describe(root)}`;
    return parsed<Fleet>(undefined, [
      ...problems,
      problemAt(root, { code: 'fleet-invalid', message, hint: example }, named),
    ]);
  }
  const checked = fleetSchema.safeParse(plainValue(root));
  if (!checked.success) {
    const located = { code: 'fleet-invalid', keysAt, ...named };
    return parsed<Fleet>(undefined, [...problems, ...issueProblems(root, checked.error.issues, located)]);
  }
  const found = [...namedProblems(root, named), ...twiceProblems(root, named)];
  return parsed(found.length > 0 ? undefined : fleetOf(checked.data), [...problems, ...found]);
}

const example = 'for example `revisions: {1-25-2: {discoveryAddress: "istiod-1-25-2.istio-system.svc:15012"}}`';

/** The fleet of a folder without fairway.yml. */
export function defaultFleet(): Fleet {
  return fleetOf({});
}

const keysBySection: ReadonlyMap<string, readonly string[]> = new Map([
  ['', Object.keys(fleetSchema.shape)],
  ['revisions', ['proxyImage', 'discoveryAddress', 'since', 'retired', 'remutateAfter']],
  ['buckets', ['mode', 'remutateAfter']],
  ['clusters', ['rollouts', 'exclude']],
  ['kinds', ['apiVersion', 'kind', 'template']],
  ['admission', ['unlabelled']],
  ['lifecycle', Object.keys(fleetSchema.shape.lifecycle.unwrap().shape)],
  ['mutators', ['shutdown-guard']],
]);

function keysAt([section = '']: readonly PropertyKey[]): readonly string[] {
  return keysBySection.get(String(section)) ?? [];
}

/** Names that are patterns or revisions, checked as such. */
function namedProblems(root: SpecNode, named: Named): Problem[] {
  const exclude = entryOf(root, 'exclude');
  const unlabelled = entryOf(entryOf(root, 'admission'), 'unlabelled');
  const clusters = entryOf(root, 'clusters');
  const excludes = clusters?.kind === 'map' ? clusters.entries.map(({ value }) => entryOf(value, 'exclude')) : [];
  const lists = [exclude, ...excludes].flatMap((node) => (node?.kind === 'list' ? node.items : []));
  const patterns = [...lists, ...keysOf(unlabelled)];
  return [
    ...patterns.flatMap((node) => (node.kind === 'scalar' ? patternProblems(node, node.text, named) : [])),
    ...keysOf(entryOf(root, 'revisions')).flatMap((node) => revisionProblems(node, node.text, named)),
  ];
}

/** Two keys that say when a drain ends. */
function twiceProblems(root: SpecNode, named: Named): Problem[] {
  const keys = keysOf(entryOf(root, 'lifecycle'));
  const older = keys.find(({ text }) => text === 'exitOnZeroActiveConnections');
  if (older === undefined || !keys.some(({ text }) => text === 'exitOnZero')) return [];
  const message = 'exitOnZero and exitOnZeroActiveConnections both say when the proxy ends';
  return [problemAt(older, { code: 'fleet-invalid', message, hint: 'keep exitOnZero' }, named)];
}

function entryOf(node: SpecNode | undefined, name: string): SpecNode | undefined {
  return node?.kind === 'map' ? node.entries.find(({ key }) => key.text === name)?.value : undefined;
}

function keysOf(node: SpecNode | undefined): (SpecNode & { readonly kind: 'scalar' })[] {
  return node?.kind === 'map' ? node.entries.map(({ key }) => key) : [];
}

function patternProblems(node: SpecNode, text: string, named: Named): Problem[] {
  const compiled = compilePattern(text);
  if (compiled.kind === 'pattern') return [];
  const message = `pattern ${JSON.stringify(text)}: ${compiled.message}`;
  return [problemAt(node, { code: 'pattern-invalid', message, hint: compiled.hint }, named)];
}

function revisionProblems(node: SpecNode, text: string, named: Named): Problem[] {
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return [];
  const hint = 'a revision is named by lower-case letters, digits and dashes, at most 63, as in 1-25-2';
  return [
    problemAt(node, { code: 'revision-invalid', message: `${JSON.stringify(text)} is no revision`, hint }, named),
  ];
}

function fleetOf(file: FleetFile): Fleet {
  const nodes = spanOf(file.maxNodeLifetime);
  return {
    ...(file.revisions === undefined ? {} : { revisions: revisionsOf(file.revisions) }),
    buckets: bucketsOf(file.buckets ?? {}),
    exclude: (file.exclude ?? []).map(pattern),
    salt: file.salt ?? '',
    defaultBucket: file.defaultBucket ?? defaults.defaultBucket,
    remutateAfterMs: spanOf(file.remutateAfter ?? defaults.remutateAfter) ?? 0,
    ...(nodes === undefined ? {} : { maxNodeLifetimeMs: nodes }),
    ...(file.clusters === undefined ? {} : { clusters: clustersOf(file.clusters) }),
    kinds: file.kinds ?? [],
    ...(file.ownerLabel === undefined ? {} : { ownerLabel: file.ownerLabel }),
    unlabelled: rulesOf(file.admission?.unlabelled ?? 'leave'),
    ...(file.lifecycle === undefined ? {} : { lifecycle: lifecycleOf(file.lifecycle) }),
    ...guardOf(file.mutators?.['shutdown-guard']),
    ...(file.kubernetes === undefined ? {} : { kubernetesMinor: Number(file.kubernetes.slice(2)) }),
  };
}

function lifecycleOf({
  terminationDrainDuration,
  minimumDrainDuration,
  exitOnZeroActiveConnections: older,
  ...rest
}: NonNullable<FleetFile['lifecycle']>): FleetLifecycle {
  const [drainMs, minimumMs] = [spanOf(terminationDrainDuration), spanOf(minimumDrainDuration)];
  return {
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as FleetLifecycle),
    ...(older === undefined ? {} : { exitOnZero: older ? 'connections' : 'off' }),
    ...(drainMs === undefined ? {} : { terminationDrainDurationMs: drainMs }),
    ...(minimumMs === undefined ? {} : { minimumDrainDurationMs: minimumMs }),
  };
}

function guardOf(guard: NonNullable<FleetFile['mutators']>['shutdown-guard']): Pick<Fleet, 'shutdownGuard'> {
  if (guard === undefined) return {};
  const { buckets, seconds = 5 } = guard;
  return { shutdownGuard: { seconds, ...(buckets === undefined ? {} : { buckets }) } };
}

function spanOf(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : spanMs(value);
}

function revisionsOf(file: NonNullable<FleetFile['revisions']>): ReadonlyMap<string, FleetRevision> {
  return new Map(
    Object.entries(file).map(([name, { since, retired = false, remutateAfter, ...rest }]) => {
      const after = spanOf(remutateAfter);
      const revision = {
        name,
        ...(rest.proxyImage === undefined ? {} : { proxyImage: rest.proxyImage }),
        ...(rest.discoveryAddress === undefined ? {} : { discoveryAddress: rest.discoveryAddress }),
        ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
        retired,
        ...(after === undefined ? {} : { remutateAfterMs: after }),
      };
      return [name, revision] as const;
    }),
  );
}

function bucketsOf(file: NonNullable<FleetFile['buckets']>): ReadonlyMap<string, FleetBucket> {
  return new Map(
    Object.entries(file).map(([name, { mode = 'slots', remutateAfter }]) => {
      const after = spanOf(remutateAfter);
      return [name, { mode, ...(after === undefined ? {} : { remutateAfterMs: after }) }] as const;
    }),
  );
}

function clustersOf(file: NonNullable<FleetFile['clusters']>): ReadonlyMap<string, FleetCluster> {
  return new Map(
    Object.entries(file).map(([name, { rollouts, exclude = [] }]) => [
      name,
      { ...(rollouts === undefined ? {} : { rollouts }), exclude: exclude.map(pattern) },
    ]),
  );
}

function rulesOf(rule: 'label' | 'leave' | Record<string, 'label' | 'leave'>): UnlabelledRule[] {
  const rules = typeof rule === 'string' ? [['.*', rule] as const] : Object.entries(rule);
  return rules.map(([text, action]) => ({ pattern: pattern(text), action }));
}

/** Of a text that was checked before. */
function pattern(text: string): Pattern {
  const compiled = compilePattern(text);
  if (compiled.kind === 'pattern') return compiled.pattern;
  throw new InvariantError(`unchecked pattern ${text}: ${compiled.message}`);
}
