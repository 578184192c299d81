// rollouts.yml: namespace pattern → revision → percent (docs/reference/rollouts.md). Reads it with every problem at once, each with its
// place and a way out. Refuses whatever two readers could understand differently; knows no cluster and no lock.
import type { Fleet } from '../fleet/index.ts';
import { compilePattern, type Pattern } from '../pattern/index.ts';
import {
  describe,
  type MapNode,
  type Named,
  type Parsed,
  parsed,
  problemAt,
  readSpecFile,
  type ScalarNode,
  type SpecNode,
} from '../spec-file/index.ts';
import type { Problem } from '../std/errors.ts';
import type { Quota } from './hand-over.ts';
import { globTrouble } from './naming.ts';
import { readShares, usualForm } from './shares.ts';

/** One key of rollouts.yml with its shares. */
export interface Bucket {
  readonly name: string;
  /** Absent: the default bucket, for every namespace that no pattern matches. */
  readonly pattern?: Pattern;
  /** Revision → slots of 10,000 (a percent is a hundred); sums to 10,000, may hold zeros. In the order of the file. */
  readonly shares: Quota;
  readonly mode: 'slots' | 'exact';
  readonly line: number;
  readonly column: number;
}

export interface Rollouts {
  readonly file?: string;
  readonly defaultBucket: Bucket;
  /** In the order of the file, without the default. */
  readonly buckets: readonly Bucket[];
}

export interface RolloutsOptions extends Named {
  /** What fairway.yml says: the name of the default bucket, known revisions, modes. */
  readonly fleet?: Fleet | undefined;
}

/** The default bucket's name where fairway.yml gives none. */
export const usualDefaultBucket = 'production';

/** The file may be a stranger's: an expression takes up to a millisecond to compile, one of thousands of steps twenty. */
const mostBuckets = 10_000;
const mostSteps = 500_000;

/** The roll-outs of one rollouts.yml text, with warnings; or every problem of it. */
export function parseRollouts(text: string, options: RolloutsOptions = {}): Parsed<Rollouts> {
  const { root, problems } = readSpecFile(text, options);
  const reading: Reading = { ...options, problems: [...problems] };
  return parsed(root === undefined ? undefined : readTop(reading, root), reading.problems);
}

interface Reading extends RolloutsOptions {
  readonly problems: Problem[];
}

function readTop(reading: Reading, root: SpecNode): Rollouts | undefined {
  if (root.kind === 'map') return readBuckets(reading, root);
  const message = `expected a map of patterns, found ${describe(root)}`;
  reading.problems.push(problemAt(root, { code: 'rollouts-type', message, hint: usualForm }, reading));
  return undefined;
}

function readBuckets(reading: Reading, root: MapNode): Rollouts | undefined {
  const name = reading.fleet?.defaultBucket ?? usualDefaultBucket;
  if (root.entries.length > mostBuckets) {
    const message = `${root.entries.length} buckets; the limit is ${mostBuckets}`;
    const hint = 'let one expression match many namespaces: `team-a-.*`';
    reading.problems.push(problemAt(root, { code: 'too-many-buckets', message, hint }, reading));
    return undefined;
  }
  const read = readAll(reading, root);
  if (!root.entries.some(({ key }) => key.text === name)) reportNoDefault(reading, root, name);
  const buckets = read.filter((bucket) => bucket !== undefined);
  const defaultBucket = buckets.find((bucket) => bucket.name === name);
  if (defaultBucket === undefined) return undefined;
  const file = reading.file === undefined ? {} : { file: reading.file };
  return { ...file, defaultBucket, buckets: buckets.filter((bucket) => bucket !== defaultBucket) };
}

/** The buckets up to the limit of steps: the expressions behind it are not even compiled. */
function readAll(reading: Reading, root: MapNode): readonly (Bucket | undefined)[] {
  const read: (Bucket | undefined)[] = [];
  let steps = 0;
  for (const { key, value } of root.entries) {
    if (steps > mostSteps) {
      const message = `the patterns before this one are too large together (more than ${mostSteps} steps)`;
      const hint = 'repeat less: `[a-z]{0,60}` has sixty steps, `[a-z]*` two';
      reading.problems.push(problemAt(key, { code: 'patterns-too-large', message, hint }, reading));
      return read;
    }
    const bucket = readBucket(reading, key, value);
    steps += bucket?.pattern?.size ?? 0;
    read.push(bucket);
  }
  return read;
}

function reportNoDefault(reading: Reading, root: MapNode, name: string): void {
  const message = `there is no bucket ${JSON.stringify(name)}`;
  const hint = `add \`${name}: {REVISION: 100}\`: it catches every namespace that no pattern matches`;
  reading.problems.push(problemAt(root, { code: 'no-default-bucket', message, hint }, reading));
}

function readBucket(reading: Reading, key: ScalarNode, value: SpecNode): Bucket | undefined {
  const isDefault = key.text === (reading.fleet?.defaultBucket ?? usualDefaultBucket);
  const pattern = isDefault ? undefined : readPattern(reading, key);
  const { shares, problems } = readShares(key, value, reading);
  reading.problems.push(...problems);
  if (shares === undefined || (pattern === undefined && !isDefault)) return undefined;
  const mode = reading.fleet?.buckets.get(key.text)?.mode ?? 'slots';
  return { name: key.text, ...(pattern === undefined ? {} : { pattern }), shares, mode, ...key.at };
}

function readPattern(reading: Reading, key: ScalarNode): Pattern | undefined {
  const compiled = compilePattern(key.text);
  if (compiled.kind === 'refused') {
    const message = `pattern ${JSON.stringify(key.text)}: ${compiled.message}`;
    reading.problems.push(problemAt(key, { code: 'pattern-invalid', message, hint: compiled.hint }, reading));
    return undefined;
  }
  const glob = globTrouble(key.text);
  if (glob !== undefined) reading.problems.push(problemAt(key, glob, reading));
  return compiled.pattern;
}
